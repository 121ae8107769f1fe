// How long a lock lies idle between two holders, within a process and between processes, and how many reads that costs.
//
// Sessions of one process know nothing of each other, so each stands for a process. All hold the lock for 100 ms and
// ask for it again at once. usage: bench_hand_off [SECONDS PER ROW]; exits with 1 if a budget is exceeded.
// SPDX-License-Identifier: BSL-1.0
#include "bench/goals.hpp"
#include "bench/median.hpp"
#include "support/json_line.hpp"
#include "support/local_server.hpp"
#include "support/run_awaitable.hpp"
#include "support/stopwatch.hpp"

#include <dynalease/client.hpp>
#include <dynalease/coordination_table.hpp>
#include <dynalease/lock.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <deque>
#include <exception>
#include <string>
#include <vector>

namespace asio = boost::asio;
using steady = std::chrono::steady_clock;

namespace {

constexpr auto hold_time = std::chrono::milliseconds(100);
constexpr double budget_ms = 100;
constexpr double budget_reads = 12;

/// The lock's idle times, seen from outside: from the call of release to the next grant to another caller.
struct observer {
    steady::time_point released{};
    std::size_t releaser = 0;
    std::vector<double> idle_ms{};
    std::size_t taken_again = 0;  ///< grants to the caller that had just released: no hand-off
    bool over = false;
    std::exception_ptr failure{};

    void granted(std::size_t caller) {
        if (released == steady::time_point{}) return;
        if (caller == releaser) {
            ++taken_again;
        } else {
            idle_ms.push_back(std::chrono::duration<double, std::milli>(steady::now() - released).count());
        }
    }
};

asio::awaitable<void> contend(dynalease::lock lock, std::size_t caller, observer& seen) {
    asio::steady_timer timer(lock.get_executor());
    while (!seen.over) {
        auto guard = co_await lock.acquire();
        seen.granted(caller);
        timer.expires_after(hold_time);
        co_await timer.async_wait(asio::deferred);
        seen.released = steady::now();
        seen.releaser = caller;
        co_await guard.release();
    }
}

std::uint64_t reads_of(const dynalease::client& client) {
    const auto all = client.counters().operations;
    const auto found = all.find("GetItem");
    return found == all.end() ? 0 : found->second.attempts;
}

void print(const char* name, std::size_t waiting, double value, const char* unit, double budget, const observer& seen,
           bench::goals& reached) {
    reached.at_most(name, value, budget);
    support::json_line()
        .add("bench", name)
        .add("waiting", waiting)
        .add("value", value)
        .add("unit", unit)
        .add("reference", "budget")
        .add("reference_value", budget)
        .add("ratio", value / budget)
        .add("hand_overs", seen.idle_ms.size())
        .add("taken_again", seen.taken_again)
        .print();
}

/// One holder and `waiting` more callers, spread over `sessions`, for so long; then all sessions are closed.
asio::awaitable<void> contention(dynalease::client& client, std::string name, std::size_t session_count,
                                 std::size_t waiting, std::chrono::seconds duration, observer& seen, double& reads) {
    dynalease::session_options options;
    options.table = "bench";
    std::deque<dynalease::session> sessions;
    for (std::size_t i = 0; i < session_count; ++i) sessions.emplace_back(client, options);
    asio::steady_timer timer(client.get_executor());
    std::size_t running = waiting + 1;
    for (std::size_t i = 0; i <= waiting; ++i) {
        dynalease::lock lock{sessions[i % session_count], name};
        asio::co_spawn(client.get_executor(), contend(std::move(lock), i, seen), [&](std::exception_ptr failure) {
            if (failure && !seen.over) seen.failure = failure;  // when it is over, sessions close under the callers
            if (--running == 0) timer.cancel();
        });
    }
    timer.expires_after(std::chrono::seconds(2));  // until all stand in line
    co_await timer.async_wait(asio::deferred);
    seen.idle_ms.clear();
    seen.taken_again = 0;
    const auto before = reads_of(client);
    const support::stopwatch watch;
    timer.expires_after(duration);
    co_await timer.async_wait(asio::deferred);
    reads = static_cast<double>(reads_of(client) - before) / watch.seconds();

    seen.over = true;
    for (auto& session : sessions) co_await session.close();
    timer.expires_at(steady::time_point::max());
    while (running > 0) co_await timer.async_wait(asio::as_tuple(asio::deferred));
    if (seen.failure) std::rethrow_exception(seen.failure);
}

asio::awaitable<void> measure(dynalease::client& client, std::chrono::seconds duration, bench::goals& reached) {
    co_await dynalease::create_table(client, "bench");
    double reads = 0;
    for (const std::size_t waiting : {2U, 10U, 100U}) {
        observer seen;
        co_await contention(client, "within/" + std::to_string(waiting), 1, waiting, duration / 3, seen, reads);
        print("hand_off_within", waiting, bench::median(seen.idle_ms), "ms between two holders, median", budget_ms,
              seen, reached);
    }
    for (const std::size_t waiting : {2U, 10U, 100U}) {
        observer seen;
        co_await contention(client, "between/" + std::to_string(waiting), waiting + 1, waiting, duration, seen, reads);
        print("hand_off_between", waiting, bench::median(seen.idle_ms), "ms between two holders, median", budget_ms,
              seen, reached);
        print("hand_off_reads", waiting, reads, "reads/s on one lock and on its holder's session", budget_reads, seen,
              reached);
    }
    client.close();
}

}  // namespace

int main(int count, char** values) {
    const support::local_server server;
    asio::io_context io{1};
    auto options = support::local_client_options(server.endpoint());
    options.connections = 128;
    dynalease::client client{io.get_executor(), options};
    const std::chrono::seconds duration(count > 1 ? std::stoul(values[1]) : 15);
    bench::goals reached;
    const int status = support::run(io, client.get_executor(), measure(client, duration, reached));
    return status != 0 ? status : reached.status();
}
