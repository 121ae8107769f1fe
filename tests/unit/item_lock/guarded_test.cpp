// Guarded writes: only while the lock is ours, exactly once, and in step with optimistic saves.
// SPDX-License-Identifier: BSL-1.0
#include "support/till.hpp"

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

asio::awaitable<void> add_if_rich(item_guard& guard, bool last) {
    auto change = add("amount", 1);
    auto rich = attr("amount") > 100;
    if (last) {
        co_await guard.update_and_release(std::move(change), std::move(rich));
    } else {
        co_await guard.update(std::move(change), std::move(rich));
    }
}

asio::awaitable<void> erase_item(item_guard& guard) {
    co_await guard.erase();
}

asio::awaitable<void> set_reserved(item_guard& guard) {
    auto change = set("_lockF", 1);
    co_await guard.update(std::move(change));
}

asio::awaitable<void> fenced_write(node& in, const item_guard& guard) {
    transact_write_items_request request;
    request.actions.push_back(guard.fence());
    request.actions.push_back(transact_put{.table_name = table, .new_item = {{"pk", "log"}, {"sk", "-"}}});
    co_await database(in.network).execute(std::move(request));
}

}  // namespace

TEST_CASE("a holder that was taken over writes nothing any more") {
    till_world w;
    node a(w, 1);
    node b(w, 2);
    item_guard old;
    item_guard now;
    run(w, a, take(item_lock{*a.session, till()}, old));
    a.process->pause();
    running waits(w, b, take(item_lock{*b.session, till()}, now));
    waits.wait(30s);
    run(w, b, add_to(now, 1));
    error_code code;
    running late(w, a, code_of(add_to(old, 100), code));
    a.process->resume();
    late.wait(30s);
    CHECK(code == condition::lost);
    CHECK(w.amount() == 1);
    CHECK(now.held());
    CHECK(now.fencing_token() > old.fencing_token());
}

TEST_CASE("a guarded write raises the version, and leaves the item to its own attributes") {
    till_world w;
    node a(w);
    item_guard guard;
    run(w, a, take(item_lock{*a.session, till()}, guard));
    CHECK(*find_integer(w.stored(), "version") == 7);
    run(w, a, add_to(guard, 1));
    CHECK(*find_integer(w.stored(), "version") == 8);
    CHECK(w.stored().contains("_stamp"));
    run(w, a, give_back(guard));
    CHECK(*find_integer(w.stored(), "version") == 8);
}

TEST_CASE("the caller's own condition decides about the write, not about the guard") {
    till_world w;
    node a(w);
    item_guard guard;
    item_lock lock{*a.session, till()};
    run(w, a, take(lock, guard));
    error_code code;
    run(w, a, code_of(add_if_rich(guard, false), code));
    CHECK(code == errc::condition_failed);
    CHECK(guard.held());
    run(w, a, add_to(guard, 3));
    code = {};
    run(w, a, code_of(add_if_rich(guard, true), code));
    CHECK(code == errc::condition_failed);
    CHECK_FALSE(guard.held());
    CHECK(w.amount() == 3);
    CHECK(w.unlocked());
}

TEST_CASE("erasing takes the lock along with the item") {
    till_world w;
    node a(w);
    item_guard guard;
    run(w, a, take(item_lock{*a.session, till()}, guard));
    run(w, a, erase_item(guard));
    CHECK(w.stored().empty());
    CHECK(a.session->counters().leases_held == 0);
}

TEST_CASE("attributes of the library are not for users to write") {
    till_world w;
    node a(w);
    item_guard guard;
    run(w, a, take(item_lock{*a.session, till()}, guard));
    a.network->clear_log();
    error_code code;
    run(w, a, code_of(set_reserved(guard), code));
    CHECK(code == errc::reserved_name);
    CHECK(a.network->log().empty());
    CHECK(guard.held());
}

TEST_CASE("the fence lets writes to other items through only while the grant is in force") {
    till_world w;
    node a(w, 1);
    node b(w, 2);
    item_guard old;
    item_guard now;
    run(w, a, take(item_lock{*a.session, till()}, old));
    run(w, a, fenced_write(a, old));
    CHECK_FALSE(w.row("log").empty());
    a.process->pause();
    running waits(w, b, take(item_lock{*b.session, till()}, now));
    waits.wait(30s);
    a.process->resume();
    error_code code;
    run(w, a, code_of(fenced_write(a, old), code));
    CHECK(code == errc::transaction_canceled);
    code = {};
    run(w, b, code_of(fenced_write(b, now), code));
    CHECK_FALSE(code);
}

TEST_CASE("an empty guard holds nothing") {
    item_guard none;
    CHECK_FALSE(none);
    CHECK_FALSE(none.held());
    CHECK(none.state() == guard_state::empty);
    CHECK(none.fencing_token() == 0);
    CHECK_THROWS_AS(none.fence(), error);
    world w;
    node a(w);
    error_code code;
    run(w, a, code_of(give_back(none), code));
    CHECK(code == errc::not_held);
    code = {};
    run(w, a, code_of(add_to(none, 1), code));
    CHECK(code == errc::not_held);
}
