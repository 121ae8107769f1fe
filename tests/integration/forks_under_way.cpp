// What is held or under way when its process forks is the parent's: in the child it ends.
// SPDX-License-Identifier: BSL-1.0
#include "forked.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>

#include <cstdint>
#include <exception>
#include <optional>
#include <utility>

using namespace dynalease;
using namespace dynalease::tests;
using namespace std::chrono_literals;

namespace {

/// Of the parent: its children have copies.
wall_clock_guard guard_of_parent;

const item_ref account_of_ann{"accounts", {{"id", "ann"}}};

asio::awaitable<void> make_ann(client& shared) {
    put_item_request fresh{.table_name = "accounts", .new_item = {{"id", "ann"}}};
    co_await shared.execute(std::move(fresh));
}

/// Looks at the copy of its parent's guard, and ends it.
asio::awaitable<void> end_copied_guard(client& shared, finding& found) {
    found.valid = guard_of_parent.held();
    auto [code] = co_await guard_of_parent.release(asio::as_tuple(asio::deferred));
    found.holds = !code;
    guard_of_parent = {};
    co_await dynalease::sleep(shared, 300ms);  // whatever that sends has been sent
}

asio::awaitable<void> hold_by_clock(client& shared) {
    co_await make_ann(shared);
    const wall_clock_lock ann{shared, account_of_ann};
    guard_of_parent = co_await ann.acquire();
}

/// How the acquire ended that was under way at the fork: each process has its own copy of it.
std::optional<error_code> end_of_acquire;

asio::awaitable<void> acquire_by_clock(client& shared) {
    const wall_clock_lock ann{shared, account_of_ann};
    auto [code, guard] = co_await ann.acquire(asio::as_tuple(asio::deferred));
    end_of_acquire = code;
    guard_of_parent = std::move(guard);
}

asio::awaitable<void> await_copied_acquire(client& shared, finding& found) {
    while (!end_of_acquire) co_await dynalease::sleep(shared, 1ms);
    found.valid = guard_of_parent.held();
    found.holds = end_of_acquire != errc::shut_down;
    guard_of_parent = {};
    co_await dynalease::sleep(shared, 300ms);  // whatever that sends has been sent
}

asio::awaitable<void> try_by_clock(client& another, bool& got) {
    const wall_clock_lock ann{another, account_of_ann};
    const auto guard = co_await ann.try_acquire();
    got = guard.held();
}

std::optional<session> session_of_parent;
lock_guard lock_of_parent;

asio::awaitable<void> hold_lock(client& shared) {
    session_options options{.table = "coordination"};
    session_of_parent.emplace(shared, options);
    const lock x{*session_of_parent, "x"};
    lock_of_parent = co_await x.acquire();
}

asio::awaitable<void> make_fence(client&, finding& found) {
    found.holds = true;
    try {
        lock_of_parent.fence();
    } catch (const error& why) {
        found.holds = why.code() != errc::lock_lost;
    }
    co_return;
}

/// Of runs and updates that were under way at the fork: each process has its own copies of them.
int ended = 0;
int done_well = 0;

void note_end(std::exception_ptr why) {
    ++ended;
    done_well += why ? 0 : 1;
}

asio::awaitable<void> add_by_run(client& shared, run_options options) {
    const transactions all{shared};
    const versioned_items accounts{shared, {.table = "accounts", .key = "id"}};
    const auto body = [&](transaction& tx) -> asio::awaitable<void> {
        auto seen = co_await tx.get(accounts, "ann");
        co_await dynalease::sleep(shared, 20ms);
        seen->insert_or_assign("balance", find_integer(*seen, "balance").value_or(0) + 1);
        tx.put(accounts, *seen);
    };
    co_await all.run(body, std::move(options));
}

asio::awaitable<void> add_by_update(client& shared) {
    const versioned_items accounts{shared, {.table = "accounts", .key = "id"}};
    const auto more = [](item was) {
        was.insert_or_assign("balance", find_integer(was, "balance").value_or(0) + 1);
        return was;
    };
    co_await accounts.update("ann", more);
}

constexpr int under_way = 12;

void begin_adding(asio::io_context& context, client& shared) {
    for (int i = 0; i < under_way / 3; ++i) {
        asio::co_spawn(context, add_by_run(shared, {}), note_end);
        asio::co_spawn(context, add_by_run(shared, {.tier = transaction_tier::inline_undo}), note_end);
        asio::co_spawn(context, add_by_update(shared), note_end);
    }
}

asio::awaitable<void> await_copies(client& shared, finding& found) {
    const int before = done_well;
    while (ended < under_way) co_await dynalease::sleep(shared, 1ms);
    found.valid = done_well == before;
}

}  // namespace

