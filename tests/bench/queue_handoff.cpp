// How long a queue lies idle between two turns, within a process and between processes, and how many reads that costs.
//
// Hand-offs among up to 100 waiters are measured over HTTP; sessions of one process know nothing of each other, so each
// stands for a process. Those among 1,000, and all reads, are counted in a simulated world in which each request takes
// 5 ms: they follow from the schedule alone. Turns last 100 ms. usage: bench_queue_handoff [SECONDS PER ROW];
// exits with 1 if a budget is exceeded.
// SPDX-License-Identifier: BSL-1.0
#include "bench/goals.hpp"
#include "bench/median.hpp"
#include "support/json_line.hpp"
#include "support/local_server.hpp"
#include "support/run_awaitable.hpp"
#include "support/world.hpp"

#include <dynalease/client.hpp>
#include <dynalease/coordination_table.hpp>
#include <dynalease/queue.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <deque>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

constexpr auto turn_time = 100ms;
constexpr double budget_ms = 100;
constexpr double budget_reads = 12;

bench::goals reached;

/// The queue's idle times, seen from outside: from the call of leave to the next turn.
struct observer {
    dynalease::time_point left{};
    std::vector<double> idle_ms{};
    std::int64_t last_ticket = 0;
    bool over = false;
    std::exception_ptr failure{};

    void granted(std::int64_t ticket, dynalease::time_point now) {
        if (ticket <= last_ticket) throw std::runtime_error("a turn out of order");
        last_ticket = ticket;
        if (left != dynalease::time_point{}) {
            idle_ms.push_back(std::chrono::duration<double, std::milli>(now - left).count());
        }
    }
};

asio::awaitable<void> wait(dynalease::environment world, std::chrono::nanoseconds time) {
    co_await world.clock->async_wait_until(world.clock->now() + time, asio::deferred);
}

/// Enters again and again, on whatever clock.
asio::awaitable<void> take_turns(dynalease::queue queue, dynalease::environment world, observer& seen) {
    while (!seen.over) {
        auto turn = co_await queue.enter();
        seen.granted(turn.ticket(), world.clock->now());
        co_await wait(world, turn_time);
        seen.left = world.clock->now();
        co_await turn.leave();
    }
}

void print(const char* name, std::size_t waiting, std::size_t sessions, double value, const char* unit, double budget,
           std::size_t hand_overs, bool simulated) {
    reached.at_most(name, value, budget);
    support::json_line()
        .add("bench", name)
        .add("waiting", waiting)
        .add("sessions", sessions)
        .add("value", value)
        .add("unit", unit)
        .add("reference", "budget")
        .add("reference_value", budget)
        .add("ratio", value / budget)
        .add("hand_overs", hand_overs)
        .add("simulated", simulated)
        .print();
}

void print_hand_off(std::size_t waiting, std::size_t sessions, const observer& seen, bool simulated) {
    print(sessions == 1 ? "queue_handoff_within" : "queue_handoff_between", waiting, sessions,
          bench::median(seen.idle_ms), "ms between two turns, median", budget_ms, seen.idle_ms.size(), simulated);
}

// ---- over HTTP ---------------------------------------------------------------------------------------------

asio::awaitable<void> contention(dynalease::client& client, std::size_t session_count, std::size_t waiting,
                                 std::chrono::seconds duration, observer& seen) {
    dynalease::session_options options;
    options.table = "bench";
    std::deque<dynalease::session> sessions;
    for (std::size_t i = 0; i < session_count; ++i) sessions.emplace_back(client, options);
    const auto name = std::to_string(session_count) + "/" + std::to_string(waiting);
    std::size_t running = waiting + 1;
    for (std::size_t i = 0; i <= waiting; ++i) {
        asio::co_spawn(client.get_executor(),
                       take_turns(dynalease::queue{sessions[i % session_count], name}, client.environment(), seen),
                       [&](std::exception_ptr failure) {
                           if (failure && !seen.over) seen.failure = failure;  // afterwards sessions close under them
                           --running;
                       });
    }
    co_await wait(client.environment(), 2s);  // until all stand in line
    seen.idle_ms.clear();
    co_await wait(client.environment(), duration);
    seen.over = true;
    for (auto& session : sessions) co_await session.close();
    while (running > 0) co_await wait(client.environment(), 10ms);
    if (seen.failure) std::rethrow_exception(seen.failure);
}

