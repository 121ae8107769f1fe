// What callers are told of a write or a claim without an answer, and what they can learn afterwards.
// SPDX-License-Identifier: BSL-1.0
#include "tills.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;
using testing::fault;
using fault_kind = testing::fault::kind;

namespace {

/// The answers to all writes of the item stay away for a while, whether they are done or not.
struct doubtful_till : till_world {
    doubtful_till() { run(*this, a, take(lock_in(a), guard)); }

    void add_in_doubt(fault_kind what) { leave_in_doubt(what, add_to(guard, 5)); }
    void leave_in_doubt(fault_kind what, asio::awaitable<void> write) {
        a.network->set_plan([what](const any_request& request, const call_options&) {
            return fault{std::holds_alternative<update_item_request>(request) &&
                                 std::get<update_item_request>(request).table_name == "tills"
                             ? what
                             : fault_kind::pass};
        });
        error_code code;
        run(*this, a, code_of(std::move(write), code));
        REQUIRE(code == errc::in_doubt);
        reconnect(a);
    }

    node a{*this, 1, {}, session_options{.table = table, .lease = 60s}};
    item_guard guard;
};

asio::awaitable<void> add_told(item_guard& guard, diagnostics& told, error_code& code) {
    auto [end, left] = co_await guard.update(add("amount", 1), told, as_tuple);
    code = end;
}

}  // namespace

TEST_CASE("the release of a guard tells what became of its write that was in doubt") {
    const bool applied = GENERATE(false, true);
    doubtful_till w;
    CHECK(w.guard.doubtful_write() == resolution::open);
    w.add_in_doubt(applied ? fault_kind::lose_answer : fault_kind::lose_request);
    CHECK(w.guard.doubtful_write() == resolution::open);
    SECTION("when it goes back to the item") {
        run(w, w.a, give_back(w.guard));
    }
    SECTION("when the next of this process has it") {
        item_guard next;
        running waits(w, w.a, take(lock_in(w.a), next));
        w.scheduler.run_for(100ms);
        run(w, w.a, give_back(w.guard));
        waits.wait();
        CHECK(*find_integer(next.item(), "amount") == (applied ? 5 : 0));
    }
    CHECK(w.guard.doubtful_write() == (applied ? resolution::applied : resolution::not_applied));
    CHECK(w.amount() == (applied ? 5 : 0));
    w.scheduler.run_for(10min);
    CHECK(w.amount() == (applied ? 5 : 0));
}

TEST_CASE("a hand-over without an answer that is given back tells what became of the write before it") {
    const bool applied = GENERATE(false, true);
    doubtful_till w;
    w.add_in_doubt(applied ? fault_kind::lose_answer : fault_kind::lose_request);
    item_guard next;
    error_code waited;
    running waits(w, w.a, code_of(take(lock_in(w.a), next, {.wait = 200ms}), waited));
    w.scheduler.run_for(100ms);
    // Where the write was applied, the first hand-over is refused: the item is a step further.
    std::vector<fault> fates{fault{fault_kind::lose_answer}};
    if (applied) fates.insert(fates.begin(), fault{});
    w.a.network->set_plan(testing::scripted_faults(std::move(fates)));
    error_code code;
    run(w, w.a, code_of(give_back(w.guard), code));
    waits.wait();
    CHECK(waited);
    w.scheduler.run_for(10s);
    CHECK(w.unlocked());
    CHECK(w.guard.doubtful_write() == (applied ? resolution::applied : resolution::not_applied));
    CHECK(w.amount() == (applied ? 5 : 0));
}

TEST_CASE("a guard whose downgrade was in doubt is released, not lost, though a writer of its process waits") {
    const bool applied = GENERATE(false, true);
    doubtful_till w;
    const auto downgrade = [](item_guard& mine) -> asio::awaitable<void> { co_await mine.downgrade(); };
    w.leave_in_doubt(applied ? fault_kind::lose_answer : fault_kind::lose_request, downgrade(w.guard));
    item_guard next;
    running waits(w, w.a, take(lock_in(w.a), next));
    w.scheduler.run_for(100ms);
    error_code code;
    run(w, w.a, code_of(give_back(w.guard), code));
    CHECK(code == error_code());
    waits.wait();
    CHECK(next.exclusive());
    CHECK(w.guard.doubtful_write() == (applied ? resolution::applied : resolution::not_applied));
}

