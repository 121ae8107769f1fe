// Small worlds that each lead straight to one rule, for mistakes that chance alone finds late.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/directed.hpp"
#include "simulation/framework/primitive.hpp"
#include "simulation/framework/purpose.hpp"
#include "simulation/lock/stage.hpp"

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

namespace dynalease::simulation::locks {

namespace {

using namespace std::chrono_literals;
using testing::fault;

/// The first request for this purpose meets `fate`; everything else takes the usual way.
testing::fault_plan first_of(purpose meaning, fault fate) {
    return [meaning, fate, met = false](const any_request& request, const call_options&) mutable {
        if (met || purpose_of(request) != meaning) return on_its_way;
        met = true;
        return fate;
    };
}

bool holds_row(stage& on, const stage::actor& who) {
    const auto row = on.world.row("coordination", "lock#x");
    const auto* holder = row ? find_string(*row, "holder") : nullptr;
    return holder && *holder == who.session->id();
}

void put_row(stage& on, item row) {
    row.emplace("sk", "-");
    on.world.call(put_item_request{.table_name = "coordination", .new_item = std::move(row)}).value();
}

void try_once(stage& on, stage::actor& who) {
    who.lock().try_acquire(on.handler(keep(who.guard)));
}

// ---- the worlds ----------------------------------------------------------------------------------------------

void floor_of_the_future(stage& on) {
    constexpr std::int64_t in_2099 = 4'070'908'800'000;
    put_row(on, {{"pk", "lock#y"}, {"v", 1}, {"floor", in_2099}});
    dynalease::lock(*on.a.session, "y").acquire(acquire_options{}, on.handler(keep(on.second)));
    on.run_for(1s);
    if (on.second.fencing_token() <= in_2099) on.fail("P2: the token did not rise");
    on.second = {};
    on.hold(on.a);
    if (on.a.guard.fencing_token() >= in_2099) on.fail("P2: a floor of the future spread to another lock");
}

void newer_schema(stage& on) {
    const item newer{{"pk", "lock#x"}, {"sk", "-"}, {"v", 2}, {"floor", 1}};
    put_row(on, newer);
    try_once(on, on.a);
    on.run_for(2s);
    if (on.world.row("coordination", "lock#x") != newer) on.fail("schema: a row of another version was written");
    on.world.call(delete_item_request{.table_name = "coordination", .key = {{"pk", "lock#x"}, {"sk", "-"}}}).value();
}

void newcomer(stage& on) {
    on.hold(on.b);
    dynalease::lock slow(*on.a.session, "x", {.poll_interval = 1000ms});
    slow.acquire(acquire_options{}, on.handler(keep(on.a.guard)));
    on.run_for(1300ms);  // it has just looked
    on.b.guard.release(on.handler(ignore));
    on.run_for(100ms);
    try_once(on, on.c);
    on.run_for(300ms);
    if (on.c.guard) on.fail("fairness: a newcomer took what another waits for");
    on.c.guard = {};
    on.run_for(40s);
}

/// Two overtake one that is cut off when its turn has come.
void take_turns(stage& on, stage::actor& who, const bool& stop) {
    if (stop || !who.session) return;
    who.lock().acquire(acquire_options{}, on.handler([&on, &who, &stop](error_code code, lock_guard got) {
        if (code) return;
        who.guard = std::move(got);
        who.guard.release(on.handler([&on, &who, &stop](error_code) { take_turns(on, who, stop); }));
    }));
}

void overtaking(stage& on) {
    bool stop = false;
    on.hold(on.b);
    on.a.lock().acquire(acquire_options{}, on.handler(keep(on.a.guard)));
    on.run_for(500ms);
    on.a.machine.network().set_plan([](const any_request&, const call_options& options) {
        using enum testing::fault::kind;
        return testing::fault{.what = options.lane == lane::heartbeat ? pass : lose_request};
    });
    on.b.guard.release(on.handler(ignore));
    for (auto* who : {&on.b, &on.c}) {
        who->machine.network().set_plan([](const any_request&, const call_options&) { return on_its_way; });
        take_turns(on, *who, stop);
    }
    for (int i = 0; i < 400 && on.broken().empty(); ++i) {
        on.run_for(50ms);
        const auto row = on.world.row("coordination", "lock#x");
        if (row && find_integer(*row, "passed").value_or(0) > 32) on.fail("fairness: the head was overtaken too often");
        if (on.a.guard) break;
    }
    stop = true;
    on.a.machine.network().set_plan({});
    on.a.guard = {};
    on.run_for(2s);
    for (auto* who : {&on.a, &on.b, &on.c}) who->guard = {};
    on.run_for(40s);
}

void absent_head(stage& on) {
    on.hold(on.b);
    on.a.lock().acquire(acquire_options{}, on.handler(ignore));
    on.run_for(1s);
    on.crash();
    on.b.guard.release(on.handler(ignore));
    for (int i = 0; i < 30 && !on.c.guard; ++i) {
        try_once(on, on.c);
        on.run_for(300ms);
    }
    if (!on.c.guard) on.fail("P6: a lock stands free, and a dead one's place in line keeps it so");
    on.c.guard = {};
    on.run_for(500ms);
}

void own_ghost(stage& on) {
    on.warm_up(on.a);
    put_row(on, {{"pk", "lock#x"},
                 {"v", 1},
                 {"floor", 1'800'000'000'000},
                 {"token", 1'800'000'000'000},
                 {"holder", on.a.session->id()},
                 {"attempt", 0}});
    on.a.lock().acquire({.wait = 5s}, on.handler(keep(on.a.guard)));
    on.run_for(6s);
    if (!on.a.guard) on.fail("P8: a session waits for itself");
}

void copy_after_a_try(stage& on, world_run& run) {
    const std::chrono::seconds late(20 + run.choices.choose("copy after a try", 200));
    on.warm_up(on.a);
    on.hold(on.b);
    on.a.machine.network().set_plan(first_of(purpose::take, {.what = fault::kind::apply_twice, .copy = late}));
    try_once(on, on.a);
    on.run_for(1s);
    on.b.guard.release(on.handler(ignore));
    on.run_for(13min);
    if (holds_row(on, on.a)) on.fail("P7: a copy of a refused try holds the lock for good");
}

void late_take_under_a_holder(stage& on) {
    on.warm_up(on.a);
    on.hold(on.b);
    on.a.machine.network().set_plan(first_of(purpose::take, {.before = 6s, .after = 2ms}));
    try_once(on, on.a);
    on.run_for(4s);
    on.b.guard.release(on.handler(ignore));
    on.run_for(5s);
    if (holds_row(on, on.a)) on.fail("P7: a copy of a given-up claim holds the lock");
}

void late_take_over(stage& on) {
    lock_guard other;
    on.hold(on.b);
    dynalease::lock(*on.b.session, "y").acquire(acquire_options{}, on.handler(keep(other)));
    on.run_for(200ms);
    on.b.machine.crash();
    other = {};
    // By another lock it has become known that the holder is over: nothing has to be waited for, and no line.
    dynalease::lock(*on.a.session, "y").acquire(acquire_options{}, on.handler(keep(on.second)));
    on.run_for(6s);
    on.second = {};
    bool sent = false;
    on.a.machine.network().set_plan([&sent](const any_request& request, const call_options&) {
        if (sent || purpose_of(request) != purpose::take_over) return on_its_way;
        sent = true;
        return fault{.before = 5s, .after = 2ms};
    });
    on.a.lock().acquire(acquire_options{}, on.cancelled_handler(keep(on.a.guard)));
    for (int i = 0; i < 200 && !sent; ++i) on.run_for(50ms);
    on.run_for(200ms);
    on.cancel.emit(boost::asio::cancellation_type::terminal);
    on.run_for(8s);
    if (holds_row(on, on.a)) on.fail("P7: a late take-over of a given-up claim holds the lock");
}

void unanswered_try(stage& on) {
    on.warm_up(on.a);
    on.a.machine.network().set_plan(first_of(purpose::take, {.what = fault::kind::lose_answer}));
    try_once(on, on.a);
    on.run_for(5s);
    on.a.guard = {};
    on.run_for(3s);
    if (holds_row(on, on.a)) on.fail("P7: a try without an answer holds the lock");
}

void abandoned_hand_over(stage& on) {
    on.hold(on.a);
    on.a.machine.network().set_plan(first_of(purpose::hand_over, {.what = fault::kind::lose_answer}));
    on.a.lock().acquire(acquire_options{}, on.cancelled_handler(keep(on.second)));
    on.run_for(50ms);
    on.a.guard.release(on.handler(ignore));
    on.run_for(300ms);
    on.cancel.emit(boost::asio::cancellation_type::terminal);
    on.run_for(6s);
    if (holds_row(on, on.a)) on.fail("P7: a hand-over to one who has gone holds the lock");
}

void answer_after_the_deadline(stage& on) {
    on.hold(on.a);
    time_point passed{};
    bool stopped = false;
    on.a.machine.network().set_plan([&](const any_request& request, const call_options&) {
        if (purpose_of(request) != purpose::beat) return on_its_way;
        const auto now = on.world.now();
        if (passed == time_point{}) passed = now;
        if (now == passed) return on_its_way;
        if (now - passed < 2500ms) return fault{.what = fault::kind::lose_request};
        if (!std::exchange(stopped, true)) {
            on.later(1ms, [&on] { on.a.machine.pause(); });
            on.later(passed + 3200ms - now, [&on] { on.a.machine.resume(); });
        }
        return fault{.before = 5ms, .after = 5ms};
    });
    bool ended = false;
    for (int i = 0; i < 600 && on.broken().empty(); ++i) {
        on.run_for(10ms);
        const bool valid = on.a.guard.held();
        if (valid && ended) on.fail("P5: a lost guard became valid again");
        ended = ended || !valid;
    }
    on.a.machine.network().set_plan({});
}

/// Heartbeats as far apart as they may be, under the eyes of one whose looks take their time.
void slow_looks(stage& on, world_run& run) {
    on.warm_up(on.a);
    on.hold(on.b);
    const auto some = [&run](const char* label) { return std::chrono::milliseconds(run.choices.choose(label, 480)); };
    time_point passed{};
    on.b.machine.network().set_plan([&](const any_request& request, const call_options&) {
        if (purpose_of(request) != purpose::beat) return on_its_way;
        const auto now = on.world.now();
        if (now - passed < 2400ms) return fault{.what = fault::kind::lose_request};
        passed = now;
        return on_its_way;
    });
    on.a.machine.network().set_plan([&](const any_request& request, const call_options&) {
        if (purpose_of(request) != purpose::look_at_session) return on_its_way;
        const auto there = some("look: there");
        return fault{.before = there, .after = some("look: back")};
    });
    on.a.lock().acquire({.wait = 40s}, on.handler(keep(on.a.guard)));
    on.run_for(41s);
    if (on.a.guard) on.fail("P1: taken from a session that lives");
    on.b.machine.network().set_plan({});
}

/// A look under way while the beat comes that it shows, the last one that gets through.
void look_before_the_last_beat(stage& on, world_run& run) {
    on.warm_up(on.a);
    on.hold(on.b);
    on.a.machine.network().set_plan([&run](const any_request& request, const call_options&) {
        if (purpose_of(request) != purpose::look_at_session) return on_its_way;
        return fault{.before = std::chrono::milliseconds(run.choices.choose("look: there", 900)), .after = 2ms};
    });
    on.a.lock().acquire(acquire_options{}, on.handler(keep(on.a.guard)));
    on.run_for(4s + std::chrono::milliseconds(run.choices.choose("last beat", 3000)));
    on.b.machine.network().set_plan(
        [](const any_request&, const call_options&) { return fault{.what = fault::kind::lose_request}; });
    on.run_for(30s);
    if (!on.a.guard) on.fail("P6: a dead process's lock was not taken over");
    on.b.machine.network().set_plan({});
}

void tries_at_a_dead_holder(stage& on) {
    on.warm_up(on.c);
    on.hold(on.b);
    on.b.machine.crash();
    for (int i = 0; i < 120 && !on.c.guard; ++i) {
        try_once(on, on.c);
        on.run_for(300ms);
    }
    if (!on.c.guard) on.fail("P6: tries never find out that a holder is dead");
    on.c.guard = {};
    on.run_for(500ms);
}

void hand_over_after_hand_over(stage& on) {
    on.hold(on.a);
    on.a.machine.network().set_plan([sent = 0](const any_request& request, const call_options&) mutable {
        if (purpose_of(request) != purpose::hand_over || ++sent > 2) return on_its_way;
        return fault{.what = sent == 1 ? fault::kind::lose_answer : fault::kind::lose_request};
    });
    on.a.lock().acquire(acquire_options{}, on.cancelled_handler(keep(on.second)));
    on.run_for(50ms);
    on.a.guard.release(on.handler(ignore));
    on.run_for(1500ms);
    on.cancel.emit(boost::asio::cancellation_type::terminal);
    on.run_for(8s);
    if (holds_row(on, on.a)) on.fail("P7: one of two hand-overs holds the lock");
}

/// A take is under way while another has the lock, gives it back, and the row is removed.
void row_goes_back(stage& on) {
    on.warm_up(on.a);
    on.warm_up(on.b);
    on.a.machine.network().set_plan(first_of(purpose::take, {.before = 700ms, .after = 2ms}));
    try_once(on, on.a);
    on.run_for(50ms);
    on.hold(on.b);
    const auto granted = on.b.guard.fencing_token();
    on.b.guard.release(on.handler(ignore));
    on.run_for(100ms);
    on.world.call(delete_item_request{.table_name = "coordination", .key = {{"pk", "lock#x"}, {"sk", "-"}}}).value();
    on.run_for(3s);
    if (on.a.guard && on.a.guard.fencing_token() <= granted) on.fail("P2: a token did not rise after its row was gone");
}

// Of no weight: campaigns draw from larger worlds, and the mutants name these.
const contribution directed{{
    .name = "lock",
    .scenarios = {{"floor-of-the-future", 0, play_directed<floor_of_the_future>},
                  {"newer-schema", 0, play_directed<newer_schema>},
                  {"newcomer", 0, play_directed<newcomer>},
                  {"overtaking", 0, play_directed<overtaking>},
                  {"absent-head", 0, play_directed<absent_head>},
                  {"own-ghost", 0, play_directed<own_ghost>},
                  {"copy-after-a-try", 0, play_directed<copy_after_a_try>},
                  {"late-take-under-a-holder", 0, play_directed<late_take_under_a_holder>},
                  {"late-take-over", 0, play_directed<late_take_over>},
                  {"unanswered-try", 0, play_directed<unanswered_try>},
                  {"abandoned-hand-over", 0, play_directed<abandoned_hand_over>},
                  {"answer-after-the-deadline", 0, play_directed<answer_after_the_deadline>},
                  {"slow-looks", 0, play_directed<slow_looks>},
                  {"look-before-the-last-beat", 0, play_directed<look_before_the_last_beat>},
                  {"tries-at-a-dead-holder", 0, play_directed<tries_at_a_dead_holder>},
                  {"hand-over-after-hand-over", 0, play_directed<hand_over_after_hand_over>},
                  {"row-goes-back", 0, play_directed<row_goes_back>}},
}};

}  // namespace

}  // namespace dynalease::simulation::locks
