// A job that cron starts on several machines at once and that one of them does: it is killed, and the next takes over.
//
// Without arguments it plays five starts of the job against a DynamoDB of its own, each in a process, and kills one.
// SPDX-License-Identifier: BSL-1.0
#include "support/child_process.hpp"
#include "support/local_server.hpp"
#include "support/run_awaitable.hpp"

#include <dynalease/dynalease.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>

#include <chrono>
#include <iomanip>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

/// How far the machines' clocks may lie apart. The job is started on each at the same time by its own clock; if it were
/// done and its lock free before the last of them starts it, it would be done twice. One that cannot reach the service
/// asks on for a lease: where that may happen at this very time, add the lease.
constexpr auto clocks_differ_by = 2s;

// ---- the job ------------------------------------------------------------------------------------------------

asio::awaitable<void> do_once(dynalease::database database, std::chrono::milliseconds work) {
    dynalease::session session{database, {.table = "coordination", .lease = 4s}};
    dynalease::lock lock{session, "nightly-report"};

    // Others live: known after one of their heartbeats. Others have died: ours after their lease.
    dynalease::diagnostics why;
    auto [failed, guard] = co_await lock.acquire({.wait = dynalease::until_known}, why, asio::as_tuple(asio::deferred));
    if (failed == dynalease::condition::contended) {
        std::cout << "another is at it" << std::endl;
    } else if (failed) {
        throw dynalease::error(failed, why);  // names the lock, the table and the request that failed
    } else {
        const auto executor = co_await asio::this_coro::executor;
        asio::steady_timer at_least{executor, clocks_differ_by};
        std::cout << "at work" << std::endl;
        asio::steady_timer working{executor, work};
        co_await working.async_wait(asio::deferred);
        std::cout << "done" << std::endl;
        co_await at_least.async_wait(asio::deferred);
        co_await guard.release();
    }
    co_await session.close();
}

int start_job(const std::string& endpoint, std::chrono::milliseconds work) {
    asio::io_context io{1};
    const asio::any_io_executor executor = asio::make_strand(io);
    dynalease::client client{executor, support::local_client_options(endpoint)};
    return support::run(io, executor, do_once(client, work));
}

// ---- the play -----------------------------------------------------------------------------------------------

class job {
public:
    job(const std::string& endpoint, std::chrono::milliseconds work)
        : process_({support::own_path(), endpoint, std::to_string(work.count())}) {}

    void says(const std::string& what) const {
        const auto line = support::read_line(process_.output());
        if (line != what) throw std::runtime_error("a job said '" + line + "' in place of '" + what + "'");
    }
    void kill() noexcept { process_.kill(); }

private:
    support::child_process process_;
};

void tell(const std::string& what) {
    static const auto began = std::chrono::steady_clock::now();
    const std::chrono::duration<double> since = std::chrono::steady_clock::now() - began;
    std::cout << std::fixed << std::setprecision(1) << since.count() << " s: " << what << std::endl;
}

int play() {
    support::local_server server;
    {
        asio::io_context io{1};
        dynalease::client client{io.get_executor(), support::local_client_options(server.endpoint())};
        if (support::run(io, io.get_executor(), dynalease::create_table(client, "coordination")) != 0) return 1;
    }
    job first(server.endpoint(), 1h);
    first.says("at work");
    tell("the first start is at work");

    job(server.endpoint(), 1h).says("another is at it");
    tell("the second has seen it live, and ends");

    first.kill();
    tell("the first is killed");
    job third(server.endpoint(), 0s);
    third.says("at work");
    tell("the third has seen no more of it for its whole lease, and has taken over");

    third.says("done");
    job(server.endpoint(), 0s).says("another is at it");
    tell("the fourth comes from a machine whose clock is late; the third, though done, still has the lock");

    third.says("");  // its end
    job(server.endpoint(), 0s).says("at work");
    tell("the fifth is the next night's");
    return 0;
}

}  // namespace

int main(int count, char** values) {
    const std::vector<std::string> arguments(values + 1, values + count);
    try {
        if (arguments.empty()) return play();
        if (arguments.size() == 2) return start_job(arguments[0], std::chrono::milliseconds(std::stoll(arguments[1])));
        std::cerr << "usage: cron_singleton\n";
    } catch (const std::exception& why) {
        std::cerr << "cron_singleton: " << why.what() << '\n';
    }
    return 1;
}
