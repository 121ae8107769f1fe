// What a hook is told of locks: of each acquire once, however it ends, and of each grant once more.
// SPDX-License-Identifier: BSL-1.0
#include "support/grant_notes.hpp"
#include "support/lock_steps.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <catch2/catch.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <array>

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

asio::awaitable<void> close_told(node& in, close_options options) {
    co_await in.session->close(options);
}

testing::fault_plan nothing_arrives() {
    return [](const any_request&, const call_options&) { return testing::fault{testing::fault::kind::lose_request}; };
}

}  // namespace

TEST_CASE("a lock that is granted and given back is told twice, under one id, with its times") {
    grant_notes notes;
    world w;
    node a(w, 1, {}, listening(notes));
    a.network->set_plan(latency(10ms));
    const auto began = a.environment.clock->wall();
    lock_guard guard;
    run(w, a, take(a, "x", guard));
    CHECK(notes.events() == events{granted});
    const auto token = guard.fencing_token();
    w.scheduler.run_for(3s);
    run(w, a, give_back(guard));
    REQUIRE(notes.events() == events{granted, released});

    const auto& wait = notes.told[0];
    CHECK(wait.verb == "lock.acquire");
    CHECK(wait.name == "x");
    CHECK(wait.table == table);
    CHECK(wait.began == began);
    CHECK(wait.took >= 40ms);  // the session's row, and the lock's
    CHECK(wait.took < 50ms);
    CHECK(wait.requests == 2);
    CHECK(wait.token == token);
    CHECK_FALSE(wait.code);
    const auto& held = notes.told[1];
    CHECK(held.id == wait.id);
    CHECK(held.verb == "lock.acquire");
    CHECK(held.name == "x");
    CHECK(held.began >= began + 40ms);
    CHECK(held.took >= 3s);
    CHECK(held.took < 3010ms);  // its release is not part of it
    CHECK(held.token == token);
    CHECK_FALSE(held.code);
}

TEST_CASE("a lock whose guard just ends is told as given back, when it is") {
    grant_notes notes;
    world w;
    node a(w, 1, {}, listening(notes));
    lock_guard guard;
    run(w, a, take(a, "x", guard));
    w.scheduler.run_for(2s);
    guard = {};
    CHECK(notes.events() == events{granted});
    w.scheduler.run_for(1s);
    REQUIRE(notes.events() == events{granted, released});
    CHECK(notes.told[1].took >= 2s);
    CHECK(notes.told[1].took < 2010ms);
    CHECK(a.session->counters().holds.count() == 1);
}

TEST_CASE("what is passed on inside the process is told so, and the wait of who gets it") {
    grant_notes notes;
    world w;
    node a(w, 1, {}, listening(notes));
    lock_guard first;
    lock_guard second;
    run(w, a, take(a, "x", first));
    running waiting(w, a, take(a, "x", second));
    w.scheduler.run_for(2s);
    CHECK(notes.events() == events{granted});
    run(w, a, give_back(first));
    waiting.wait();
    REQUIRE(notes.events() == events{granted, handed_over, granted});
    CHECK(notes.told[1].id == notes.told[0].id);
    CHECK(notes.told[2].id != notes.told[0].id);
    CHECK(notes.told[2].took >= 2s);
    CHECK(notes.told[2].token > notes.told[0].token);
}

TEST_CASE("a wait in vain is told with its code, and who has it; a try, too") {
    grant_notes notes;
    world w;
    node a(w, 1, {}, listening(notes));
    node b(w, 2);
    lock_guard theirs;
    run(w, b, take(b, "x", theirs));
    lock target{*a.session, "x"};
    lock_guard guard;
    error_code code;
    run(w, a, take_told(target, {.wait = 2s}, guard, code));
    REQUIRE(notes.events() == events{not_granted});
    CHECK(notes.told[0].code == errc::wait_timeout);
    CHECK(notes.told[0].took >= 2s);
    CHECK(notes.told[0].took < 2001ms);
    CHECK(notes.told[0].token == 0);
    CHECK(notes.told[0].words.find(b.session->id()) != std::string::npos);

    run(w, a, try_take(target, guard));
    REQUIRE(notes.events() == events{not_granted, not_granted});
    CHECK(notes.told[1].verb == "lock.try_acquire");
    CHECK(notes.told[1].code == errc::wait_timeout);
    CHECK(notes.told[1].id != notes.told[0].id);
    CHECK(notes.told[1].words.find(b.session->id()) != std::string::npos);

    run(w, a, take_told(target, {.data = {{"tags", string_set{}}}}, guard, code));
    CHECK(notes.told.back().code == errc::bad_attribute);
}