TEST_CASE("a release without an answer tells nothing of a write that was in doubt") {
    doubtful_till w;
    w.add_in_doubt(fault_kind::lose_answer);
    w.a.network->set_plan(testing::scripted_faults({fault{fault_kind::lose_answer}}));
    error_code code;
    run(w, w.a, code_of(give_back(w.guard), code));
    CHECK(code == errc::in_doubt);
    w.scheduler.run_for(10s);
    CHECK(w.unlocked());
    CHECK(w.guard.doubtful_write() == resolution::open);
}

namespace {

/// An item is locked without an answer: a look at its lock shows it, and then all of it is asked for.
struct locked_unanswered : till_world {
    locked_unanswered() {
        item_guard opens_the_session;
        run(*this, a, take(lock_in(a), opens_the_session));
        run(*this, a, give_back(opens_the_session));
        a.network->set_plan([this](const any_request& request, const call_options&) {
            if (std::holds_alternative<update_item_request>(request)) {
                return fault{std::exchange(locked, true) ? fault_kind::pass : fault_kind::lose_answer};
            }
            const auto* look = std::get_if<get_item_request>(&request);
            return look && look->projection_expression.empty() ? at_whole() : fault{.before = 1ms};
        });
    }

    std::function<fault()> at_whole;
    bool locked = false;
    node a{*this};
};

}  // namespace

TEST_CASE("an item that is erased before a claim without an answer has seen all of it is told as missing") {
    locked_unanswered w;
    w.at_whole = [&] {
        w.apply(delete_item_request{.table_name = "tills", .key = till().key});
        return fault{.before = 1ms};
    };
    item_guard guard;
    error_code code;
    run(w, w.a, code_of(take(lock_in(w.a), guard), code));
    CHECK(code == errc::missing);
    CHECK(w.stored().empty());
}

TEST_CASE("an item that nobody waits for any more is given back, though it cannot be read") {
    locked_unanswered w;
    w.at_whole = [] { return fault{fault_kind::lose_request}; };
    item_guard guard;
    error_code code;
    run(w, w.a, code_of(take(lock_in(w.a), guard, {.wait = 5s}), code));
    CHECK(code);
    w.scheduler.run_for(30s);
    CHECK(w.unlocked());
}

TEST_CASE("a wait for several items that is given up while its transaction is under way is told as in doubt") {
    const bool cancelled = GENERATE(false, true);
    tills_world w;
    node a(w);
    item_guard warm;
    run(w, a, take(lock_in(a), warm));
    run(w, a, give_back(warm));
    a.network->set_plan(testing::scripted_faults({fault{.what = fault_kind::pass, .before = 400ms}}));
    asio::cancellation_signal signal;
    std::optional<error_code> code;
    acquire_all(
        every_till(a), acquire_all_options{.wait = cancelled ? 1h : 200ms},
        asio::bind_cancellation_slot(signal.slot(), [&](error_code ec, const std::vector<item_guard>&) { code = ec; }));
    w.scheduler.run_for(200ms);
    if (cancelled) signal.emit(asio::cancellation_type::total);
    w.scheduler.run_for(50ms);
    REQUIRE(code);
    CHECK(*code == errc::in_doubt);
    w.scheduler.run_for(15s);
    CHECK(w.all_unlocked());
}

TEST_CASE("a claim that is rejected after a copy without an answer is in doubt") {
    const bool several = GENERATE(false, true);
    tills_world w;
    node a(w);
    item_guard guard;
    run(w, a, take(lock_in(a), guard));
    run(w, a, give_back(guard));
    a.network->set_plan(testing::scripted_faults(
        {fault{fault_kind::lose_answer}, fault{.what = fault_kind::fail, .answer = failure(errc::access_denied)}}));
    std::vector<item_guard> guards;
    error_code code;
    auto taking = several ? take_all(every_till(a), guards) : take(lock_in(a), guard);
    run(w, a, code_of(std::move(taking), code));
    CHECK(code == errc::in_doubt);
    w.scheduler.run_for(15s);
    CHECK(w.all_unlocked());
}

