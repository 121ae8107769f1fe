// One leader among several processes: it leads while it holds a lock, loses that when it is paused, and begins again.
//
// Without arguments it plays two members against a DynamoDB of its own, each in a process: the leader is paused beyond
// its lease, and the next is asked to end (SIGTERM), which hands leadership over at once.
// SPDX-License-Identifier: BSL-1.0
#include "support/child_process.hpp"
#include "support/local_server.hpp"
#include "support/run_awaitable.hpp"

#include <dynalease/dynalease.hpp>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <csignal>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace asio = boost::asio;
using namespace std::chrono_literals;
using namespace boost::asio::experimental::awaitable_operators;

namespace {

// ---- a member -----------------------------------------------------------------------------------------------

void say(const std::string& what) {
    std::cout << what << std::endl;
}

/// What only the leader does, in short steps. It is cancelled when leadership is lost; `held` looks before each step,
/// for a step that has begun is not called back.
asio::awaitable<void> lead(dynalease::lock_guard& leadership) {
    say("leads");
    asio::steady_timer step{co_await asio::this_coro::executor};
    while (leadership.held()) {
        // ... one step of the work; what is written elsewhere carries leadership.fencing_token()
        step.expires_after(100ms);
        co_await step.async_wait(asio::use_awaitable);
    }
}

/// Leads, follows, and leads again, until it is cancelled.
asio::awaitable<void> campaign(dynalease::lock leadership) {
    asio::steady_timer rest{co_await asio::this_coro::executor};
    for (;;) {
        try {
            co_await dynalease::with_lock(leadership, lead);  // waits for its turn, for as long as it takes
        } catch (const dynalease::error& why) {
            if (why.condition() == dynalease::condition::cancelled) throw;
            if (why.condition() == dynalease::condition::misconfigured) throw;
            say(why.condition() == dynalease::condition::lost ? "lost" : why.what());
        }
        rest.expires_after(100ms);
        co_await rest.async_wait(asio::use_awaitable);
    }
}

asio::awaitable<void> take_part(dynalease::database database) {
    dynalease::session session{database, {.table = "coordination", .lease = 4s}};
    const dynalease::lock leadership{session, "leader"};
    asio::signal_set asked_to_end{co_await asio::this_coro::executor, SIGTERM, SIGINT};
    co_await (campaign(leadership) || asked_to_end.async_wait(asio::use_awaitable));
    co_await session.close();  // all is given back: the next leads at once
    say("left");
}

int member(const std::string& endpoint) {
    asio::io_context io{1};
    const asio::any_io_executor executor = asio::make_strand(io);
    dynalease::client client{executor, support::local_client_options(endpoint)};
    return support::run(io, executor, take_part(client));
}

// ---- the play -----------------------------------------------------------------------------------------------

void expect(const support::child_process& from, const std::string& what) {
    const auto line = support::read_line(from.output());
    if (line != what) throw std::runtime_error("a member said '" + line + "' in place of '" + what + "'");
}

int play() {
    support::local_server server;
    {
        asio::io_context io{1};
        dynalease::client client{io.get_executor(), support::local_client_options(server.endpoint())};
        if (support::run(io, io.get_executor(), dynalease::create_table(client, "coordination")) != 0) return 1;
    }
    const std::vector<std::string> command{support::own_path(), server.endpoint()};
    support::child_process first(command);
    expect(first, "leads");
    say("the first leads");

    support::child_process second(command);
    first.stop();
    expect(second, "leads");
    say("the first is paused: after its lease the second leads");
    first.resume();
    expect(first, "lost");
    say("the first wakes, sees that it has lost, and follows");

    ::kill(second.id(), SIGTERM);
    expect(second, "left");
    expect(first, "leads");
    say("the second is asked to end, and the first leads again");
    if (second.wait() != 0) throw std::runtime_error("the second failed");

    ::kill(first.id(), SIGTERM);
    expect(first, "left");
    return first.wait();
}

}  // namespace

int main(int count, char** values) {
    const std::vector<std::string> arguments(values + 1, values + count);
    try {
        if (arguments.empty()) return play();
        if (arguments.size() == 1) return member(arguments[0]);
        std::cerr << "usage: leader\n";
    } catch (const std::exception& why) {
        std::cerr << "leader: " << why.what() << '\n';
    }
    return 1;
}
