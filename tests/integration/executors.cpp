// Where callers' code runs, on real executors: never within the library's own strand, unless they ask for that. And
// callers on several threads at once.
// SPDX-License-Identifier: BSL-1.0
#include "primitives.hpp"

#include <dynalease/dynalease.hpp>
#include <dynalease/local/database.hpp>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>

#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace asio = boost::asio;
using namespace dynalease;
using namespace dynalease::tests;
using namespace std::chrono_literals;

namespace {

constexpr auto outcome_only = asio::as_tuple(asio::deferred);

/// Whether the library goes on while this thread does something else: what a long computation would need.
bool goes_on_beside(const local::database& store) {
    auto listed = store.execute(list_tables_request{}, {}, asio::use_future);
    return listed.wait_for(10s) == std::future_status::ready;
}

struct workers {
    asio::thread_pool pool{2};
    local::database store{pool.get_executor()};

    ~workers() {
        pool.stop();
        pool.join();
    }
};

asio::awaitable<bool> compute_in_a_coroutine(local::database store) {
    list_tables_request request;
    co_await store.execute(request);
    co_return goes_on_beside(store);
}

asio::awaitable<void> compute_under_a_lock(const local::database* store, bool* free) {
    *free = goes_on_beside(*store);
    co_return;
}

asio::awaitable<bool> compute_in_a_body(local::database store) {
    co_await create_table(store, "coordination");
    session_options options{.table = "coordination"};
    session mine{store, options};
    lock x{mine, "x"};
    bool free = false;
    auto body = [&](lock_guard&) { return compute_under_a_lock(&store, &free); };
    co_await with_lock(x, body);
    co_await mine.close();
    co_return free;
}

}  // namespace

TEST_CASE("a coroutine that computes after a verb does not hold up the library") {
    workers two;
    CHECK(asio::co_spawn(two.pool, compute_in_a_coroutine(two.store), asio::use_future).get());
    const auto own_strand = asio::make_strand(two.pool);
    CHECK(asio::co_spawn(own_strand, compute_in_a_coroutine(two.store), asio::use_future).get());
    CHECK(asio::co_spawn(two.pool, compute_in_a_body(two.store), asio::use_future).get());
}

TEST_CASE("a handler that computes on an executor of its own does not hold up the library") {
    workers two;
    const bool on_strand = GENERATE(false, true);
    asio::any_io_executor where = two.pool.get_executor();
    if (on_strand) where = asio::make_strand(two.pool);
    const bool erased = GENERATE(false, true);
    std::promise<bool> told;
    auto handler = asio::bind_executor(
        where, [&](error_code, const list_tables_response&) { told.set_value(goes_on_beside(two.store)); });
    if (erased) {
        two.store.execute(list_tables_request{}, {},
                          asio::any_completion_handler<void(error_code, list_tables_response)>(std::move(handler)));
    } else {
        two.store.execute(list_tables_request{}, {}, std::move(handler));
    }
    CHECK(told.get_future().get());
}

namespace {

/// The table, and an item to lock.
asio::awaitable<void> prepare(local::database store) {
    co_await create_table(store, "coordination");
    put_item_request put{.table_name = "coordination", .new_item = items::key_of("x")};
    co_await store.execute(std::move(put));
}

asio::awaitable<void> mark_dead(local::database store, std::string id) {
    update_item_request mark{.table_name = "coordination", .key = {{"pk", "session#" + id}, {"sk", "-"}}};
    mark.update_expression = "SET #s = :dead";
    mark.names = {{"#s", "state"}};
    mark.values = {{":dead", "dead"}};
    co_await store.execute(std::move(mark));
}

template <class Primitive>
asio::awaitable<error_code> lose_and_close(local::database store, bool by_callback) {
    co_await prepare(store);
    session_options options{.table = "coordination", .lease = 1s, .begins_anew = false};
    session mine{store, options};
    auto x = Primitive::of(mine, "x");
    auto guard = co_await Primitive::take(x);
    co_await mark_dead(store, mine.id());
    auto [over] = co_await mine.over(outcome_only);
    if (by_callback) mine.close({}, [](error_code, const close_report&) {});
    auto [closed, report] = co_await mine.close({}, outcome_only);
    co_return closed ? closed : over;
}

}  // namespace

TEMPLATE_TEST_CASE("a session that was lost can be closed, wherever the caller runs", "", locks, queues, items) {
    workers two;
    const bool on_our_strand = GENERATE(false, true);
    asio::any_io_executor where = two.pool.get_executor();
    if (on_our_strand) where = two.store.get_executor();
    const bool by_callback = GENERATE(false, true);
    auto closed = asio::co_spawn(where, lose_and_close<TestType>(two.store, by_callback), asio::use_future);
    REQUIRE(closed.wait_for(10s) == std::future_status::ready);
    CHECK(closed.get() == errc::session_lost);
}

namespace {

struct counted {
    std::atomic<int> inside{0};
    std::atomic<int> most{0};
    std::atomic<int> done{0};
};

template <class Primitive>
asio::awaitable<void> take_turns(typename Primitive::target target, int rounds, counted& seen) {
    for (int i = 0; i < rounds; ++i) {
        auto guard = co_await Primitive::take(target);
        const int now = ++seen.inside;
        if (now > seen.most) seen.most = now;
        --seen.inside;
        // Every second time it is only dropped.
        if (i % 2 == 0) co_await Primitive::give_back(guard);
        ++seen.done;
    }
}

template <class Primitive>
asio::awaitable<void> crowd(local::database store, int callers, int rounds, counted& seen) {
    co_await prepare(store);
    session_options options{.table = "coordination"};
    session first{store, options};
    session second{store, options};
    std::vector<std::future<void>> all;
    const auto executor = co_await asio::this_coro::executor;
    for (int i = 0; i < callers; ++i) {
        auto target = Primitive::of(i % 3 == 0 ? second : first, "x");
        all.push_back(
            asio::co_spawn(executor, take_turns<Primitive>(std::move(target), rounds, seen), asio::use_future));
    }
    for (auto& each : all) {
        while (each.wait_for(0s) != std::future_status::ready) co_await dynalease::sleep(store, 5ms);
        each.get();
    }
    co_await first.close();
    co_await second.close();
}

}  // namespace

TEMPLATE_TEST_CASE("callers on several threads have it one after the other", "", locks, queues, items) {
    constexpr int callers = 24;
    constexpr int rounds = 3;
    asio::thread_pool pool{4};
    local::database store{pool.get_executor()};
    counted seen;
    auto over = asio::co_spawn(pool, crowd<TestType>(store, callers, rounds, seen), asio::use_future);
    REQUIRE(over.wait_for(60s) == std::future_status::ready);
    over.get();
    CHECK(seen.most == 1);
    CHECK(seen.done == callers * rounds);
    pool.stop();
    pool.join();
}
