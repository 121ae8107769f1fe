// Sessions without a row: writes under a grant that is renewed, ends, or is followed by another while they are under
// way.
// SPDX-License-Identifier: BSL-1.0
#include "tills.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <catch2/catch.hpp>

#include <optional>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

using kind = testing::fault::kind;

bool renews(const any_request& request, const call_options& how, const char* which) {
    const auto* update = std::get_if<update_item_request>(&request);
    return update && how.lane == lane::heartbeat && update->key == till(which).key;
}

item_commit add_at_the_end(item_guard& guard, std::int64_t amount) {
    item_commit part;
    if (guard.exclusive()) part.change = add("amount", amount);
    part.guard = std::move(guard);
    return part;
}

}  // namespace

namespace {

/// What the pauses of the renewals make of it. @returns whether the commit came too late, and the next grant stayed
bool commits_beside_renewals(std::uint64_t seed) {
    tills_world w;
    const auto a = plain_node(w, seed);
    const auto begun = w.scheduler.now();
    const auto at = [&](std::chrono::nanoseconds time) { return begun + time; };
    item_guard north;
    item_guard south;
    item_guard next;
    run(w, *a, take(lock_of(*a, "north"), north));
    running waits(w, *a, take(lock_of(*a, "north"), next));
    a->network->set_plan([&](const any_request& request, const call_options& how) {
        // The renewal of the one that is due first is not answered for 3 s, that of the other not for longer still.
        const auto back = renews(request, how, "north") ? at(5s) : renews(request, how, "south") ? at(8s) : begun;
        return testing::fault{w.scheduler.now() < back ? kind::lose_request : kind::pass};
    });
    w.scheduler.run_until(at(3s));
    run(w, *a, take(lock_of(*a, "south"), south));
    w.scheduler.run_until(at(5050ms));
    std::vector<item_commit> parts;
    parts.push_back(add_at_the_end(north, 1));
    parts.push_back(add_at_the_end(south, 1));
    error_code code;
    running commits(w, *a, code_of(commit(std::move(parts)), code));
    commits.wait();
    const auto applied = code ? 0 : 1;
    if (code) CHECK(code == condition::lost);
    CHECK(w.amount("north") == applied);
    CHECK(w.amount("south") == applied);
    waits.wait(20s);
    REQUIRE(next.held());
    run(w, *a, add_to(next, 5));
    CHECK(w.amount("north") == applied + 5);
    return applied == 0;
}

}  // namespace

TEST_CASE("a commit that waits for a renewal does not end the next grant of an item that ran out meanwhile") {
    int late = 0;
    for (std::uint64_t seed = 1; seed <= 30; ++seed) late += commits_beside_renewals(seed) ? 1 : 0;
    CHECK(late > 0);
}

TEST_CASE("a commit of a reader is not refused because other readers of its process go on meanwhile") {
    tills_world w;
    const auto a = plain_node(w, 1);
    const auto begun = w.scheduler.now();
    item_guard writer;
    item_guard reader;
    item_guard other;
    run(w, *a, take(lock_of(*a, "north"), writer));
    run(w, *a, share(lock_of(*a, "south"), reader));
    run(w, *a, share(lock_of(*a, "south"), other));
    a->network->set_plan([&](const any_request& request, const call_options&) {
        const bool commits = std::holds_alternative<transact_write_items_request>(request);
        return testing::fault{commits && w.scheduler.now() < begun + 3500ms ? kind::lose_request : kind::pass};
    });
    w.scheduler.run_until(begun + 1500ms);
    std::vector<item_commit> parts;
    parts.push_back(add_at_the_end(writer, 1));
    parts.push_back(add_at_the_end(reader, 1));
    run(w, *a, commit(std::move(parts)));
    CHECK(w.amount("north") == 1);
    CHECK(w.unlocked("north"));
    w.scheduler.run_for(30s);
    CHECK(other.held());
    run(w, *a, give_back(other));
    CHECK(w.all_unlocked());
}

TEST_CASE("a removal is not told as done when the item was gone only after the grant's end") {
    plain_till w;
    const auto b = plain_node(w, 2);
    item_guard theirs;
    const auto remove = [](item_guard& guard) -> asio::awaitable<void> { co_await guard.erase(); };
    cut_off(*w.a);
    error_code code;
    running removes(w, *w.a, code_of(remove(w.mine), code));
    run(w, *b, take(lock_in(*b), theirs));
    CHECK_FALSE(removes.done());
    run(w, *b, remove(theirs));
    reconnect(*w.a);
    removes.wait();
    CHECK(code == errc::in_doubt);
}

