// Who gets through where many want the same, and by how many requests: 64 processes move money between few accounts, in
// a simulated world in which a request takes 5 ms, one of several actions 10 ms. All figures follow from the schedule
// alone.
//
// usage: bench_contention [SECONDS [PROCESSES]]
// SPDX-License-Identifier: BSL-1.0
#include "support/json_line.hpp"

#include <dynalease/testing/running.hpp>
#include <dynalease/transaction.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/describe/class.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

struct account {
    std::string name{};
    std::int64_t balance = 0;
};
BOOST_DESCRIBE_STRUCT(account, (), (name, balance))

struct setting {
    std::string name;
    std::size_t width;  ///< processes
    std::size_t accounts;
    std::chrono::milliseconds thought;  ///< of a body, between its reads and its writes
    dynalease::transaction_tier tier;
};

/// What a process has sent.
struct sent {
    std::size_t requests = 0;
    std::size_t calls = 0;  ///< of them, of several actions
};

struct outcome {
    std::vector<double> seconds{};        ///< that each transfer took which was committed
    std::vector<std::size_t> requests{};  ///< that each of them took
    std::size_t calls = 0;
    std::size_t given_up = 0;
    std::size_t attempts = 0;
    bool over = false;
};

std::string name_of(std::size_t number) {
    return "account-" + std::to_string(number);
}

/// One process, which begins the next transfer as soon as the last one is over.
asio::awaitable<void> go_on(const dynalease::testing::node& in, const setting& how, std::uint64_t seed,
                            const sent& so_far, outcome& into) {
    const dynalease::versioned<account> book(in.database(), {.table = "accounts", .key = "name"});
    const dynalease::transactions all(in.database());
    std::mt19937_64 chance(seed);
    const dynalease::run_options options{.tier = how.tier};
    while (!into.over) {
        const auto from = chance() % how.accounts;
        const auto to = (from + 1 + chance() % (how.accounts - 1)) % how.accounts;
        auto move = [&](dynalease::transaction& tx) -> asio::awaitable<void> {
            ++into.attempts;
            auto payer = co_await tx.get(book, name_of(from));
            auto payee = co_await tx.get(book, name_of(to));
            co_await dynalease::testing::sleep(in, how.thought);
            --payer->balance;
            ++payee->balance;
            tx.put(book, *payer);
            tx.put(book, *payee);
        };
        const auto began = in.environment().clock->now();
        const auto before = so_far;
        try {
            co_await all.run(move, options);
            into.seconds.push_back(std::chrono::duration<double>(in.environment().clock->now() - began).count());
            into.requests.push_back(so_far.requests - before.requests);
            into.calls += so_far.calls - before.calls;
        } catch (const dynalease::error&) {
            ++into.given_up;
        }
    }
}

void measure(const setting& how, std::chrono::seconds time) {
    dynalease::testing::world where(1);
    where.create_table("coordination");
    where.call(dynalease::create_table_request{.table_name = "accounts", .key = {.hash = {.name = "name"}}});
    for (std::size_t i = 0; i < how.accounts; ++i) {
        where.call(dynalease::put_item_request{.table_name = "accounts",
                                               .new_item = {{"name", name_of(i)}, {"balance", 1000}}});
    }
    std::vector<std::unique_ptr<dynalease::testing::node>> nodes;
    std::vector<dynalease::testing::running> callers;
    std::vector<sent> counts(how.width);
    outcome all;
    for (std::size_t i = 0; i < how.width; ++i) {
        nodes.push_back(
            std::make_unique<dynalease::testing::node>(where, dynalease::testing::node_options{.seed = i + 1}));
        auto& network = nodes.back()->network();
        network.keep_log(false);
        network.set_plan([&count = counts[i]](const dynalease::any_request& request, const dynalease::call_options&) {
            const bool joint = std::holds_alternative<dynalease::transact_write_items_request>(request);
            ++count.requests;
            if (joint) ++count.calls;
            const auto way = joint ? 5ms : 2500us;
            return dynalease::testing::fault{.before = way, .after = way};
        });
        callers.emplace_back(where, *nodes.back(), go_on(*nodes.back(), how, i + 1, counts[i], all));
    }
    where.run_for(time);
    all.over = true;
    where.run_for(40s);
    std::ranges::sort(all.seconds);
    std::ranges::sort(all.requests);
    const auto requests = std::accumulate(all.requests.begin(), all.requests.end(), std::size_t{0});
    const auto done = all.seconds.size();
    const auto tried = static_cast<double>(done + all.given_up);
    support::json_line()
        .add("bench", how.name)
        .add("accounts", how.accounts)
        .add("contenders", how.width)
        .add("thought_ms", static_cast<std::size_t>(how.thought.count()))
        .add("value", static_cast<double>(done) / static_cast<double>(time.count()), 1)
        .add("unit", "transfers per second")
        .add("given_up", static_cast<double>(all.given_up) / tried)
        .add("attempts_per_transfer", static_cast<double>(all.attempts) / tried)
        .add("requests_per_transfer", done == 0 ? 0.0 : static_cast<double>(requests) / static_cast<double>(done))
        .add("of_several_actions", done == 0 ? 0.0 : static_cast<double>(all.calls) / static_cast<double>(done))
        .add("requests_median", done == 0 ? 0 : all.requests[done / 2])
        .add("requests_p99", done == 0 ? 0 : all.requests[done * 99 / 100])
        .add("median_s", done == 0 ? 0.0 : all.seconds[done / 2])
        .add("p99_s", done == 0 ? 0.0 : all.seconds[done * 99 / 100])
        .add("longest_s", done == 0 ? 0.0 : all.seconds.back())
        .add("simulated", true)
        .print();
}

}  // namespace

int main(int count, char** values) {
    const std::chrono::seconds time(count > 1 ? std::stoul(values[1]) : 60);
    const std::size_t width = count > 2 ? std::stoul(values[2]) : 64;
    for (const std::size_t accounts : {10U, 2U}) {
        for (const auto thought : {0ms, 20ms}) {
            measure({"contention_automatic", width, accounts, thought, dynalease::transaction_tier::automatic}, time);
            measure({"contention_locked", width, accounts, thought, dynalease::transaction_tier::locked_commit}, time);
        }
    }
}