TEST_CASE("an item that is locked by the wall clock is the parent's, whatever becomes of a child's copy of the guard") {
    served at;
    asio::io_context context{1};
    client shared{context.get_executor(), options_for(at.server)};
    at.serve_while(context, hold_by_clock(shared));
    REQUIRE(guard_of_parent.held());
    context.restart();
    {
        worker child(context, shared, &end_copied_guard);
        const served::open answering(at);
        const auto found = child.go();
        CHECK_FALSE(found.valid);
        CHECK_FALSE(found.holds);
    }
    CHECK(guard_of_parent.held());
    bool taken = true;
    at.serve_while(context, try_by_clock(shared, taken));
    CHECK_FALSE(taken);
    CHECK(guard_of_parent.held());
    guard_of_parent = {};
}

TEST_CASE("an acquire by the wall clock that is under way at a fork is the parent's") {
    served at;
    asio::io_context context{1};
    client shared{context.get_executor(), options_for(at.server)};
    at.serve_while(context, make_ann(shared));
    // Nobody serves: the write is on its way.
    end_of_acquire.reset();
    asio::co_spawn(context, acquire_by_clock(shared), asio::detached);
    context.restart();
    context.run_for(100ms);
    REQUIRE_FALSE(end_of_acquire);
    {
        worker child(context, shared, &await_copied_acquire);
        const served::open answering(at);
        const auto found = child.go();
        CHECK_FALSE(found.valid);
        CHECK_FALSE(found.holds);
        while (!end_of_acquire) context.run_one();
        CHECK(*end_of_acquire == error_code());
    }
    CHECK(guard_of_parent.held());
    bool taken = true;
    at.serve_while(context, try_by_clock(shared, taken));
    CHECK_FALSE(taken);
    guard_of_parent = {};
}

TEST_CASE("a child has no fence of a lock that its parent holds, who goes on having one") {
    served at;
    asio::io_context context{1};
    client shared{context.get_executor(), options_for(at.server)};
    at.serve_while(context, hold_lock(shared));
    context.restart();
    {
        worker child(context, shared, &make_fence);
        CHECK_FALSE(child.go().holds);
    }
    CHECK_NOTHROW(lock_of_parent.fence());
    lock_of_parent = {};
    session_of_parent.reset();
}

TEST_CASE("runs and updates that are under way at a fork, or stand in line, are the parent's") {
    const auto before_the_fork = GENERATE(5ms, 30ms, 60ms);
    served at;
    asio::io_context context{1};
    client shared{context.get_executor(), options_for(at.server)};
    at.serve_while(context, make_ann(shared));
    ended = done_well = 0;
    {
        const served::open answering(at);
        context.restart();
        begin_adding(context, shared);
        context.run_for(before_the_fork);
    }
    {
        worker child(context, shared, &await_copies);
        const served::open answering(at);
        const auto found = child.go();
        CHECK(found.valid);
        while (ended < under_way) context.run_one();
    }
    CHECK(done_well == under_way);
    std::int64_t balance = 0;
    at.serve_while(context, read_balance(shared, balance));
    CHECK(balance == under_way);
}
