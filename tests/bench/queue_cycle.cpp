// What a cycle of entering and leaving a free queue costs the client: CPU time, 64 cycles at once on as many queues.
//
// usage: bench_queue_cycle [CYCLES]; exits with 1 if a cycle takes other than two requests, or too much CPU.
// SPDX-License-Identifier: BSL-1.0
#include "bench/bare_update.hpp"
#include "bench/goals.hpp"
#include "support/json_line.hpp"
#include "support/local_server.hpp"
#include "support/requests_sent.hpp"
#include "support/run_awaitable.hpp"
#include "support/stopwatch.hpp"

#include <dynalease/client.hpp>
#include <dynalease/coordination_table.hpp>
#include <dynalease/queue.hpp>

#include <boost/asio/io_context.hpp>

#include <stdexcept>
#include <string>
#include <vector>

namespace asio = boost::asio;

namespace {

constexpr std::size_t width = 64;
constexpr double most_of_two_bare_updates = 2;

asio::awaitable<void> cycle(const dynalease::queue& queue, std::size_t count) {
    while (count-- > 0) {
        auto turn = co_await queue.enter();
        co_await turn.leave();
    }
}

asio::awaitable<void> cycles(const std::vector<dynalease::queue>& queues, std::size_t each) {
    co_await support::at_once(width, width, [&](std::size_t i) { return cycle(queues[i], each); });
}

asio::awaitable<void> measure(dynalease::client& client, std::size_t count, bench::goals& reached) {
    co_await dynalease::create_table(client, "bench");
    dynalease::session_options options;
    options.table = "bench";
    dynalease::session session{client, options};
    std::vector<dynalease::queue> queues;
    for (std::size_t i = 0; i < width; ++i) queues.emplace_back(session, "cycle/" + std::to_string(i));

    co_await cycles(queues, 10);  // opens the session and the connections
    const auto before = support::requests_sent(client);
    const auto heartbeats = session.counters().heartbeats_sent;
    const support::stopwatch queueing;
    co_await cycles(queues, count / width);
    const auto total = count / width * width;
    const auto done = static_cast<double>(total);
    const auto cpu = queueing.cpu_seconds() * 1e6 / done;
    const auto wall = queueing.seconds();
    const auto requests = support::requests_sent(client) - before - (session.counters().heartbeats_sent - heartbeats);

    const support::stopwatch bare;
    co_await bench::bare_updates(client, "bench", width, 2 * total);
    const auto reference = bare.cpu_seconds() * 1e6 / done;

    reached.at_most("queue_cycle: CPU of two bare updates", cpu / reference, most_of_two_bare_updates);
    support::json_line()
        .add("bench", "queue_cycle")
        .add("value", cpu, 1)
        .add("unit", "us of client CPU per enter and leave of a free queue, 64 at once")
        .add("reference", "two bare signed UpdateItem through the same client")
        .add("reference_value", reference, 1)
        .add("ratio", cpu / reference)
        .add("requests_per_cycle", static_cast<double>(requests) / done)
        .add("cycles_per_second", done / wall, 0)
        .print();
    co_await session.close();
    client.close();
    if (requests != 2 * total) throw std::runtime_error("a cycle is two requests");
}

}  // namespace

int main(int count, char** values) {
    const support::local_server server;
    asio::io_context io{1};
    dynalease::client client{io.get_executor(), support::local_client_options(server.endpoint())};
    bench::goals reached;
    const std::size_t cycles_wanted = count > 1 ? std::stoull(values[1]) : 64'000;
    const int status = support::run(io, client.get_executor(), measure(client, cycles_wanted, reached));
    return status != 0 ? status : reached.status();
}
