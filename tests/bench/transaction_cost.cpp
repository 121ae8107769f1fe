// What a transaction of N items costs, by each tier: writes, units of capacity, and time. The locked one has met with a
// conflict before, which is one call more.
//
// usage: bench_transaction_cost [LARGEST]; exits with 1 if one takes other than its requests, or misses its goal: 0.45
// of the writes of the published design, from ten items on.
// SPDX-License-Identifier: BSL-1.0
#include "bench/goals.hpp"
#include "support/json_line.hpp"
#include "support/local_server.hpp"
#include "support/run_awaitable.hpp"
#include "support/stopwatch.hpp"

#include <dynalease/client.hpp>
#include <dynalease/coordination_table.hpp>
#include <dynalease/dynamodb/expression.hpp>
#include <dynalease/transaction.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace asio = boost::asio;

namespace {

using dynalease::transaction_tier;

/// Asks the service what each request costs, and adds it up.
class meter final : public dynalease::database_backend {
public:
    explicit meter(dynalease::database inner) : inner_(std::move(inner)) {}

    const dynalease::environment& environment() const noexcept override { return inner_.environment(); }
    asio::awaitable<dynalease::result<dynalease::any_response>> perform(dynalease::any_request request,
                                                                        dynalease::call_options options) override {
        const bool writes = dynalease::is_write(request);
        std::visit(
            [](auto& each) {
                if constexpr (requires { each.report_capacity; }) each.report_capacity = true;
            },
            request);
        auto answer = co_await inner_.implementation()->perform(std::move(request), options);
        ++(writes ? writes_ : reads_);
        if (answer) {
            std::visit(
                [&](const auto& each) {
                    if constexpr (requires { each.consumed; }) add(each.consumed, writes);
                },
                *answer);
        }
        co_return answer;
    }

    void reset() { writes_ = reads_ = 0, write_units_ = read_units_ = 0; }
    std::size_t writes() const noexcept { return writes_; }
    std::size_t reads() const noexcept { return reads_; }
    double write_units() const noexcept { return write_units_; }
    double read_units() const noexcept { return read_units_; }

private:
    void add(const std::vector<dynalease::consumed_capacity>& all, bool writes) {
        for (const auto& each : all) (writes ? write_units_ : read_units_) += each.capacity_units;
    }
    void add(const std::optional<dynalease::consumed_capacity>& one, bool writes) {
        if (one) (writes ? write_units_ : read_units_) += one->capacity_units;
    }

    dynalease::database inner_;
    std::size_t writes_ = 0;
    std::size_t reads_ = 0;
    double write_units_ = 0;
    double read_units_ = 0;
};

dynalease::versioned_items table_in(dynalease::database database) {
    return {std::move(database), {.table = "bench", .key = "id"}};
}

std::string id_of(std::size_t number) {
    return "item-" + std::to_string(number);
}

/// The row of a transaction is finished after its caller was told.
asio::awaitable<void> until_finished(dynalease::transactions transactions) {
    while (true) {
        const auto left = co_await transactions.list();
        if (left.empty()) break;
    }
}

/// @param expected requests that write
double report(const std::string& name, const meter& metered, std::size_t count, double seconds, std::size_t expected) {
    const auto published = static_cast<double>(6 * count + 4);
    const auto ratio = static_cast<double>(metered.writes()) / published;
    support::json_line()
        .add("bench", name)
        .add("items", count)
        .add("value", metered.writes())
        .add("unit", "writes")
        .add("reference", "6N + 4, of the published design")
        .add("reference_value", published, 0)
        .add("ratio", ratio)
        .add("write_units", metered.write_units(), 1)
        .add("read_units", metered.read_units(), 1)
        .add("milliseconds", seconds * 1000, 2)
        .print();
    if (metered.writes() != expected) throw std::runtime_error(name + " takes other requests than it should");
    return ratio;
}

asio::awaitable<void> measure_one(std::shared_ptr<meter> metered, bench::goals& reached, transaction_tier tier,
                                  std::size_t count) {
    const dynalease::database database{metered};
    const auto table = table_in(database);
    const dynalease::transactions transactions{database};
    auto open = transactions.begin({.tier = tier});
    for (std::size_t i = 0; i < count; ++i) open.update(table, id_of(i), dynalease::add("balance", 1));
    metered->reset();
    const support::stopwatch watch;
    co_await open.commit();
    const auto seconds = watch.seconds();
    co_await until_finished(transactions);

    const bool native = tier == transaction_tier::native;
    const std::string name = native ? "transaction_cost_native" : "transaction_cost_undo";
    const auto ratio = report(name, *metered, count, seconds, native ? 1 : 2 * count + 3);
    if (!native && count >= 10) reached.at_most(name.c_str(), ratio, 0.45);
}

/// Whose first attempt met with a conflict, which is one call more.
asio::awaitable<void> measure_locked(std::shared_ptr<meter> metered, dynalease::database unmetered, std::size_t count) {
    const dynalease::database database{metered};
    const auto table = table_in(database);
    const auto of_another = table_in(std::move(unmetered));
    const dynalease::transactions transactions{database};
    unsigned attempts = 0;
    const auto raised = dynalease::add("balance", 1);
    const auto body = [&](dynalease::transaction& open) -> asio::awaitable<void> {
        co_await open.get(table, id_of(0));
        if (++attempts == 1) co_await of_another.blind(id_of(0), raised);
        for (std::size_t i = 0; i < count; ++i) open.update(table, id_of(i), raised);
    };
    metered->reset();
    const support::stopwatch watch;
    co_await transactions.run(body, {.tier = transaction_tier::locked_commit});
    const auto seconds = watch.seconds();
    co_await until_finished(transactions);
    report("transaction_cost_locked", *metered, count, seconds, 1 + count + 2);
}

asio::awaitable<void> measure(dynalease::client& client, bench::goals& reached, std::size_t largest) {
    dynalease::create_table_request make;
    make.table_name = "bench";
    make.key.hash.name = "id";
    co_await client.execute(make);
    co_await dynalease::create_table(client, "coordination");
    const auto table = table_in(client);
    for (std::size_t i = 0; i < largest; ++i) {
        const dynalease::item fresh{{"id", id_of(i)}, {"balance", 0}, {"text", std::string(300, 'x')}};
        co_await table.create(fresh);
    }
    const auto metered = std::make_shared<meter>(client);
    for (const std::size_t count : {1U, 10U, 100U}) {
        if (count <= largest) co_await measure_one(metered, reached, transaction_tier::native, count);
    }
    for (const std::size_t count : {1U, 10U, 100U, 500U}) {
        if (count <= largest) co_await measure_one(metered, reached, transaction_tier::inline_undo, count);
    }
    for (const std::size_t count : {1U, 10U, 99U}) {
        if (count <= largest) co_await measure_locked(metered, client, count);
    }
    client.close();
}

}  // namespace

int main(int argument_count, char** values) {
    const support::local_server server;
    asio::io_context io{1};
    auto options = support::local_client_options(server.endpoint());
    options.connections = 32;
    dynalease::client client{io.get_executor(), options};
    const std::size_t largest = argument_count > 1 ? std::stoull(values[1]) : 500;
    bench::goals reached;
    const int status = support::run(io, client.get_executor(), measure(client, reached, largest));
    return std::max(status, reached.status());
}