asio::awaitable<void> measure(dynalease::client& client, std::chrono::seconds duration) {
    co_await dynalease::create_table(client, "bench");
    for (const std::size_t waiting : {2U, 10U, 100U}) {
        observer seen;
        co_await contention(client, 1, waiting, duration / 3, seen);
        print_hand_off(waiting, 1, seen, false);
    }
    for (const std::size_t waiting : {2U, 10U, 100U}) {
        observer seen;
        co_await contention(client, waiting + 1, waiting, duration, seen);
        print_hand_off(waiting, waiting + 1, seen, false);
    }
    client.close();
}

// ---- in virtual time ---------------------------------------------------------------------------------------

namespace virtually {

using dynalease::tests::node;
using dynalease::tests::world;

std::unique_ptr<node> make_node(world& where, std::uint64_t seed) {
    auto made = std::make_unique<node>(where, seed);
    made->network->set_plan([](const dynalease::any_request&, const dynalease::call_options&) {
        return dynalease::testing::fault{.before = 2500us, .after = 2500us};
    });
    return made;
}

std::size_t reads_of(const node& in) {
    const auto& log = in.network->log();
    return static_cast<std::size_t>(std::count_if(log.begin(), log.end(), [](const auto& entry) {
        return entry->operation == "Query" || (entry->operation == "GetItem" && !entry->key.starts_with("session#"));
    }));
}

void hand_off(std::size_t session_count, std::size_t waiting) {
    world where(1);
    std::vector<std::unique_ptr<node>> nodes;
    for (std::size_t i = 0; i < session_count; ++i) nodes.push_back(make_node(where, i + 1));
    observer seen;
    std::vector<dynalease::tests::running> callers;
    for (std::size_t i = 0; i <= waiting; ++i) {
        auto& in = *nodes[i % session_count];
        callers.emplace_back(where, in, take_turns(dynalease::queue{*in.session, "x"}, in.environment, seen));
    }
    where.scheduler.run_for(20s);
    seen.idle_ms.clear();
    where.scheduler.run_for(100s);
    print_hand_off(waiting, session_count, seen, true);
}

asio::awaitable<void> enter_and_hold(dynalease::queue queue, dynalease::queue_turn& into) {
    into = co_await queue.enter();
}

/// While one turn of another process lasts ten minutes.
void reads(std::size_t session_count, std::size_t waiting) {
    world where(1);
    auto holder = make_node(where, 1);
    dynalease::queue_turn held;
    dynalease::tests::run(where, *holder, enter_and_hold(dynalease::queue{*holder->session, "x"}, held));
    std::vector<std::unique_ptr<node>> nodes;
    for (std::size_t i = 0; i < session_count; ++i) nodes.push_back(make_node(where, i + 2));
    std::vector<dynalease::queue_turn> turns(waiting);
    std::vector<dynalease::tests::running> callers;
    for (std::size_t i = 0; i < waiting; ++i) {
        auto& in = *nodes[i % session_count];
        callers.emplace_back(where, in, enter_and_hold(dynalease::queue{*in.session, "x"}, turns[i]));
    }
    where.scheduler.run_for(5s);
    for (auto& each : nodes) each->network->clear_log();
    constexpr auto time = 600s;
    where.scheduler.run_for(time);
    std::size_t count = 0;
    for (auto& each : nodes) count += reads_of(*each);
    print("queue_reads", waiting, session_count, static_cast<double>(count) / time.count(), "reads/s on one queue",
          budget_reads, 0, true);
}

}  // namespace virtually

}  // namespace

int main(int count, char** values) {
    const std::chrono::seconds duration(count > 1 ? std::stoul(values[1]) : 15);
    int status = 0;
    {
        const support::local_server server;
        asio::io_context io{1};
        auto options = support::local_client_options(server.endpoint());
        options.connections = 128;
        dynalease::client client{io.get_executor(), options};
        status = support::run(io, client.get_executor(), measure(client, duration));
    }
    virtually::hand_off(1, 1000);
    virtually::hand_off(1001, 1000);
    for (const std::size_t waiting : {2U, 10U, 100U, 1000U}) {
        virtually::reads(1, waiting);
        virtually::reads(waiting, waiting);
    }
    return status != 0 ? status : reached.status();
}
