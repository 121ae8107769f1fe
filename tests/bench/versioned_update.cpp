// What an optimistic update costs: requests without contention and with contenders, and updates per second.
//
// usage: bench_versioned_update [UPDATES]; exits with 1 if an update takes other than its requests.
// SPDX-License-Identifier: BSL-1.0
#include "support/at_once.hpp"
#include "support/json_line.hpp"
#include "support/local_server.hpp"
#include "support/requests_sent.hpp"
#include "support/run_awaitable.hpp"
#include "support/stopwatch.hpp"

#include <dynalease/client.hpp>
#include <dynalease/versioned.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/describe/class.hpp>

#include <stdexcept>
#include <string>
#include <utility>

namespace asio = boost::asio;

namespace {

struct counter {
    std::string id{};
    std::int64_t value = 0;
};
BOOST_DESCRIBE_STRUCT(counter, (), (id, value))

using counters = dynalease::versioned<counter>;
constexpr std::size_t width = 64;

struct tally {
    std::size_t runs = 0;  ///< of the function: one for each save that was tried
};

asio::awaitable<void> count(counters table, std::string id, std::size_t times, tally& seen) {
    dynalease::update_options how;
    how.tries = 100'000;
    how.wait = std::chrono::hours(1);
    for (std::size_t i = 0; i < times; ++i) {
        co_await table.update(
            id,
            [&seen](counter value) {
                ++seen.runs;
                ++value.value;
                return value;
            },
            how);
    }
}

asio::awaitable<void> create(counters table, std::string id) {
    const counter fresh{.id = std::move(id)};
    co_await table.create(fresh);
}

/// `contenders` updaters at once, on `items` counters in turn.
asio::awaitable<void> measure_contention(dynalease::client& client, counters table, std::size_t contenders,
                                         std::size_t items, std::size_t updates) {
    const auto prefix = std::to_string(contenders) + "-" + std::to_string(items) + "/";
    co_await support::at_once(width, items, [&](std::size_t i) { return create(table, prefix + std::to_string(i)); });
    const auto before = support::requests_sent(client);
    tally seen;
    const support::stopwatch watch;
    // Each piece of work is one update; with many items, each has its turn.
    co_await support::at_once(contenders, updates,
                              [&](std::size_t i) { return count(table, prefix + std::to_string(i % items), 1, seen); });
    const auto seconds = watch.seconds();
    const auto requests = support::requests_sent(client) - before;
    const auto conflicts = seen.runs - updates;
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < items; ++i) {
        auto found = co_await table.load(prefix + std::to_string(i));
        sum += found->value.value;
    }
    const auto each = static_cast<double>(requests) / static_cast<double>(updates);
    const auto due = 2 + static_cast<double>(conflicts) / static_cast<double>(updates);
    support::json_line()
        .add("bench", "versioned_update")
        .add("contenders", contenders)
        .add("items", items)
        .add("value", each)
        .add("unit", "requests per update")
        .add("reference", "a load, a save, and one more for each conflict")
        .add("reference_value", due)
        .add("ratio", each / due)
        .add("conflicts_per_update", due - 2)
        .add("updates_per_second", static_cast<double>(updates) / seconds, 0)
        .print();
    if (requests != 2 * updates + conflicts) throw std::runtime_error("an update takes other requests than it should");
    if (sum != static_cast<std::int64_t>(updates)) throw std::runtime_error("an update was lost, or applied twice");
}

asio::awaitable<void> measure(dynalease::client& client, std::size_t updates) {
    dynalease::create_table_request make;
    make.table_name = "bench";
    make.key.hash.name = "id";
    co_await client.execute(make);
    const counters table{client, {.table = "bench", .key = "id"}};
    co_await measure_contention(client, table, 1, 1, updates / 4);
    for (const std::size_t contenders : {2U, 8U, 64U}) {
        co_await measure_contention(client, table, contenders, 1, updates / 4);
    }
    co_await measure_contention(client, table, width, 1'000, updates);
    client.close();
}

}  // namespace

int main(int argument_count, char** values) {
    const support::local_server server;
    asio::io_context io{1};
    auto options = support::local_client_options(server.endpoint());
    options.connections = width;
    dynalease::client client{io.get_executor(), options};
    const auto updates = argument_count > 1 ? std::stoull(values[1]) : 16'000;
    return support::run(io, client.get_executor(), measure(client, updates));
}
