// What must hold while an operation on a locked item is disturbed, and after.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/item_lock/stage.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace dynalease::simulation::item_locks {

namespace {

constexpr const char* tills = "tills";
constexpr std::size_t item_count = 2;

item_key key_of(std::size_t index) {
    return {{"pk", "till/" + std::to_string(index)}, {"sk", "-"}};
}

}  // namespace

item_lock actor::lock(std::size_t item) {
    return {*session, stage::till(item)};
}

item_ref stage::till(std::size_t index) {
    return {tills, key_of(index)};
}

stage::stage() {
    world.create_table(tills);
    for (std::size_t i = 0; i < item_count; ++i) {
        auto fresh = key_of(i);
        fresh.emplace("sum", 0);
        world.call(put_item_request{.table_name = tills, .new_item = std::move(fresh)}).value();
    }
}

// ---- settings ------------------------------------------------------------------------------------------------

void stage::go_without_rows() {
    for (auto* who : {&a, &b, &c}) {
        who->session.emplace(who->machine.database(), plain_session_options{.lease = 3s});
    }
}

void stage::hold(actor& who, access how) {
    auto target = who.lock();
    if (how == access::exclusive) {
        target.acquire(handler(keep(who)));
    } else {
        target.acquire_shared(handler(keep(who)));
    }
    run_for(200ms);
    if (who.guards.empty() || !who.guards.back().held()) fail("the setting does not come about");
}

void stage::warm_up(actor& who) {
    hold(who);
    who.guards.back().release(handler(ignore));
    run_for(200ms);
    who.guards.clear();
}

// ---- disturbances --------------------------------------------------------------------------------------------

void stage::destroy_handles() {
    a.guards.clear();
    a.session.reset();
}

// ---- what must hold ------------------------------------------------------------------------------------------

void stage::look() {
    int writers = 0;
    int readers = 0;
    const std::string first = "till/0";
    for (const auto* who : {&a, &b, &c}) {
        if (who->machine.crashed()) continue;
        for (const auto& each : who->guards) {
            if (!each.held() || each.name().find(first) == std::string::npos) continue;
            ++(each.exclusive() ? writers : readers);
        }
    }
    if (writers > 1) fail("P1: two valid writers");
    if (writers == 1 && readers > 0) fail("P1: a valid writer beside a valid reader");
}

std::optional<item> stage::row(std::size_t index) {
    return world.row(tills, "till/" + std::to_string(index));
}

/// Whether the lock's attributes name a process that is alive.
bool stage::somebody_in(const item& stored) const {
    const auto names = [&](const std::string& text) {
        return std::ranges::any_of(std::array{&a, &b, &c}, [&](const actor* who) {
            return who->live() && text.starts_with(who->session->id());
        });
    };
    for (const char* attribute : {"_lockW", "_lockI"}) {
        const auto* text = find_string(stored, attribute);
        if (text && names(*text)) return true;
    }
    const auto* readers = find(stored, "_lockR");
    const auto* set = readers ? readers->get_if<string_set>() : nullptr;
    return set && std::ranges::any_of(*set, names);
}

void stage::check_rows(const char* when) {
    for (std::size_t i = 0; i < item_count; ++i) {
        const auto stored = row(i);
        if (stored && somebody_in(*stored)) fail(std::string("P7: locked by nobody's will ") + when);
        if (!stored && !(may_be_gone_ && i == 0)) fail("an item is gone");
    }
}

void stage::check_sum() {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < item_count; ++i) {
        const auto stored = row(i);
        if (!stored) return;
        sum += find_integer(*stored, "sum").value_or(0);
    }
    if (sum < done_) fail("O1: a guarded write that was reported is not in the item");
    if (sum > done_ + asked_) fail("O2: a guarded write was applied twice, or though it was reported as refused");
}

void stage::lock_by_a_third(std::size_t index) {
    const auto stored = row(index);
    const auto highest = stored ? find_integer(*stored, "_lockF").value_or(0) : 0;
    item_acquire_options patience{.wait = 20s};
    c.lock(index).acquire(patience, handler([this](error_code done, item_guard got) {
                              told_ = done;
                              if (got) c.guards.push_back(std::move(got));
                          }));
    for (int i = 0; i < 40 && c.guards.empty() && (stored || !told_); ++i) run_for(500ms);
    if (!stored) {
        if (told_ != errc::missing) fail("an item that is gone is not reported as missing");
        return;
    }
    if (c.guards.empty()) return fail("P6: another cannot lock the item: " + told_.message());
    if (c.guards.back().fencing_token() <= highest) fail("P2: the token did not rise");
    c.guards.back().release(handler(ignore));
    run_for(500ms);
    c.guards.clear();
}

void stage::conclude() {
    if (!crashed()) a.guards.clear();
    b.guards.clear();
    run_for(8s);
    // Whoever still waited has had its turn by now.
    if (!crashed()) a.guards.clear();
    b.guards.clear();
    run_for(1s);
    const bool left = std::ranges::any_of(std::array{row(0), row(1)},
                                          [&](const auto& stored) { return stored && somebody_in(*stored); });
    if (copies_expected() && !a.machine.crashed() && left) run_for(13min);
    check_rows("after all let go");
    check_sum();
    check_counters(a);
    check_counters(b);
    for (std::size_t i = 0; i < item_count; ++i) lock_by_a_third(i);
    check_rows("at the end");
    close_all();
}

}  // namespace dynalease::simulation::item_locks
