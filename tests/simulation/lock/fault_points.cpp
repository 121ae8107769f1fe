// Every public operation of sessions and locks, in the setting that shows it, disturbed at every point.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/fault_points.hpp"
#include "simulation/lock/stage.hpp"

#include <dynalease/coordination_table.hpp>
#include <dynalease/lock.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>

#include <utility>

namespace dynalease::simulation::locks {

using namespace std::chrono_literals;
namespace asio = boost::asio;

namespace {

void nothing(stage&) {}
void a_is_warm(stage& on) {
    on.warm_up(on.a);
}
void a_holds(stage& on) {
    on.hold(on.a);
}
void b_holds(stage& on) {
    on.warm_up(on.a);
    on.hold(on.b);
}
void b_held_and_died(stage& on) {
    b_holds(on);
    on.b.machine.crash();
}
void a_holds_and_b_waits(stage& on) {
    on.hold(on.a);
    on.b.lock().acquire(acquire_options{}, on.handler(keep(on.b.guard)));
    on.run_for(1s);
}

void acquire(stage& on) {
    on.a.lock().acquire(acquire_options{}, on.cancelled_handler(keep(on.a.guard)));
}

void acquire_until_b_lets_go(stage& on) {
    acquire(on);
    on.later(900ms, [&on] { on.b.guard.release(on.handler(ignore)); });
}

void acquire_in_vain(stage& on) {
    acquire_options options{.wait = 700ms};
    on.a.lock().acquire(std::move(options), on.cancelled_handler(keep(on.a.guard)));
}

void try_to_acquire(stage& on) {
    on.a.lock().try_acquire(on.cancelled_handler(keep(on.a.guard)));
}

/// The second of `a` waits in the process; the first hands over.
void hand_over(stage& on) {
    on.a.lock().acquire(acquire_options{}, on.cancelled_handler(keep(on.second)));
    on.later(50ms, [&on] {
        if (on.a.guard) on.a.guard.release(on.handler(ignore));
    });
}

/// Those of other processes get it after that.
void hand_over_and_release(stage& on) {
    on.a.lock().acquire(acquire_options{}, on.cancelled_handler([&on](error_code, lock_guard got) {
        on.second = std::move(got);
        if (on.second) on.second.release(on.handler(ignore));
    }));
    on.later(50ms, [&on] {
        if (on.a.guard) on.a.guard.release(on.handler(ignore));
    });
}

void release(stage& on) {
    on.a.guard.release(on.cancelled_handler(ignore));
}

void drop_guard(stage& on) {
    on.a.guard = {};
}

void wait_for_loss(stage& on) {
    on.a.guard.lost(on.cancelled_handler(ignore));
    on.later(300ms, [&on] {
        if (on.a.guard) on.a.guard.release(on.handler(ignore));
    });
}

void wait_for_the_end(stage& on) {
    on.a.session->over(on.cancelled_handler(ignore));
    on.later(300ms, [&on] {
        if (on.a.session && !on.a.machine.crashed()) on.a.session->close({}, on.handler(ignore));
    });
}

void inspect(stage& on) {
    on.a.lock().inspect(on.cancelled_handler(ignore));
}

void list(stage& on) {
    list_locks_options options{.table = "coordination"};
    list_locks(on.a.machine.database(), std::move(options), on.cancelled_handler(ignore));
}

asio::awaitable<void> work(lock_guard& guard, testing::node& in) {
    const auto clock = in.environment().clock;
    if (guard.held()) co_await clock->async_wait_until(clock->now() + 200ms, asio::as_tuple(asio::deferred));
}

asio::awaitable<void> guarded_work(stage& on, dynalease::lock target) {
    // Boost 1.81 throws out of its loop when a coroutine is cancelled before its first step.
    on.cancel.slot().assign([&on](asio::cancellation_type type) { on.cancel_body.emit(type); });
    const auto body = [&in = on.a.machine](lock_guard& guard) { return work(guard, in); };
    acquire_options options;
    co_await with_lock(std::move(target), body, std::move(options));
}

void with_a_lock(stage& on) {
    asio::co_spawn(on.a.machine.environment().executor, guarded_work(on, on.a.lock()),
                   asio::bind_cancellation_slot(on.cancel_body.slot(), on.handler(ignore)));
}

void close(stage& on) {
    on.a.session->close({}, on.cancelled_handler(ignore));
}

void close_without_release(stage& on) {
    on.a.session->close({.release = false}, on.cancelled_handler(ignore));
}

void drop_session(stage& on) {
    on.a.session.reset();
}

constexpr operation_on<stage> operations[] = {
    {"open", nothing, acquire},
    {"beat", a_holds, nothing, 2500ms},
    {"acquire free", a_is_warm, acquire},
    {"acquire behind another", b_holds, acquire_until_b_lets_go},
    {"acquire in vain", b_holds, acquire_in_vain},
    {"acquire from the dead", b_held_and_died, acquire},
    {"try free", a_is_warm, try_to_acquire},
    {"try held", b_holds, try_to_acquire},
    {"hand over", a_holds, hand_over, 60ms},
    {"hand over while others wait", a_holds_and_b_waits, hand_over_and_release, 60ms},
    {"release", a_holds, release},
    {"release while others wait", a_holds_and_b_waits, release, 500ms},
    {"drop a guard", a_holds, drop_guard, 300ms},
    {"wait for loss", a_holds, wait_for_loss, 310ms},
    {"wait for the end", a_holds, wait_for_the_end, 310ms},
    {"inspect", b_holds, inspect},
    {"list", b_holds, list},
    {"with_lock", a_is_warm, with_a_lock},
    {"close", a_holds, close},
    {"close while others wait", a_holds_and_b_waits, close},
    {"close without release", a_holds, close_without_release},
    {"drop the session", a_holds, drop_session, 300ms},
};

const contribution lock_points{{.name = "lock", .fault_points = fault_points_of<operations>}};

}  // namespace

}  // namespace dynalease::simulation::locks
