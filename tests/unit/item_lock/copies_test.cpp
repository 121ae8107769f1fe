// Writes under an item's lock that the network repeats: the answer is that to the copy, which the first got refused.
// SPDX-License-Identifier: BSL-1.0
#include "support/till.hpp"

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;
using testing::fault;
using fault_kind = testing::fault::kind;

namespace {

constexpr fault repeated{.what = fault_kind::answer_copy, .copy = 5ms};

/// The item's writes meet these fates, one by one.
void item_writes_meet(node& of, std::vector<fault> fates) {
    of.network->set_plan(
        [fates = std::move(fates), next = 0U](const any_request& request, const call_options&) mutable {
            const auto* update = std::get_if<update_item_request>(&request);
            const bool its =
                std::holds_alternative<delete_item_request>(request) || (update && update->table_name == "tills");
            return its && next < fates.size() ? fates[next++] : fault{};
        });
}

/// An item that tells its lives and its writes apart.
struct born_till : till_world {
    explicit born_till(const item_lock_options& options = {}) : target{*a.session, till(), options} {
        const binary stamp(12, std::byte{1});
        put({{"id", "north"}, {"amount", 0}, {"version", 1}, {"_born", stamp}, {"_stamp", stamp}});
        run(*this, a, take(target, guard));
    }
    error_code code_after(asio::awaitable<void> step) {
        error_code code;
        run(*this, a, code_of(std::move(step), code));
        return code;
    }

    node a{*this};
    item_lock target;
    item_guard guard;
};

asio::awaitable<void> add_if(item_guard& guard, condition_expression condition) {
    auto change = add("amount", 5);
    co_await guard.update(std::move(change), std::move(condition));
}
asio::awaitable<void> release_if(item_guard& guard, condition_expression condition) {
    update_expression nothing;
    co_await guard.update_and_release(std::move(nothing), std::move(condition));
}
asio::awaitable<void> erase_till(item_guard& guard) {
    co_await guard.erase();
}

asio::awaitable<void> add_if_last(item_guard& guard, condition_expression condition) {
    auto change = add("amount", 5);
    co_await guard.update_and_release(std::move(change), std::move(condition));
}

}  // namespace

TEST_CASE("each write under a lock that the network repeats is told as what its first copy did") {
    born_till w;
    item_writes_meet(w.a, {repeated, repeated});
    CHECK_FALSE(w.code_after(add_to(w.guard, 5)));
    CHECK(w.guard.held());
    CHECK_FALSE(w.code_after(add_and_release(w.guard, 5)));
    CHECK(w.amount() == 10);
    CHECK(w.unlocked());
}

TEST_CASE("a release that the network repeats is told as done") {
    const bool reads = GENERATE(false, true);
    born_till w;
    if (reads) {
        run(w, w.a, give_back(w.guard));
        run(w, w.a, share(w.target, w.guard));
    }
    item_writes_meet(w.a, {repeated});
    CHECK_FALSE(w.code_after(give_back(w.guard)));
    CHECK(w.unlocked());
    CHECK(w.a.session->counters().released == (reads ? 2 : 1));
}

TEST_CASE("an update that only releases, and that the network repeats, is told as done") {
    born_till w;
    item_writes_meet(w.a, {repeated});
    CHECK_FALSE(w.code_after(release_if(w.guard, {})));
    CHECK(w.unlocked());
    CHECK(w.a.session->counters().released == 1);
    CHECK(w.a.session->counters().lost == 0);
}

TEST_CASE("an update that only releases is in doubt when another life of the item has no lock") {
    born_till w;
    auto now = w.stored();
    now.erase("_lockW");
    now["_born"] = binary(12, std::byte{9});
    w.put(std::move(now));
    CHECK(w.code_after(release_if(w.guard, {})) == errc::in_doubt);
}

