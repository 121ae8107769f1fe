// Every public operation of queues, disturbed at every point: each as a program would call it.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/fault_points.hpp"

#include "simulation/queue/stage.hpp"

#include <dynalease/queue.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>

#include <utility>

namespace dynalease::simulation::queues {

using namespace std::chrono_literals;
namespace asio = boost::asio;

namespace {

auto keep(queue_turn& in) {
    return [&in](error_code, queue_turn got) { in = std::move(got); };
}
/// Leaves as soon as its turn has come, so that those behind have theirs.
auto keep_for_a_moment(queue_turn& in, stage& on) {
    return [&in, &on](error_code, queue_turn got) {
        in = std::move(got);
        if (in) in.leave(on.handler(ignore));
    };
}
auto keep(std::vector<queue_turn>& in) {
    return [&in](error_code, std::vector<queue_turn> got) { in = std::move(got); };
}

// ---- settings ------------------------------------------------------------------------------------------------

void nothing(stage&) {}
void a_is_warm(stage& on) {
    on.warm_up(on.a);
}
void a_has_the_turn(stage& on) {
    on.hold(on.a);
}
void a_has_the_turn_for_long(stage& on) {
    on.hold(on.a);
    on.run_for(1500ms);
}
void b_has_the_turn(stage& on) {
    on.warm_up(on.a);
    on.hold(on.b);
}
void b_is_known_to_have_the_turn(stage& on) {
    b_has_the_turn(on);
    on.a.queue().try_enter(on.handler(ignore));
    on.run_for(300ms);
}
void b_had_the_turn_and_died(stage& on) {
    b_has_the_turn(on);
    on.b.machine.crash();
}
void b_had_the_turn_for_long_and_died(stage& on) {
    b_has_the_turn(on);
    on.run_for(1500ms);
    on.b.machine.crash();
}
void a_has_the_turn_and_b_waits(stage& on) {
    on.hold(on.a);
    on.b.queue().enter(enter_options{}, on.handler(keep_for_a_moment(on.b.turn, on)));
    on.run_for(1s);
}
void a_waits_behind_b(stage& on) {
    b_has_the_turn(on);
    on.a.queue().enter(enter_options{}, on.handler(keep(on.a.turn)));
    on.run_for(500ms);
}

// ---- operations ----------------------------------------------------------------------------------------------

void enter(stage& on) {
    on.a.queue().enter(enter_options{}, on.cancelled_handler(keep(on.a.turn)));
}

void enter_until_b_leaves(stage& on) {
    enter(on);
    on.later(900ms, [&on] { on.b.turn.leave(on.handler(ignore)); });
}

void enter_in_vain(stage& on) {
    on.a.queue().enter(enter_options{.wait = 700ms}, on.cancelled_handler(keep(on.a.turn)));
}

/// Others wait behind the one that is disturbed, and have their turn all the same.
void enter_between_others(stage& on) {
    on.a.queue().enter(enter_options{}, on.cancelled_handler(keep_for_a_moment(on.a.turn, on)));
    on.later(100ms, [&on] { on.c.queue().enter(enter_options{}, on.handler(keep_for_a_moment(on.c.turn, on))); });
    on.later(900ms, [&on] { on.b.turn.leave(on.handler(ignore)); });
}

void ask_who_lives(stage& on) {
    on.a.queue().enter(enter_options{.wait = until_known}, on.cancelled_handler(keep(on.a.turn)));
}

void try_to_enter(stage& on) {
    on.a.queue().try_enter(on.cancelled_handler(keep(on.a.turn)));
}

/// The second of `a` waits in the process, and has the turn when the first leaves.
void hand_over(stage& on) {
    on.a.queue().enter(enter_options{}, on.cancelled_handler(keep_for_a_moment(on.a.second, on)));
    on.later(50ms, [&on] {
        if (on.a.turn) on.a.turn.leave(on.handler(ignore));
    });
}

void leave(stage& on) {
    on.a.turn.leave(on.cancelled_handler(ignore));
}

void drop_turn(stage& on) {
    on.a.turn = {};
}

void wait_for_loss(stage& on) {
    on.a.turn.lost(on.cancelled_handler(ignore));
    on.later(300ms, [&on] {
        if (on.a.turn) on.a.turn.leave(on.handler(ignore));
    });
}

void position(stage& on) {
    on.a.queue().position(on.cancelled_handler(ignore));
}

void inspect(stage& on) {
    on.a.queue().inspect(on.cancelled_handler(ignore));
}

void enter_both(stage& on) {
    enter_all(on.a.both(), enter_options{}, on.cancelled_handler(keep(on.a.turns)));
}

void enter_both_until_b_leaves(stage& on) {
    enter_both(on);
    on.later(900ms, [&on] { on.b.turn.leave(on.handler(ignore)); });
}

void enter_both_in_vain(stage& on) {
    enter_all(on.a.both(), enter_options{.wait = 700ms}, on.cancelled_handler(keep(on.a.turns)));
}

/// Against another who wants the same two, and names them the other way round.
void enter_both_against_another(stage& on) {
    // Whatever either of them gets, it leaves at once.
    enter_all(on.a.both(), enter_options{}, on.cancelled_handler(ignore));
    std::vector<queue> reversed{on.b.queue("y"), on.b.queue("x")};
    enter_all(std::move(reversed), enter_options{}, on.handler(ignore));
}

asio::awaitable<void> work(queue_turn& turn, testing::node& in) {
    const auto clock = in.environment().clock;
    if (turn.held()) co_await clock->async_wait_until(clock->now() + 200ms, asio::as_tuple(asio::deferred));
}

asio::awaitable<void> work_in_turn(stage& on, queue target) {
    // Boost 1.81 throws out of its loop when a coroutine is cancelled before its first step.
    on.cancel.slot().assign([&on](asio::cancellation_type type) { on.cancel_body.emit(type); });
    const auto body = [&in = on.a.machine](queue_turn& turn) { return work(turn, in); };
    enter_options options;
    co_await with_turn(std::move(target), body, std::move(options));
}

void with_a_turn(stage& on) {
    asio::co_spawn(on.a.machine.environment().executor, work_in_turn(on, on.a.queue()),
                   asio::bind_cancellation_slot(on.cancel_body.slot(), on.handler(ignore)));
}

void close(stage& on) {
    on.a.session->close({}, on.cancelled_handler(ignore));
}

void close_without_leaving(stage& on) {
    on.a.session->close({.release = false}, on.cancelled_handler(ignore));
}

void drop_session(stage& on) {
    on.a.session.reset();
}

constexpr operation_on<stage> operations[] = {
    {"open", nothing, enter},
    {"enter free", a_is_warm, enter},
    {"enter behind another", b_has_the_turn, enter_until_b_leaves},
    {"enter between others", b_has_the_turn, enter_between_others, 1500ms},
    {"enter in vain", b_has_the_turn, enter_in_vain},
    {"enter behind the dead", b_had_the_turn_and_died, enter},
    {"enter behind the dead that were written down", b_had_the_turn_for_long_and_died, enter},
    {"ask who lives before the living", b_has_the_turn, ask_who_lives},
    {"ask who lives behind the dead", b_had_the_turn_and_died, ask_who_lives},
    {"ask who lives behind the dead that were written down", b_had_the_turn_for_long_and_died, ask_who_lives},
    {"try free", a_is_warm, try_to_enter},
    {"try busy", b_has_the_turn, try_to_enter},
    {"try known busy", b_is_known_to_have_the_turn, try_to_enter},
    {"stay", a_has_the_turn, nothing, 3500ms},
    {"hand over", a_has_the_turn, hand_over, 60ms},
    {"hand over what was written down", a_has_the_turn_for_long, hand_over, 60ms},
    {"hand over while others wait", a_has_the_turn_and_b_waits, hand_over, 500ms},
    {"leave", a_has_the_turn, leave},
    {"leave what was written down", a_has_the_turn_for_long, leave, 1200ms},
    {"leave while others wait", a_has_the_turn_and_b_waits, leave, 500ms},
    {"drop a turn", a_has_the_turn, drop_turn, 300ms},
    {"wait for loss", a_has_the_turn, wait_for_loss, 310ms},
    {"position", b_has_the_turn, position},
    {"inspect", b_has_the_turn, inspect},
    {"enter_all free", a_is_warm, enter_both},
    {"enter_all behind another", b_has_the_turn, enter_both_until_b_leaves},
    {"enter_all in vain", b_has_the_turn, enter_both_in_vain},
    {"enter_all against another", a_is_warm, enter_both_against_another},
    {"with_turn", a_is_warm, with_a_turn},
    {"close", a_has_the_turn, close},
    {"close while waiting", a_waits_behind_b, close},
    {"close while others wait", a_has_the_turn_and_b_waits, close},
    {"close without leaving", a_has_the_turn, close_without_leaving},
    {"drop the session", a_has_the_turn, drop_session, 300ms},
};

const contribution queue_points{{.name = "queue", .fault_points = fault_points_of<operations>}};

}  // namespace

}  // namespace dynalease::simulation::queues
