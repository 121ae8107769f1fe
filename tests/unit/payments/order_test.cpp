// An order of more articles than one request of the service takes: stock, order and payment happen together, also when
// the process that began it dies in the middle.
// SPDX-License-Identifier: BSL-1.0
#include "payment_world.hpp"

#include <dynalease/dynamodb/batches.hpp>
#include <dynalease/transaction.hpp>

#include <boost/describe/class.hpp>

using namespace payments;
using namespace payments::tests;

namespace {

struct stock_row {
    std::string pk{};
    std::string sk{};
    std::int64_t left = 0;
};
BOOST_DESCRIBE_STRUCT(stock_row, (), (pk, sk, left))
struct order_row {
    std::string pk{};
    std::string sk{};
    std::int64_t articles = 0;
};
BOOST_DESCRIBE_STRUCT(order_row, (), (pk, sk, articles))

constexpr std::int64_t articles = 120;
constexpr std::int64_t in_stock = 10;

struct shop {
    explicit shop(dynalease::database where)
        : stock(where, {.table = payments_table, .key = "pk", .sort_key = "sk"}),
          orders(where, {.table = payments_table, .key = "pk", .sort_key = "sk"}),
          rows(where),
          transactions(where, {.table = coordination_table}) {}
    dynalease::versioned<stock_row> stock;
    dynalease::versioned<order_row> orders;
    tables rows;
    dynalease::transactions transactions;
};

std::string article(std::int64_t number) {
    return "ARTICLE#" + std::to_string(number);
}

asio::awaitable<int> fill(shop& in) {
    for (std::int64_t i = 0; i < articles; ++i) {
        const stock_row row{article(i), "STOCK", in_stock};
        co_await in.stock.create(row);
    }
    co_return 0;
}

/// One of each article, the order itself, and its payment: all, or nothing.
asio::awaitable<void> place(shop& in, dynalease::transaction& tx, std::string order) {
    for (std::int64_t i = 0; i < articles; ++i) {
        auto taken = dynalease::add("left", -1);
        auto some_left = dynalease::attr("left") > 0;
        tx.update(in.stock, {article(i), "STOCK"}, std::move(taken), std::move(some_left));
    }
    tx.insert(in.orders, order_row{"ORDER#" + order, "ORDER", articles});
    auto payment = payment_intent::create("pi_" + order, "cust_1", articles, "USD");
    tx.insert(in.rows.intents, row_of(payment.data()));
    co_return;
}

asio::awaitable<int> order_once(shop& in, std::string order) {
    const dynalease::run_options once_only{.id = "order-" + order};
    auto body = [&](dynalease::transaction& tx) { return place(in, tx, order); };
    co_await in.transactions.run(body, once_only);
    co_return 0;
}

std::int64_t sum_of_stock(payment_world& world) {
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < articles; ++i) {
        sum += dynalease::find_integer(world.row(article(i), "STOCK").value(), "left").value();
    }
    return sum;
}

asio::awaitable<int> move_one(shop& in, std::int64_t from, std::int64_t to) {
    auto body = [&in, from, to](dynalease::transaction& tx) -> asio::awaitable<void> {
        const dynalease::key_values source{article(from), "STOCK"};
        const dynalease::key_values target{article(to), "STOCK"};
        auto here = co_await tx.get(in.stock, source);
        auto there = co_await tx.get(in.stock, target);
        --here->left;
        ++there->left;
        tx.put(in.stock, *here);
        tx.put(in.stock, *there);
    };
    co_await in.transactions.run(body);
    co_return 0;
}

}  // namespace

TEST_CASE("order, stock of 120 articles and payment happen together, though their coordinator dies", "[order]") {
    const int writes_before_death = GENERATE(3, 60, 124, 130, 200);
    payment_world world;
    node dies(world.simulated, {.seed = 1});
    shop first(dies.database());
    dynalease::testing::run(world.simulated, dies, fill(first));
    int writes = 0;
    dies.network().set_plan([&](const dynalease::any_request& request, const dynalease::call_options&) {
        fault fate;
        if (dynalease::is_write(request) && ++writes > writes_before_death) fate.what = fault::kind::hold;
        return fate;
    });
    running begun(world.simulated, dies,
                  [](shop& in) -> asio::awaitable<void> { co_await order_once(in, "4711"); }(first));
    world.simulated.run_for(3s);
    dies.crash();

    node lives(world.simulated, {.seed = 2});
    shop second(lives.database());
    dynalease::testing::run(world.simulated, lives, order_once(second, "4711"));  // by its id: resumed, not repeated
    CHECK(world.row("ORDER#4711", "ORDER"));
    CHECK(world.intent("pi_4711").state == intent_state::CREATED);
    CHECK(sum_of_stock(world) == articles * (in_stock - 1));
    dynalease::testing::run(world.simulated, lives, order_once(second, "4711"));
    CHECK(sum_of_stock(world) == articles * (in_stock - 1));
}

TEST_CASE("an order that one article is short of takes nothing of any", "[order]") {
    payment_world world;
    node machine(world.simulated, {.seed = 1});
    shop in(machine.database());
    dynalease::testing::run(world.simulated, machine, fill(in));
    const stock_row none{article(77), "STOCK", 0};
    auto emptying = [](shop& of, stock_row row) -> asio::awaitable<int> {
        co_await of.stock.clobber(row);
        co_return 0;
    };
    dynalease::testing::run(world.simulated, machine, emptying(in, none));
    CHECK_THROWS_AS(dynalease::testing::run(world.simulated, machine, order_once(in, "4711")), dynalease::error);
    world.simulated.run_for(1min);
    CHECK(sum_of_stock(world) == (articles - 1) * in_stock);
    CHECK_FALSE(world.row("ORDER#4711", "ORDER"));
    CHECK_FALSE(world.row("INTENT#pi_4711", "INTENT"));
}

TEST_CASE("totals are conserved under transfers at once, beside an order", "[order]") {
    payment_world world(99);
    node one(world.simulated, {.seed = 1});
    node two(world.simulated, {.seed = 2});
    shop first(one.database());
    shop second(two.database());
    dynalease::testing::run(world.simulated, one, fill(first));
    const auto transfers = [](shop& in, std::int64_t step) -> asio::awaitable<void> {
        for (std::int64_t i = 0; i < 20; ++i) co_await move_one(in, i * step % 7, 7 + i % 3);
    };
    running a(world.simulated, one, transfers(first, 1));
    running b(world.simulated, two, transfers(second, 3));
    running c(world.simulated, one, [](shop& in) -> asio::awaitable<void> { co_await order_once(in, "4711"); }(first));
    a.wait();
    b.wait();
    c.wait();
    CHECK(sum_of_stock(world) == articles * (in_stock - 1));
    CHECK(world.row("ORDER#4711", "ORDER"));
}
