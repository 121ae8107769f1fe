// Every public operation on locked items, in the setting that shows it, disturbed at every point.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/fault_points.hpp"
#include "simulation/item_lock/stage.hpp"

#include <dynalease/item_lock.hpp>
#include <dynalease/versioned.hpp>

#include <utility>

namespace dynalease::simulation::item_locks {

using namespace std::chrono_literals;

namespace {

using enum stage::access;

void a_is_warm(stage& on) {
    on.warm_up(on.a);
}
void a_writes(stage& on) {
    on.hold(on.a);
}
void a_reads(stage& on) {
    on.hold(on.a, shared);
}
void b_writes(stage& on) {
    on.warm_up(on.a);
    on.hold(on.b);
}
void b_reads(stage& on) {
    on.warm_up(on.a);
    on.hold(on.b, shared);
}
void b_wrote_and_died(stage& on) {
    b_writes(on);
    on.b.machine.crash();
}
void b_read_and_died(stage& on) {
    b_reads(on);
    on.b.machine.crash();
}
void a_writes_and_b_waits(stage& on) {
    on.hold(on.a);
    on.b.lock().acquire(on.handler(stage::keep(on.b)));
    on.run_for(1s);
}

void acquire(stage& on) {
    on.a.lock().acquire(on.cancelled_handler(stage::keep(on.a)));
}
void acquire_shared(stage& on) {
    on.a.lock().acquire_shared(on.cancelled_handler(stage::keep(on.a)));
}
void b_lets_go(stage& on) {
    on.later(900ms, [&on] {
        if (!on.b.guards.empty()) on.b.guards.back().release(on.handler(ignore));
    });
}
void acquire_until_b_lets_go(stage& on) {
    acquire(on);
    b_lets_go(on);
}
void read_when_b_lets_go(stage& on) {
    acquire_shared(on);
    b_lets_go(on);
}
void acquire_in_vain(stage& on) {
    item_acquire_options patience{.wait = 700ms};
    on.a.lock().acquire(patience, on.cancelled_handler(stage::keep(on.a)));
}
void try_to_acquire(stage& on) {
    on.a.lock().try_acquire(on.cancelled_handler(stage::keep(on.a)));
}
void try_to_read(stage& on) {
    on.a.lock().try_acquire_shared(on.cancelled_handler(stage::keep(on.a)));
}
/// The second of `a` waits in the process; the first hands over.
void hand_over(stage& on) {
    acquire(on);
    on.later(50ms, [&on] {
        if (on.a.guards.empty()) return;
        auto first = std::move(on.a.guards.front());
        on.a.guards.erase(on.a.guards.begin());
        first.release(on.handler(ignore));
    });
}

void update(stage& on) {
    on.a.guards.back().update(stage::one_more(), {}, on.cancelled_handler(on.count()));
}
/// What is begun while an answer is out must not be lost with it.
void update_twice(stage& on) {
    on.a.guards.back().update(stage::one_more(), {}, on.cancelled_handler([&on, told = on.count()](auto... done) {
        told(std::move(done)...);
        if (on.a.guards.empty() || !on.a.guards.back().held()) return;
        on.a.guards.back().update(stage::one_more(), {}, on.handler(on.count()));
    }));
}
void update_in_vain(stage& on) {
    auto never = path("sum") == operand(attribute_value(99));
    on.a.guards.back().update(stage::one_more(), std::move(never), on.cancelled_handler(on.count()));
}
void update_and_release(stage& on) {
    auto told = [&on, count = on.count()](error_code code, auto&&... left) mutable {
        count(code, left...);
        // Cancelled before it began, it leaves the guard as it was: others wait until that is given back.
        if (code == condition::cancelled && !on.a.guards.empty()) on.a.guards.back() = {};
    };
    on.a.guards.back().update_and_release(stage::one_more(), {}, on.cancelled_handler(std::move(told)));
}
/// An optimistic update that takes the lock as soon as it may.
void promoted(stage& on) {
    const auto till = stage::till();
    const versioned_items table(on.a.machine.database(), {.table = till.table, .key = "pk", .sort_key = "sk"});
    auto change = [](item value) {
        value.insert_or_assign("sum", find_integer(value, "sum").value_or(0) + 1);
        return value;
    };
    update_options how{.promote = promotion{.with = &*on.a.session}};
    table.update(till.key, std::move(change), how, on.cancelled_handler(on.count()));
}
void promoted_when_b_lets_go(stage& on) {
    promoted(on);
    b_lets_go(on);
}
void erase(stage& on) {
    on.expect_erasure();
    on.a.guards.back().erase({}, on.cancelled_handler(ignore));
}
void downgrade(stage& on) {
    on.a.guards.back().downgrade(on.cancelled_handler(ignore));
}
void release(stage& on) {
    on.a.guards.back().release(on.cancelled_handler(ignore));
}
void drop_guard(stage& on) {
    on.a.guards.clear();
}
void wait_for_loss(stage& on) {
    on.a.guards.back().lost(on.cancelled_handler(ignore));
    on.later(300ms, [&on] {
        if (!on.a.guards.empty()) on.a.guards.back().release(on.handler(ignore));
    });
}
void close(stage& on) {
    on.a.session->close({}, on.cancelled_handler(ignore));
}

// ---- several items -------------------------------------------------------------------------------------------

std::vector<item_demand> both(stage::actor& who) {
    std::vector<item_demand> wanted;
    wanted.push_back({who.lock(0)});
    wanted.push_back({who.lock(1)});
    return wanted;
}
auto keep_all(stage::actor& in) {
    return [&in](error_code, std::vector<item_guard> got) {
        for (auto& each : got) in.guards.push_back(std::move(each));
    };
}
void acquire_both(stage& on) {
    acquire_all(both(on.a), acquire_all_options{}, on.cancelled_handler(keep_all(on.a)));
}
void acquire_both_one_by_one(stage& on) {
    acquire_all_options how{.one_by_one = true};
    acquire_all(both(on.a), how, on.cancelled_handler(keep_all(on.a)));
}
void acquire_both_when_b_lets_go(stage& on) {
    acquire_both(on);
    b_lets_go(on);
}
void a_has_both(stage& on) {
    acquire_all(both(on.a), acquire_all_options{}, on.handler(keep_all(on.a)));
    on.run_for(300ms);
    if (on.a.guards.size() != 2) on.fail("the setting does not come about");
}
void commit_both(stage& on) {
    std::vector<item_commit> parts;
    for (auto& each : std::exchange(on.a.guards, {})) parts.push_back({std::move(each), stage::one_more()});
    commit_all(std::move(parts), on.cancelled_handler([first = on.count(), second = on.count()](error_code code) {
        first(code);
        second(code);
    }));
}

void only_hold(stage&) {}

/// The same with plain sessions.
template <void (*Prepare)(stage& on)>
void plain(stage& on) {
    on.go_without_rows();
    Prepare(on);
}

constexpr operation_on<stage> operations[] = {
    {"open", [](stage&) {}, acquire},
    {"acquire free", a_is_warm, acquire},
    {"acquire shared", a_is_warm, acquire_shared},
    {"acquire behind a writer", b_writes, acquire_until_b_lets_go},
    {"acquire behind a reader", b_reads, acquire_until_b_lets_go},
    {"acquire shared behind a writer", b_writes, read_when_b_lets_go},
    {"acquire shared beside a reader", b_reads, acquire_shared},
    {"acquire in vain", b_writes, acquire_in_vain},
    {"acquire in vain behind a reader", b_reads, acquire_in_vain},
    {"acquire from a dead writer", b_wrote_and_died, acquire},
    {"acquire from a dead reader", b_read_and_died, acquire},
    {"acquire shared from a dead writer", b_wrote_and_died, acquire_shared},
    {"try free", a_is_warm, try_to_acquire},
    {"try held", b_writes, try_to_acquire},
    {"try shared", a_is_warm, try_to_read},
    {"hand over", a_writes, hand_over, 60ms},
    {"update", a_writes, update},
    {"update twice", a_writes, update_twice},
    {"update in vain", a_writes, update_in_vain},
    {"update and release", a_writes, update_and_release},
    {"update and release while others wait", a_writes_and_b_waits, update_and_release},
    {"promoted update", a_is_warm, promoted},
    {"promoted update behind a writer", b_writes, promoted_when_b_lets_go},
    {"promoted update behind a reader", b_reads, promoted_when_b_lets_go},
    {"promoted update from a dead writer", b_wrote_and_died, promoted},
    {"erase", a_writes, erase},
    {"downgrade", a_writes, downgrade},
    {"release", a_writes, release},
    {"release shared", a_reads, release},
    {"release while others wait", a_writes_and_b_waits, release, 500ms},
    {"drop a guard", a_writes, drop_guard, 300ms},
    {"drop a reader's guard", a_reads, drop_guard, 300ms},
    {"wait for loss", a_writes, wait_for_loss, 310ms},
    {"close", a_writes, close},
    {"close while others wait", a_writes_and_b_waits, close},
    {"acquire_all", a_is_warm, acquire_both},
    {"acquire_all, one by one", a_is_warm, acquire_both_one_by_one},
    {"acquire_all behind another", b_writes, acquire_both_when_b_lets_go},
    {"commit_all", a_has_both, commit_both},
    {"acquire without rows", plain<a_is_warm>, acquire},
    {"acquire without rows behind a writer", plain<b_writes>, acquire_until_b_lets_go},
    {"acquire without rows behind a reader", plain<b_reads>, acquire_until_b_lets_go},
    {"acquire without rows from a dead writer", plain<b_wrote_and_died>, acquire},
    {"acquire without rows from a dead reader", plain<b_read_and_died>, acquire},
    {"hold without rows", plain<a_writes>, only_hold, 2500ms},
    {"read without rows", plain<a_reads>, only_hold, 2500ms},
    {"update without rows", plain<a_writes>, update_twice, 1500ms},
    {"update and release without rows", plain<a_writes_and_b_waits>, update_and_release},
    {"downgrade without rows", plain<a_writes>, downgrade, 1500ms},
    {"release a reader without rows", plain<a_reads>, release},
    {"hand over without rows", plain<a_writes>, hand_over, 60ms},
    {"close without rows", plain<a_writes>, close},
    {"acquire_all without rows", plain<a_is_warm>, acquire_both},
    {"commit_all without rows", plain<a_has_both>, commit_both},
};

const contribution item_points{{.name = "item_lock", .fault_points = fault_points_of<operations>}};

}  // namespace

}  // namespace dynalease::simulation::item_locks