TEST_CASE("an answer that comes late takes nothing back of what readers of the process see since") {
    plain_till w({.lease = 6s, .renew = false});
    item_guard first;
    item_guard second;
    const running reads(w, *w.a, share(lock_in(*w.a), first));
    w.run_until(5500ms);
    w.a->network->set_plan(testing::scripted_faults({{.after = 900ms}}));
    const running writes(w, *w.a, add_to(w.mine, 1));
    w.run_until(5800ms);
    CHECK_FALSE(writes.done());
    // By hand.
    auto corrected = w.stored();
    corrected.insert_or_assign("amount", 100);
    w.put(std::move(corrected));
    w.run_until(6300ms);
    REQUIRE(reads.done());
    CHECK(find_integer(first.item(), "amount") == 100);
    w.run_until(6500ms);
    CHECK(writes.done());
    run(w, *w.a, share(lock_in(*w.a), second));
    CHECK(find_integer(second.item(), "amount") == 100);
}

TEST_CASE("a write that a paused process sees answered after the grant's end does not bring the guard back") {
    const bool downgrades = GENERATE(false, true);
    plain_till w({.lease = 6s, .renew = false});
    w.run_until(5500ms);
    w.a->network->set_plan(testing::scripted_faults({{.after = 400ms}}));
    const auto downgrade = [](item_guard& guard) -> asio::awaitable<void> { co_await guard.downgrade(); };
    error_code code;
    const running writes(w, *w.a, code_of(downgrades ? downgrade(w.mine) : add_to(w.mine, 1), code));
    w.run_until(5600ms);
    w.a->process->pause();
    w.run_until(6500ms);
    CHECK(w.mine.state() == guard_state::lost);
    w.a->process->resume();
    while (w.scheduler.now() < w.taken_at + 20s && w.scheduler.step()) REQUIRE(w.mine.state() == guard_state::lost);
    CHECK(w.unlocked());
}

TEST_CASE("a write that is cancelled while it waits for renewals ends at once, and is not sent") {
    enum class ends { update, last_update, commit };
    const auto how = GENERATE(ends::update, ends::last_update, ends::commit);
    plain_till w;
    w.put({{"id", "south"}, {"amount", 0}, {"version", 7}});
    item_guard other;
    run(w, *w.a, take(lock_of(*w.a, "south"), other));
    w.a->network->set_plan([](const any_request&, const call_options& options) {
        return testing::fault{options.lane == lane::heartbeat ? kind::lose_request : kind::pass};
    });
    w.run_until(2100ms);
    asio::cancellation_signal cancel;
    std::optional<error_code> code;
    const auto told = [&](error_code ec, auto&&...) { code = ec; };
    const auto cancellable = [&] { return asio::bind_cancellation_slot(cancel.slot(), told); };
    if (how == ends::update) w.mine.update(add("amount", 1), {}, cancellable());
    if (how == ends::last_update) w.mine.update_and_release(add("amount", 1), {}, cancellable());
    if (how == ends::commit) {
        std::vector<item_commit> parts;
        parts.push_back(add_at_the_end(w.mine, 1));
        parts.push_back(add_at_the_end(other, 1));
        commit_all(std::move(parts), cancellable());
    }
    w.run_until(2200ms);
    CHECK_FALSE(code);
    cancel.emit(asio::cancellation_type::terminal);
    w.run_until(2201ms);
    REQUIRE(code);
    CHECK(*code == condition::cancelled);
    w.scheduler.run_for(1min);
    CHECK(w.amount("north") == 0);
    CHECK(w.amount("south") == 0);
}

TEST_CASE("whenever a guard is released whose item was taken away, it says that the lock was lost") {
    for (std::size_t steps = 0; steps < 12; ++steps) {
        INFO("after " << steps << " steps");
        plain_till w;
        auto taken = w.stored();
        taken.insert_or_assign("_lockW", "somebody.1.0000000000");
        w.put(std::move(taken));
        w.run_until(1999ms);
        w.a->network->clear_log();
        while (w.a->network->log().empty()) REQUIRE(w.scheduler.step());
        for (std::size_t i = 0; i < steps; ++i) w.scheduler.step();
        std::optional<error_code> code;
        w.mine.release([&](error_code ec) { code = ec; });
        w.scheduler.run_for(5s);
        REQUIRE(code);
        CHECK(*code == errc::lock_lost);
    }
}
