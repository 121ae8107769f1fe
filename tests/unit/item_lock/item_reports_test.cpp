// What a hook is told of items that are locked: by writers and readers, several together, with a row and without.
// SPDX-License-Identifier: BSL-1.0
#include "support/grant_notes.hpp"
#include "tills.hpp"

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

using enum grant_event;
using events = std::vector<grant_event>;

session_options listening(grant_notes& notes) {
    session_options options{.table = table};
    options.on_grant = notes.hook();
    return options;
}

asio::awaitable<void> take_to_share(item_lock lock, item_guard& into) {
    into = co_await lock.acquire_shared();
}
asio::awaitable<void> let_go(item_guard& guard) {
    co_await guard.release();
}
asio::awaitable<void> wipe(item_guard& guard) {
    co_await guard.erase();
}
asio::awaitable<void> change_last(item_guard& guard) {
    auto change = add("amount", 1);
    co_await guard.update_and_release(std::move(change));
}
asio::awaitable<void> take_for(item_lock lock, std::chrono::nanoseconds wait, error_code& code, item_guard& into) {
    const item_acquire_options options{.wait = wait};
    auto done = co_await lock.acquire(options, as_tuple);
    code = std::get<0>(done);
    into = std::get<1>(std::move(done));
}
asio::awaitable<void> take_together(std::vector<item_demand> wanted, acquire_all_options options, error_code& code,
                                    std::vector<item_guard>& into) {
    auto done = co_await acquire_all(std::move(wanted), options, as_tuple);
    code = std::get<0>(done);
    into = std::get<1>(std::move(done));
}
asio::awaitable<void> close(node& in) {
    co_await in.session->close();
}
asio::awaitable<void> close_and_tell(node& in, close_report& report) {
    report = co_await in.session->close();
}
asio::awaitable<void> close_soon(node& in, close_report& report) {
    const close_options options{.timeout = 100ms};
    report = co_await in.session->close(options);
}
asio::awaitable<void> leave_to_lease(node& in, close_report& report) {
    const close_options options{.release = false};
    report = co_await in.session->close(options);
}

}  // namespace

TEST_CASE("a writer's lock of an item is told, and how it ended: released, by a last change, handed over, erased") {
    grant_notes notes;
    till_world w;
    node a(w, 1, {}, listening(notes));
    item_guard guard;
    run(w, a, take(lock_in(a), guard));
    const auto token = guard.fencing_token();
    run(w, a, let_go(guard));
    REQUIRE(notes.events() == events{granted, released});
    CHECK(notes.told[0].verb == "item_lock.acquire");
    CHECK(notes.told[0].name == "tills/north");
    CHECK(notes.told[0].table == "tills");
    CHECK(notes.told[0].token == token);
    CHECK(notes.told[0].requests == 2);
    CHECK(notes.told[1].token == token);

    run(w, a, take(lock_in(a), guard));
    run(w, a, change_last(guard));
    CHECK(notes.events() == events{granted, released, granted, released});

    run(w, a, take(lock_in(a), guard));
    item_guard next;
    running waiting(w, a, take(lock_in(a), next));
    w.scheduler.run_for(1s);
    run(w, a, let_go(guard));
    waiting.wait();
    CHECK(notes.events() == events{granted, released, granted, released, granted, handed_over, granted});
    run(w, a, wipe(next));
    CHECK(notes.told.back().what == erased);
    CHECK(notes.fits());
}

TEST_CASE("an item whose guard just ends, or whose session leaves it to the lease, is told so") {
    grant_notes notes;
    till_world w;
    node a(w, 1, {}, listening(notes));
    item_guard guard;
    run(w, a, take(lock_in(a), guard));
    guard = {};
    w.scheduler.run_for(1s);
    REQUIRE(notes.events() == events{granted, released});

    run(w, a, take(lock_in(a), guard));
    close_report report;
    run(w, a, leave_to_lease(a, report));
    REQUIRE(notes.events() == events{granted, released, granted, closed});
    CHECK(notes.told[3].code == errc::session_closed);
    REQUIRE(report.failed.size() == 1);
    CHECK(report.failed.front().code == errc::session_closed);
}