TEST_CASE("an acquire that ends in doubt is told so, and nothing of what is resolved after it") {
    grant_notes notes;
    world w;
    node a(w, 1, {}, listening(notes));
    lock_guard guard;
    run(w, a, take(a, "other", guard));
    notes.told.clear();
    a.network->set_plan(lock_writes_meet(std::vector<testing::fault>(3, {testing::fault::kind::lose_answer})));
    error_code code;
    lock_guard none;
    run(w, a, take_told(lock{*a.session, "x"}, {.wait = 300ms}, none, code));
    CHECK(code == errc::in_doubt);
    a.network->set_plan({});
    w.scheduler.run_for(1min);
    REQUIRE(notes.events() == events{not_granted});
    CHECK(notes.told[0].code == errc::in_doubt);
    CHECK_FALSE(find(w.row("lock#x"), "holder"));
}

TEST_CASE("a cancelled acquire is told once, also one that never began") {
    for (const bool at_once : {true, false}) {
        grant_notes notes;
        world w;
        node a(w, 1, {}, listening(notes));
        lock_guard mine;
        run(w, a, take(a, "x", mine));
        notes.told.clear();
        lock target{*a.session, "x"};
        asio::cancellation_signal signal;
        std::optional<error_code> code;
        target.acquire(asio::bind_cancellation_slot(signal.slot(), [&](error_code ec, lock_guard) { code = ec; }));
        if (!at_once) w.scheduler.run_for(1s);
        signal.emit(asio::cancellation_type::terminal);
        w.scheduler.run_for(1s);
        REQUIRE(code);
        REQUIRE(notes.events() == events{not_granted});
        CHECK(notes.told[0].code == condition::cancelled);
        CHECK(notes.told[0].took >= (at_once ? 0s : 1s));
        CHECK(notes.told[0].took < (at_once ? 1ms : 1001ms));
    }
}

TEST_CASE("a lock that is lost is told as lost, with the lease for its time") {
    grant_notes notes;
    world w;
    node a(w, 1, {}, listening(notes));
    lock_guard guard;
    run(w, a, take(a, "x", guard));
    a.network->set_plan(nothing_arrives());
    w.scheduler.run_for(30s);
    REQUIRE(notes.events() == events{granted, lost});
    CHECK(notes.told[1].code == errc::session_lost);
    CHECK(notes.told[1].took > 8s);
    CHECK(notes.told[1].took < 10s);
    guard = {};
    w.scheduler.run_for(30s);
    CHECK(notes.told.size() == 2);
}

TEST_CASE("who waits over a loss is told once, of the lock that the next life gets") {
    grant_notes notes;
    world w;
    node a(w, 1, {}, listening(notes));
    node b(w, 2);
    lock_guard theirs;
    run(w, b, take(b, "x", theirs));
    lock_guard guard;
    running waiting(w, a, take(a, "x", guard));
    w.scheduler.run_for(1s);
    a.network->set_plan(nothing_arrives());
    w.scheduler.run_for(30s);
    a.network->set_plan({});
    w.scheduler.run_for(5s);
    CHECK(a.session->lives() == 2);
    CHECK(notes.told.empty());
    run(w, b, give_back(theirs));
    waiting.wait();
    REQUIRE(notes.events() == events{granted});
    CHECK(notes.told[0].took > 36s);
}

TEST_CASE("what a session's end takes is told: given back by it, or left to the lease") {
    for (const bool release : {true, false}) {
        grant_notes notes;
        world w;
        node a(w, 1, {}, listening(notes));
        std::array<lock_guard, 2> guards;
        run(w, a, take(a, "x", guards[0]));
        run(w, a, take(a, "y", guards[1]));
        running waiting(w, a, take(a, "x", guards[1]));
        w.scheduler.run_for(1s);
        notes.told.clear();
        run(w, a, close_told(a, {.release = release}));
        w.scheduler.run_for(1s);
        CHECK(notes.told.size() == 3);
        CHECK(notes.waits() == 1);
        for (const auto& each : notes.told) {
            CHECK(each.code == (release && each.what == closed ? error_code() : errc::session_closed));
            CHECK((each.what == closed || each.what == not_granted));
        }
    }
}

TEST_CASE("in a forked child what is asked for, and what was held, is told as lost; the parent is told nothing of it") {
    grant_notes notes;
    world w;
    node a(w, 1, {}, listening(notes));
    lock_guard guard;
    run(w, a, take(a, "x", guard));
    const auto child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        error_code code;
        lock_guard none;
        run(w, a, take_told(lock{*a.session, "y"}, {}, none, code));
        guard = {};
        w.scheduler.run_for(1s);
        const bool fits = notes.events() == events{granted, lost, not_granted} &&
                          notes.told[1].code == errc::session_lost && notes.told[2].code == errc::session_lost;
        ::_exit(fits ? 0 : 1);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(guard.held());
    run(w, a, give_back(guard));
    CHECK(notes.events() == events{granted, released});
}