TEST_CASE("a wait for others is in doubt as long as a copy of the claim before it may land") {
    const bool tries = GENERATE(false, true);
    tills_world w;
    node a(w, 1);
    node b(w, 2);
    item_guard guard;
    run(w, a, take(lock_in(a), guard));
    run(w, a, give_back(guard));
    run(w, b, take(lock_of(b, "south"), guard));
    // The first copy is lost, for all that anybody knows; the second is refused, and then there is silence.
    std::size_t copies = 0;
    a.network->set_plan([&copies](const any_request& request, const call_options&) {
        const auto* update = std::get_if<update_item_request>(&request);
        const bool about_the_session = update && update->table_name == table;
        const bool refused = std::holds_alternative<transact_write_items_request>(request) && ++copies == 2;
        return fault{about_the_session || refused ? fault_kind::pass : fault_kind::lose_request};
    });
    std::vector<item_guard> guards;
    error_code code;
    run(w, a, code_of(take_all(every_till(a), guards, {.wait = tries ? 0s : 8s}), code));
    CHECK(copies == 2);
    CHECK(code == errc::in_doubt);
    reconnect(a);
    run(w, b, give_back(guard));
    w.scheduler.run_for(15s);
    CHECK(w.all_unlocked());
}

TEST_CASE(
    "several items of a plain session are believed in for a lease from the first copy that may have locked them") {
    tills_world w;
    auto a = plain_node(w, 1, {.lease = 6s, .renew = false});
    // The first copy locks them; its answer is lost, and a second is answered like the first.
    a->network->set_plan(testing::scripted_faults({fault{fault_kind::lose_answer}}));
    const auto begun = a->environment.clock->now();
    std::vector<item_guard> guards;
    run(w, *a, take_all(every_till(*a), guards));
    REQUIRE(all_valid(guards));
    const auto took = a->environment.clock->now() - begun;
    CHECK(took >= 1s);
    w.scheduler.run_for(6s - took);
    for (const auto& guard : guards) CHECK_FALSE(guard.held());
}

TEST_CASE("whoever waits for the loss of an item is told when its session is lost") {
    till_world w;
    node a(w);
    item_guard guard;
    run(w, a, take(lock_in(a), guard));
    const auto until_lost = [](const item_guard& mine) -> asio::awaitable<void> { co_await mine.lost(); };
    running watches(w, a, until_lost(guard));
    cut_off(a);
    while (guard.held()) REQUIRE(w.scheduler.step());
    w.scheduler.run_for(1ms);
    CHECK(watches.done());
    CHECK(guard.state() == guard_state::lost);
    watches.wait();
}

TEST_CASE("a write of an item that is gone says so, and that it may have come before") {
    till_world w;
    node a{w, 1};
    item_guard guard;
    run(w, a, take(lock_in(a), guard));
    w.apply(delete_item_request{.table_name = "tills", .key = till().key});
    diagnostics told;
    error_code code;
    run(w, a, add_told(guard, told, code));
    CAPTURE(told.message);
    CHECK(code == errc::in_doubt);
    CHECK(told.message.starts_with("the item is gone, and its lock with it"));
    CHECK(told.message.ends_with("it may have been after this write"));
}

TEST_CASE("a guard that is lost says why to each write of it") {
    till_world w;
    node a{w, 1};
    item_guard guard;
    run(w, a, take(lock_in(a), guard));
    cut_off(a);
    w.scheduler.run_for(15s);
    diagnostics told;
    error_code code;
    run(w, a, add_told(guard, told, code));
    CHECK(code == errc::session_lost);
    CHECK(told.message.find("no heartbeat was acknowledged") != std::string::npos);
}