TEST_CASE("readers of one process are told each by himself") {
    grant_notes notes;
    till_world w;
    node a(w, 1, {}, listening(notes));
    item_guard one;
    item_guard other;
    run(w, a, take_to_share(lock_in(a), one));
    run(w, a, take_to_share(lock_in(a), other));
    w.scheduler.run_for(1s);
    run(w, a, let_go(one));
    w.scheduler.run_for(1s);
    run(w, a, let_go(other));
    REQUIRE(notes.events() == events{granted, granted, released, released});
    CHECK(notes.told[0].verb == "item_lock.acquire_shared");
    CHECK(notes.told[2].id == notes.told[0].id);
    CHECK(notes.told[3].took >= 2s);
    CHECK(notes.fits());
}

TEST_CASE("an item that is waited for in vain, lost or closed under its guard is told so") {
    grant_notes notes;
    till_world w;
    node a(w, 1, {}, listening(notes));
    node b(w, 2);
    item_guard theirs;
    run(w, b, take(lock_in(b), theirs));
    item_guard guard;
    error_code code;
    run(w, a, take_for(lock_in(a), 2s, code, guard));
    REQUIRE(notes.events() == events{not_granted});
    CHECK(notes.told[0].code == errc::wait_timeout);
    CHECK(notes.told[0].took >= 2s);
    run(w, b, let_go(theirs));

    notes.told.clear();
    run(w, a, take(lock_in(a), guard));
    cut_off(a);
    w.scheduler.run_for(30s);
    REQUIRE(notes.events() == events{granted, lost});
    CHECK(notes.told[1].code == errc::session_lost);
    a.network->set_plan({});

    notes.told.clear();
    run(w, a, take(lock_in(a), guard));
    run(w, a, close(a));
    CHECK(notes.events() == events{granted, closed});
}

TEST_CASE("a plain session tells, too, of an item that ran out while its session lives") {
    grant_notes notes;
    till_world w;
    plain_session_options options{.lease = 6s, .renew = false};
    options.on_grant = notes.hook();
    const auto a = plain_node(w, 1, options);
    item_guard guard;
    run(w, *a, take(lock_in(*a), guard));
    w.scheduler.run_for(30s);
    REQUIRE(notes.events() == events{granted, lost});
    CHECK(notes.told[1].code == errc::lock_lost);
    CHECK(notes.told[1].took > 5s);
    CHECK(notes.told[1].took <= 6s);
}

TEST_CASE("a last write that is known to have landed after its plain grant's time is a release in every account") {
    grant_notes notes;
    plain_session_options options{.lease = 6s, .renew = false};
    options.on_grant = notes.hook();
    plain_till w(std::move(options));
    w.a->network->set_plan(
        [](const any_request&, const call_options&) { return testing::fault{testing::fault::kind::lose_answer}; });
    error_code code;
    running writes(w, *w.a, code_of(add_and_release(w.mine, 5), code));
    w.run_until(7s);
    REQUIRE_FALSE(writes.done());
    reconnect(*w.a);
    close_report report;
    run(w, *w.a, close_and_tell(*w.a, report));
    writes.wait(20s);
    REQUIRE_FALSE(code);
    CHECK(w.amount() == 5);
    CHECK(notes.events() == events{granted, released});
    CHECK(w.a->session->counters().released == 1);
    CHECK(report.released == 1);
    CHECK(report.failed.empty());
}

TEST_CASE("a last write that is in doubt when its plain grant's time is over is no loss in any account") {
    grant_notes notes;
    plain_session_options options{.lease = 6s, .renew = false};
    options.on_grant = notes.hook();
    plain_till w(std::move(options));
    w.run_until(2s);
    w.a->network->set_plan(
        [](const any_request&, const call_options&) { return testing::fault{testing::fault::kind::lose_answer}; });
    error_code code;
    SECTION("alone") {
        run(w, *w.a, code_of(add_and_release(w.mine, 5), code));
    }
    SECTION("with others") {
        std::vector<item_guard> guards(1);
        guards[0] = std::move(w.mine);
        run(w, *w.a, code_of(commit(add_to_each(std::move(guards), 5)), code));
    }
    CHECK(code == errc::in_doubt);
    CHECK(w.amount() == 5);
    reconnect(*w.a);
    w.scheduler.run_for(10s);
    CHECK(notes.events() == events{granted, released});
    CHECK(notes.told[1].code == errc::in_doubt);
    CHECK(w.a->session->counters().lost == 0);
    CHECK(w.a->session->counters().released == 0);
}