TEST_CASE("a release without an answer is told in doubt, one that comes too late as lost") {
    grant_notes notes;
    world w;
    node a(w, 1, {}, listening(notes));
    lock_guard guard;
    run(w, a, take(a, "x", guard));
    a.network->set_plan(nothing_arrives());
    error_code code;
    running releasing(w, a, release_told(guard, code));
    releasing.wait();
    CHECK(code == errc::in_doubt);
    REQUIRE(notes.events() == events{granted, released});
    CHECK(notes.told[1].code == errc::in_doubt);
    w.scheduler.run_for(30s);
    CHECK(notes.told.size() == 2);
}

TEST_CASE("a handle that is observed tells its own hook, beside the session's and those before it") {
    grant_notes all;
    grant_notes outer;
    grant_notes inner;
    world w;
    node a(w, 1, {}, listening(all));
    const lock plain{*a.session, "x"};
    const auto once = observed(plain, inner.hook());
    const auto twice = observed(once, outer.hook());
    for (const auto& each : {plain, once, twice, observed(plain, {})}) {
        lock_guard guard;
        run(w, a, take(each, guard));
        run(w, a, give_back(guard));
    }
    CHECK(all.told.size() == 8);
    CHECK(inner.told.size() == 4);
    CHECK(outer.told.size() == 2);
    CHECK(outer.told[0].id == inner.told[2].id);
    CHECK(outer.told[1].id == all.told[5].id);
}

TEST_CASE("a hook that throws is told to the log, and stops neither the lock nor the other hooks") {
    grant_notes notes;
    std::vector<std::string> lines;
    session_options options{.table = table};
    options.log = [&](severity level, std::string_view line) {
        if (level == severity::error) lines.emplace_back(line);
    };
    options.on_grant = [](const grant_report&) { throw std::runtime_error("no room"); };
    world w;
    node a(w, 1, {}, std::move(options));
    const auto target = observed(observed(lock{*a.session, "x"}, notes.hook()), [](const grant_report&) { throw 7; });
    lock_guard guard;
    run(w, a, take(target, guard));
    run(w, a, give_back(guard));
    CHECK(notes.events() == events{granted, released});
    REQUIRE(lines.size() == 4);
    CHECK(lines[0].ends_with("a hook of grants has thrown"));
    CHECK(lines[1].ends_with("a hook of grants has thrown: no room"));
    CHECK_FALSE(find(w.row("lock#x"), "holder"));
}

TEST_CASE("verbs may be called in the hook") {
    std::vector<grant_event> told;
    std::optional<lock> target;
    lock_guard next;
    session_options options{.table = table};
    options.on_grant = [&](const grant_report& seen) {
        told.push_back(seen.what);
        if (seen.what != granted || told.size() > 1) return;
        target->acquire([&](error_code, lock_guard got) { next = std::move(got); });
    };
    world w;
    node a(w, 1, {}, std::move(options));
    target.emplace(*a.session, "x");
    lock_guard guard;
    run(w, a, take(*target, guard));
    run(w, a, give_back(guard));
    w.scheduler.run_for(1s);
    CHECK(next.held());
    CHECK(told == events{granted, handed_over, granted});
}

TEST_CASE("waits and holds are counted by how long they took") {
    world w;
    node a(w);
    node b(w, 2);
    lock_guard guard;
    run(w, a, take(a, "x", guard));
    error_code code;
    lock_guard none;
    run(w, b, take_told(lock{*b.session, "x"}, {.wait = 2s}, none, code));
    w.scheduler.run_for(1s);
    run(w, a, give_back(guard));
    const auto mine = a.session->counters();
    CHECK(mine.waits_granted.count() == 1);
    CHECK(mine.waits_granted.sum() < 1ms);
    CHECK(mine.waits_in_vain.count() == 0);
    CHECK(mine.holds.count() == 1);
    CHECK(mine.holds.sum() >= 3s);
    CHECK(mine.holds.sum() < 3100ms);
    const auto theirs = b.session->counters();
    CHECK(theirs.waits_granted.count() == 0);
    CHECK(theirs.waits_in_vain.count() == 1);
    CHECK(theirs.waits_in_vain.sum() >= 2s);
    CHECK(theirs.holds.count() == 0);
}
