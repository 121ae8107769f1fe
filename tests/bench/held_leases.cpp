// What it costs to hold many leases in one process: memory, CPU while idle, and the time to take them.
//
// usage: bench_held_leases [LEASES]; without a number it runs itself for 1,000, 10,000 and 100,000, each in a process
// of its own, since memory that one run freed would hide the growth of the next. Exits with 1 if a budget is exceeded.
// SPDX-License-Identifier: BSL-1.0
#include "bench/bare_update.hpp"
#include "bench/goals.hpp"
#include "support/child_process.hpp"
#include "support/json_line.hpp"
#include "support/local_server.hpp"
#include "support/run_awaitable.hpp"
#include "support/stopwatch.hpp"

#include <dynalease/client.hpp>
#include <dynalease/coordination_table.hpp>
#include <dynalease/lock.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace asio = boost::asio;

namespace {

constexpr std::size_t width = 64;
constexpr auto idle_time = std::chrono::milliseconds(7500);  // three heartbeats

asio::awaitable<void> acquire(dynalease::session& session, std::vector<dynalease::lock_guard>& held, std::size_t i) {
    dynalease::lock lock{session, "lease/" + std::to_string(i)};
    held[i] = co_await lock.acquire();
}

support::json_line row(const char* name, std::size_t leases) {
    support::json_line line;
    line.add("bench", name).add("leases", leases);
    return line;
}

void print(support::json_line line, double value, const char* unit, const char* reference, double reference_value) {
    line.add("value", value).add("unit", unit).add("reference", reference).add("reference_value", reference_value);
    line.add("ratio", value / reference_value);
    line.print();
}

/// Buffers of connections and code that was never touched must not count as leases: bare requests warm them up.
asio::awaitable<double> seconds_of_bare_updates(dynalease::client& client, std::size_t count) {
    co_await bench::bare_updates(client, "bench", width, 4 * width);
    const support::stopwatch watch;
    co_await bench::bare_updates(client, "bench", width, count);
    co_return watch.seconds();
}

asio::awaitable<void> measure(dynalease::client& client, std::size_t count, bench::goals& reached) {
    co_await dynalease::create_table(client, "bench");
    dynalease::session_options options;
    options.table = "bench";
    dynalease::session session{client, options};
    const auto bare_seconds = co_await seconds_of_bare_updates(client, count);
    dynalease::lock first{session, "first"};
    auto first_guard = co_await first.acquire();

    const auto resident = support::resident_kib();
    const auto allocated = support::allocated_bytes();
    std::vector<dynalease::lock_guard> held(count);
    const support::stopwatch acquiring;
    co_await support::at_once(width, count, [&](std::size_t i) { return acquire(session, held, i); });
    const auto acquire_seconds = acquiring.seconds();
    const auto leases = static_cast<double>(count);
    const auto resident_each = (static_cast<double>(support::resident_kib()) - static_cast<double>(resident)) / leases;
    const auto allocated_each =
        (static_cast<double>(support::allocated_bytes()) - static_cast<double>(allocated)) / 1024 / leases;

    asio::steady_timer timer(client.get_executor(), idle_time);
    const auto heartbeats = session.counters().heartbeats_sent;
    const support::stopwatch idling;
    co_await timer.async_wait(asio::deferred);
    const auto cpu_percent = 100 * idling.cpu_seconds() / idling.seconds();
    const auto beats = session.counters().heartbeats_sent - heartbeats;
    const auto held_at_the_end = session.counters().leases_held;

    constexpr double most_kib = 1;
    constexpr double most_percent = 1;
    reached.at_most("held_leases_memory", resident_each, most_kib);
    reached.counted_at_most("held_leases_allocated", allocated_each, most_kib);
    reached.at_most("held_leases_cpu", cpu_percent, most_percent);
    print(row("held_leases_memory", count).add("malloc_kib", allocated_each), resident_each, "KiB of RSS per lease",
          "budget", most_kib);
    print(row("held_leases_cpu", count).add("heartbeats", beats), cpu_percent, "% of a core while idle", "budget",
          most_percent);
    print(row("held_leases_acquire", count), acquire_seconds, "s to acquire them all, 64 at once",
          "as many bare signed UpdateItem through the same client", bare_seconds);

    dynalease::close_options leave;
    leave.release = false;
    co_await session.close(leave);
    client.close();
    if (held_at_the_end != count + 1) throw std::runtime_error("leases were lost while idle");
}

int run_one(std::size_t count) {
    const support::local_server server;
    asio::io_context io{1};
    dynalease::client client{io.get_executor(), support::local_client_options(server.endpoint())};
    bench::goals reached;
    const int status = support::run(io, client.get_executor(), measure(client, count, reached));
    return status != 0 ? status : reached.status();
}

int run_all() {
    int status = 0;
    for (const auto* count : {"1000", "10000", "100000"}) {
        support::child_process run({support::own_path(), count});
        for (auto line = support::read_line(run.output()); !line.empty(); line = support::read_line(run.output())) {
            std::cout << line << std::endl;
        }
        status |= run.wait();
    }
    return status;
}

}  // namespace

int main(int count, char** values) {
    return count > 1 ? run_one(std::stoull(values[1])) : run_all();
}