TEST_CASE("an item that is handed over in doubt when its plain grant's time is over is no loss") {
    plain_till w({.lease = 6s, .renew = false});
    node b(w, 2);
    item_guard next;
    item_guard theirs;
    error_code waited;
    error_code code;
    running waits(w, *w.a, code_of(take(lock_in(*w.a), next, {.wait = 1min}), waited));
    w.run_until(5s);
    // Its hand-over is done, and the client asks again when another has the item already.
    w.a->network->set_plan(testing::scripted_faults({{.what = testing::fault::kind::lose_answer, .again = 20s}}));
    running ends(w, *w.a, code_of(let_go(w.mine), code));
    w.scheduler.run_for(100ms);
    running takes(w, b, take(lock_in(b), theirs));
    ends.wait(1min);
    w.scheduler.run_for(1min);
    CHECK(code == errc::in_doubt);
    CHECK(w.a->session->counters().lost == 0);
    CHECK(w.a->session->counters().unknown_void == 0);
}

TEST_CASE("an item that is handed to a caller who has gone meanwhile is released, and handed over to nobody") {
    grant_notes notes;
    till_world w;
    node a(w, 1, {}, listening(notes));
    item_guard first;
    item_guard none;
    error_code code;
    run(w, a, take(lock_in(a), first));
    running waits(w, a, take_for(lock_in(a), 200ms, code, none));
    w.scheduler.run_for(50ms);
    a.network->set_plan([](const any_request&, const call_options&) { return testing::fault{.after = 400ms}; });
    run(w, a, let_go(first));
    waits.wait();
    w.scheduler.run_for(5s);
    CHECK_FALSE(none);
    CHECK(w.unlocked());
    CHECK(a.session->counters().hand_overs == 0);
    CHECK(a.session->counters().released == 1);
    CHECK(notes.events() == events{granted, not_granted, released});
}

TEST_CASE("of two readers of a plain grant one that is let go in time, and given back after it, is lost") {
    plain_session_options options{.lease = 6s, .renew = false};
    till_world w;
    const auto a = plain_node(w, 1, options);
    item_guard one;
    item_guard other;
    run(w, *a, share(lock_in(*a), one));
    run(w, *a, share(lock_in(*a), other));
    a->process->pause();
    one = {};
    w.scheduler.run_for(7s);
    a->process->resume();
    w.scheduler.run_for(1s);
    CHECK(a->session->counters().released == 0);
    CHECK(a->session->counters().lost == 2);
}

TEST_CASE("all whose time was up while they are ended together are in the report of closing") {
    plain_session_options options{.lease = 6s, .renew = false};
    till_world w;
    const auto a = plain_node(w, 1, options);
    std::vector<item_guard> guards(2);
    for (auto& each : guards) run(w, *a, share(lock_in(*a), each));
    w.scheduler.run_for(4s);
    cut_off(*a);
    error_code code;
    running ends(w, *a, code_of(commit(add_to_each(std::move(guards), 1)), code));
    w.scheduler.run_for(3s);
    REQUIRE_FALSE(ends.done());
    close_report report;
    run(w, *a, close_soon(*a, report));
    CHECK(report.released == 0);
    CHECK(report.lost + report.failed.size() == 2);
    ends.wait(20s);
}

TEST_CASE("of items that are locked together each is told, and what a joint end did to it") {
    grant_notes notes;
    tills_world w;
    node a(w, 1, {}, listening(notes));
    node b(w, 2);
    std::vector<item_guard> guards;
    run(w, a, take_all(every_till(a), guards));
    REQUIRE(notes.events() == events{granted, granted, granted});
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(notes.told[i].verb == "acquire_all");
        CHECK(notes.told[i].name == "tills/" + std::string(all_tills.at(i)));
        CHECK(notes.told[i].token == guards[i].fencing_token());
    }
    auto parts = add_to_each(std::move(guards), 1);
    parts[2].change = {};
    parts[2].erase = true;
    run(w, a, commit(std::move(parts)));
    CHECK(notes.events() == events{granted, granted, granted, released, released, erased});
    CHECK(notes.fits());

    notes.told.clear();
    w.put({{"id", "west"}, {"amount", 0}, {"version", 7}});
    item_guard theirs;
    run(w, b, take(lock_of(b, "south"), theirs));
    error_code code;
    run(w, a, take_together(every_till(a), {.wait = 1s}, code, guards));
    CHECK(code == errc::wait_timeout);
    CHECK(notes.events() == events{not_granted, not_granted, not_granted});
    CHECK(notes.told[0].words == notes.told[1].words);

    notes.told.clear();
    auto twice = every_till(a);
    twice.push_back(twice.front());
    run(w, a, take_together(std::move(twice), {}, code, guards));
    CHECK(code == errc::duplicate_item);
    CHECK(notes.waits() == 4);
}
