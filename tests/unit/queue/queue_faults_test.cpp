// Deaths, lost answers and cancelled waits, each at every step: nobody is skipped who lives, nothing stays behind.
// SPDX-License-Identifier: BSL-1.0
#include "queue_callers.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

TEST_CASE("a dead head costs the others one lease and two looks") {
    world w;
    auto a = std::make_unique<node>(w, 1);
    node b(w, 2);
    queue_turn first;
    queue_turn second;
    run(w, *a, enter(queue{*a->session, "x"}, first));
    running waits(w, b, enter(queue{*b.session, "x"}, second));
    w.scheduler.run_for(5s);
    first = {};
    a->crash();
    const auto died = w.scheduler.now();
    waits.wait(30s);
    CHECK(w.scheduler.now() - died < 10s + 2 * 1250ms + 500ms);
    CHECK(second.held());
    CHECK(b.session->counters().marked_dead == 1);
    run(w, b, leave(second));
    w.scheduler.run_for(5s);
    CHECK(nothing_left(w, "x"));
}

TEST_CASE("a turn that dies before it was written down costs the others three seconds, not a lease") {
    world w;
    auto a = std::make_unique<node>(w, 1);
    node b(w, 2);
    queue_turn first;
    queue_turn second;
    run(w, *a, enter(queue{*a->session, "x"}, first));
    first = {};
    a->crash();
    const auto died = w.scheduler.now();
    run(w, b, enter(queue{*b.session, "x"}, second), 30s);
    CHECK(w.scheduler.now() - died > 3s);
    CHECK(w.scheduler.now() - died < 3026ms + 2 * 210ms + 100ms);
    CHECK(second.held());
}

TEST_CASE("whoever leaves and closes its session, at whatever moment, is followed at the next poll") {
    // Some of these moments lie between a poll and a look at the session that has the turn.
    for (auto moment = 0ms; moment < 2500ms; moment += 50ms) {
        CAPTURE(moment.count());
        world w;
        node a(w, 1);
        node b(w, 2);
        queue_turn first;
        queue_turn second;
        run(w, a, enter(queue{*a.session, "x"}, first));
        running waits(w, b, enter(queue{*b.session, "x"}, second));
        w.scheduler.run_for(5s + moment);
        run(w, a, leave(first));
        a.session->close({}, [](error_code, close_report) {});
        waits.wait(500ms);
        CHECK(second.held());
    }
}

TEST_CASE("a dead waiter costs nothing when its turn comes") {
    world w;
    node a(w, 1);
    auto b = std::make_unique<node>(w, 2);
    node c(w, 3);
    queue_turn first;
    queue_turn never;
    queue_turn third;
    run(w, a, enter(queue{*a.session, "x"}, first));
    auto dead = std::make_unique<running>(w, *b, enter(queue{*b->session, "x"}, never));
    w.scheduler.run_for(1s);
    running waits(w, c, enter(queue{*c.session, "x"}, third));
    w.scheduler.run_for(5s);
    b->crash();
    w.scheduler.run_for(60s);
    REQUIRE_FALSE(waits.done());
    const auto left = w.scheduler.now();
    run(w, a, leave(first));
    waits.wait(10s);
    CHECK(w.scheduler.now() - left < 1500ms);
    CHECK(third.ticket() == 2 + find_integer(*head_of(w, "x"), "tail").value() - 2);
    run(w, c, leave(third));
    w.scheduler.run_for(5s);
    CHECK(nothing_left(w, "x"));
}

TEST_CASE("repeated tries pass over a dead holder") {
    world w;
    auto a = std::make_unique<node>(w, 1);
    node b(w, 2);
    queue_turn first;
    queue_turn second;
    run(w, *a, enter(queue{*a->session, "x"}, first));
    w.scheduler.run_for(3s);
    first = {};
    a->crash();
    for (int i = 0; i < 30 && !second; ++i) {
        run(w, b, try_enter(queue{*b.session, "x"}, second));
        w.scheduler.run_for(1s);
    }
    CHECK(second.held());
}

TEST_CASE("valid turns false when a turn could not be written down in time, and the next gets it") {
    world w;
    node a(w, 1);
    node b(w, 2);
    a.network->set_plan([](const any_request& request, const call_options&) {
        const bool row = std::holds_alternative<put_item_request>(request) &&
                         std::get<put_item_request>(request).new_item.at("pk") == attribute_value("queue#x");
        return testing::fault{row ? testing::fault::kind::lose_request : testing::fault::kind::pass};
    });
    queue_turn first;
    queue_turn second;
    run(w, a, enter(queue{*a.session, "x"}, first));
    running waits(w, b, enter(queue{*b.session, "x"}, second));
    const auto entered = a.network->log().back()->sent;
    while (first.held() && w.scheduler.step()) CHECK_FALSE(second.held());
    CHECK(w.scheduler.now() - entered < 3s);
    CHECK(first.state() == guard_state::lost);
    CHECK(a.session->state() == session_state::live);
    waits.wait(10s);
    CHECK(second.held());
    auto code = error_code();
    const auto leaving = [](queue_turn& turn, error_code& into) -> asio::awaitable<void> {
        const auto done = co_await turn.leave(asio::as_tuple(asio::deferred));
        into = std::get<0>(done);
    };
    run(w, a, leaving(first, code));
    CHECK(code == errc::lock_lost);
}