TEST_CASE("a release that the network repeats is told as done, though others have the item by then") {
    born_till w;
    node b(w, 2);
    item_guard others;
    item_guard warm;
    w.put({{"id", "south"}, {"amount", 0}});
    run(w, b, take(item_lock{*b.session, till("south")}, warm));
    item_writes_meet(w.a, {fault{.what = fault_kind::answer_copy, .copy = 300ms}});
    error_code code;
    running releases(w, w.a, code_of(give_back(w.guard), code));
    w.scheduler.run_for(100ms);
    run(w, b, take(item_lock{*b.session, till()}, others));
    CHECK_FALSE(releases.done());
    releases.wait(1s);
    CHECK_FALSE(code);
    CHECK(others.held());
}

TEST_CASE("a last change that leaves no stamp is in doubt when its lock is gone: a first copy may have done both") {
    born_till w({.versioned = false});
    item_writes_meet(w.a, {repeated});
    CHECK(w.code_after(add_and_release(w.guard, 5)) == errc::in_doubt);
    CHECK(w.amount() == 5);
    CHECK(w.unlocked());
}

TEST_CASE("an erasure is in doubt when it finds no item: a first copy may have done it, or somebody else") {
    const bool by_others = GENERATE(false, true);
    born_till w;
    if (by_others) w.apply(delete_item_request{.table_name = "tills", .key = till().key});
    item_writes_meet(w.a, {by_others ? fault{} : repeated});
    CHECK(w.code_after(erase_till(w.guard)) == errc::in_doubt);
    CHECK(w.stored().empty());
}

TEST_CASE("what closes a write in doubt is not told as that write, though the network repeats it") {
    born_till w;
    const fault silence{.what = fault_kind::lose_request};
    item_writes_meet(w.a, {silence, {}, repeated});
    CHECK(w.code_after(add_if(w.guard, attr("mood") == "good")) == errc::condition_failed);
    CHECK(w.amount() == 0);
    CHECK(w.guard.held());
    CHECK_FALSE(w.code_after(add_to(w.guard, 5)));
    CHECK(w.amount() == 5);
}

TEST_CASE(
    "a write that finds the lock gone is told as lost while the item tells that it was not made, else as in doubt") {
    const bool last = GENERATE(false, true);
    born_till w;
    auto now = w.stored();
    now.erase("_lockW");
    error_code expected = errc::lock_lost;
    SECTION("nobody has written since") {}
    SECTION("the item knows who has") {
        now["version"] = 3;
        now["_stamp"] = binary(12, std::byte{3});
        now["_trail"] = binary(12, std::byte{2});
    }
    SECTION("the item does not know of all") {
        now["version"] = 3;
        now["_stamp"] = binary(12, std::byte{3});
        expected = errc::in_doubt;
    }
    SECTION("it is another life of the item") {
        now["_born"] = binary(12, std::byte{9});
        expected = errc::in_doubt;
    }
    w.put(std::move(now));
    CHECK(w.code_after(last ? add_and_release(w.guard, 5) : add_to(w.guard, 5)) == expected);
    CHECK_FALSE(w.guard.held());
    CHECK(w.amount() == 0);
}

TEST_CASE(
    "a write that the item shows to be made is not told as refused, though the lock went before the second copy") {
    born_till w;
    item_writes_meet(w.a, {fault{.what = fault_kind::answer_copy, .copy = 300ms}});
    error_code code;
    running writes(w, w.a, code_of(add_to(w.guard, 5), code));
    w.scheduler.run_for(100ms);
    CHECK(w.amount() == 5);
    auto now = w.stored();
    now.erase("_lockW");
    w.put(std::move(now));
    writes.wait(20s);
    CHECK(code == errc::in_doubt);
}

TEST_CASE("a guard whose last change was refused is counted as released, though the network repeats that release") {
    const bool repeats = GENERATE(false, true);
    born_till w;
    const fault again{.what = fault_kind::answer_copy, .copy = 5ms};
    item_writes_meet(w.a, {fault{}, repeats ? again : fault{}});
    error_code code;
    run(w, w.a, code_of(add_if_last(w.guard, attr("mood") == "good"), code));
    CHECK(code == errc::condition_failed);
    CHECK(w.a.session->counters().released == 1);
}