TEST_CASE("a wait that is too long ends with wait_timeout, at once, and the place is given up") {
    world w;
    node a(w, 1);
    node b(w, 2);
    queue_turn first;
    queue_turn second;
    run(w, a, enter(queue{*a.session, "x"}, first));
    error_code code;
    const auto began = w.scheduler.now();
    run(w, b, enter_code(queue{*b.session, "x"}, {.wait = 3s}, code, second));
    CHECK(code == errc::wait_timeout);
    CHECK(code == condition::contended);
    CHECK(w.scheduler.now() - began == 3s);
    run(w, b, enter_code(queue{*b.session, "x"}, {.wait = 0s}, code, second));
    CHECK(code == errc::wait_timeout);
    w.scheduler.run_for(2s);
    run(w, a, leave(first));
    w.scheduler.run_for(5s);
    CHECK(nothing_left(w, "x"));
    CHECK(b.session->counters().resolving == 0);
}

namespace {

/// Enters under faults, and cancels after a while.
struct attempt {
    asio::cancellation_signal signal;
    error_code code;
    queue_turn turn;
    bool done = false;

    void start(const queue& target) {
        target.enter({}, asio::bind_cancellation_slot(signal.slot(), [this](error_code why, queue_turn got) {
                         code = why;
                         turn = std::move(got);
                         done = true;
                     }));
    }
};

}  // namespace

TEST_CASE("an entry cancelled at any moment leaves nothing behind, and skips nobody") {
    for (const auto after : {0us, 1us, 2000us, 10'000us, 100'000us, 900'000us, 4'000'000us}) {
        for (const bool busy : {false, true}) {
            world w;
            node a(w, 1);
            node b(w, 2);
            node c(w, 3);
            for (auto* each : {&a, &b, &c}) {
                each->network->set_plan([](const any_request&, const call_options&) {
                    return testing::fault{.what = testing::fault::kind::pass, .before = 2ms, .after = 2ms};
                });
            }
            queue_turn first;
            queue_turn third;
            if (busy) run(w, a, enter(queue{*a.session, "x"}, first));
            attempt entry;
            entry.start(queue{*b.session, "x"});
            w.scheduler.run_for(after);
            entry.signal.emit(asio::cancellation_type::total);
            running waits(w, c, enter(queue{*c.session, "x"}, third));
            w.scheduler.run_for(1s);
            INFO("cancelled after " << after.count() << " us, busy: " << busy);
            CHECK(entry.done);
            const bool given_up = entry.code == errc::cancelled || entry.code == errc::in_doubt;
            CHECK((given_up || (!entry.code && entry.turn.held())));
            entry.turn = {};
            first = {};
            waits.wait(10s);
            CHECK(third.held());
            run(w, c, leave(third));
            w.scheduler.run_for(10s);
            CHECK(nothing_left(w, "x"));
            CHECK(b.session->counters().resolving == 0);
        }
    }
}

TEST_CASE("each answer may be lost, each request repeated or late: one valid turn, in order, and nothing stays") {
    using kind = testing::fault::kind;
    for (const auto what : {kind::lose_request, kind::lose_answer, kind::apply_twice}) {
        for (std::size_t at = 0; at < 14; ++at) {
            world w;
            node a(w, 1);
            node b(w, 2);
            std::size_t number = 0;
            const auto plan = [&](const any_request& request, const call_options& options) {
                if (options.lane == lane::heartbeat || !is_write(request)) return testing::fault{};
                testing::fault fate;
                if (number++ == at) {
                    fate.what = what;
                    fate.copy = 20s;
                }
                return fate;
            };
            a.network->set_plan(plan);
            b.network->set_plan(plan);
            queue_turn first;
            queue_turn second;
            queue_turn third;
            run(w, a, enter(queue{*a.session, "x"}, first));
            running waits(w, b, enter(queue{*b.session, "x"}, second));
            w.scheduler.run_for(4s);
            running also(w, a, enter(queue{*a.session, "x"}, third));
            w.scheduler.run_for(10s);
            INFO("fault " << static_cast<int>(what) << " at write " << at);
            CHECK(first.held() + second.held() + third.held() == 1);
            first = {};
            waits.wait(60s);
            CHECK(second.held());
            CHECK(first.held() + second.held() + third.held() == 1);
            w.scheduler.run_for(10s);
            CHECK(second.held());
            const auto earlier = second.ticket();
            second = {};
            also.wait(60s);
            CHECK(third.held());
            CHECK(third.ticket() > earlier);
            third = {};
            w.scheduler.run_for(40s);
            // A request for a ticket that was repeated late has drawn one for nobody: the next buries it.
            run(w, a, enter(queue{*a.session, "x"}, third), 5s);
            third = {};
            w.scheduler.run_for(5s);
            const auto head = head_of(w, "x");
            CHECK(find_integer(*head, "tail") == find_integer(*head, "passed"));
        }
    }
}

TEST_CASE("tickets that one who died has buried, and not passed, are passed by the next without burying any again") {
    // Also at the very moment when it is about to bury them itself.
    for (auto when = 3500ms; when < 4500ms; when += 10ms) {
        world w;
        node a(w, 1);
        queue_turn mine;
        w.apply(
            put_item_request{.table_name = table,
                             .new_item = {{"pk", "queue#x"}, {"sk", "/"}, {"v", 1}, {"tail", 170}, {"passed", 20}}});
        running waits(w, a, enter(queue{*a.session, "x"}, mine));
        w.scheduler.run_for(when);
        for (std::int64_t ticket = 21; ticket <= 170; ++ticket) put_tombstone(w, "x", ticket);
        a.network->clear_log();
        CAPTURE(when.count());
        waits.wait(10s);
        CHECK(mine.ticket() == 171);
        CHECK(sent(a, "PutItem") <= 30);
        CHECK(sent(a) < 60);
        run(w, a, leave(mine));
    }
}
