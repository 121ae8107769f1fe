// One rule after the other.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/wall_clock/checker.hpp"

#include <utility>

namespace dynalease::simulation::wall_clocks {

namespace {
std::string write_text(std::int64_t number) {
    return "write " + std::to_string(number);
}
}  // namespace

void checker::see(const event& seen) {
    std::visit([&](const auto& what) { on(what); }, seen.what);
}

void checker::fail(const char* promise, std::string what) {
    if (!broken_) broken_ = std::string(promise) + ": " + std::move(what);
}

bool checker::stands(std::uint64_t handle) const {
    const auto known = holds_.find(handle);
    if (known == holds_.end()) return false;
    const auto& [item, of] = known->second;
    return grants_[of].removed || items_[item].lock == of;
}

std::string checker::locker(std::size_t item, moment wall) const {
    const auto& of = items_[item];
    if (!of.lock || over(of.state.text, wall)) return {};
    const auto& stands = grants_[*of.lock];
    return stands.stranger || stands.late || stands.unknown ? std::string() : stands.by;
}

/// By the clock that is furthest behind: nobody who keeps to the recipe believes in that lock any more.
bool checker::over(const std::string& text, moment wall) const {
    const auto since = moment_in(text);
    return since && *since + bounds_.timeout + bounds_.skew <= wall;
}

// ---- the store -----------------------------------------------------------------------------------------------

void checker::on(const written& seen) {
    auto& of = items_[seen.item];
    if (!of.state.exists && seen.after.exists && !seen.by.empty()) fail("E1", "a lock made an item");
    check_content(of, seen);
    if (seen.number != 0 && !seen.stranger) check_guarded(of, seen);
    if (seen.after.text != of.state.text) {
        if (seen.after.text.empty()) {
            check_release(of, seen);
        } else {
            check_lock(of, seen);
        }
    }
    of.state = seen.after;
}

void checker::check_content(const item_record& of, const written& seen) {
    auto expected = of.state.entries;
    if (seen.number != 0) expected.push_back(seen.number);
    if (of.state.exists && seen.after.entries != expected) fail("W5", "a write lost what others had written");
}

void checker::check_guarded(const item_record& of, const written& seen) {
    const auto what = write_text(seen.number);
    const auto under = writes_.find(seen.number);
    const auto held = under == writes_.end() ? holds_.end() : holds_.find(under->second);
    if (held == holds_.end() || of.lock != held->second.grant) {
        fail("W3", what + " happened while the item was not its guard's");
    }
    const bool all_again = of.lock && grants_[*of.lock].copied;
    if (!applied_.insert(seen.number).second && !all_again) fail("W5", what + " happened twice");
    if (!all_again && refused_.contains(seen.number))
        fail("W5", what + " happened though its caller was told that it does not");
}

void checker::check_release(item_record& of, const written& seen) {
    auto& freed = grants_[of.lock.value()];
    if (seen.stranger) {
        freed.removed = true;
    } else if (freed.by != seen.by) {
        fail("W4", seen.by + " freed the item of " + freed.by);
    }
    of.lock.reset();
}

/// Each guarded write moves its own moment on, past microseconds of zero.
bool checker::goes_on(const item_record& of, const written& seen) const {
    if (!of.lock || grants_[*of.lock].by != seen.by || seen.stranger) return false;
    const auto from = moment_in(of.state.text);
    const auto to = moment_in(seen.after.text);
    if (!from || !to) return false;
    const auto step = *to - *from;
    return step > std::chrono::microseconds(0) && step <= std::chrono::microseconds(2);
}

void checker::check_lock(item_record& of, const written& seen) {
    const auto known = of.moments.find(seen.after.text);
    if (goes_on(of, seen)) {
        of.moments[seen.after.text] = *of.lock;
        return;
    }
    if (of.lock) {
        auto& before = grants_[*of.lock];
        if (!seen.stranger && !over(of.state.text, seen.wall)) {
            fail("W2", seen.by + " took the item from " + before.by + ", whose lock is not over by every clock");
        }
        if (seen.stranger && before.stranger) before.removed = true;
    }
    // A copy of the write that locked it once brings the same moment back; by another it is one that drew the same.
    if (known != of.moments.end() && grants_[known->second].by == seen.by) {
        of.lock = known->second;
    } else {
        of.lock = grants_.size();
        grants_.push_back({.by = seen.by, .stranger = seen.stranger});
        of.moments[seen.after.text] = *of.lock;
    }
    grants_[*of.lock].late = seen.late;
    grants_[*of.lock].copied = seen.copy;
}

// ---- what users are told -------------------------------------------------------------------------------------

void checker::on(const given& seen) {
    const auto& of = items_[seen.item];
    const auto granted = of.moments.find(seen.text);
    if (granted == of.moments.end() || grants_[granted->second].by != seen.by) {
        fail("W1", seen.by + " got an item that it has never locked");
        return;
    }
    holds_[seen.handle] = {.item = seen.item, .grant = granted->second};
}

void checker::on(const returned& seen) {
    const auto known = holds_.find(seen.handle);
    if (known == holds_.end()) return;
    const auto& [item, of] = known->second;
    if (items_[item].lock == of && !grants_[of].late) fail("W6", "what was given back is still locked");
}

void checker::on(const begun& seen) {
    writes_[seen.number] = seen.handle;
}

void checker::on(const told& seen) {
    const bool happened = applied_.contains(seen.number);
    if (seen.what == answer::applied && !happened) {
        fail("W5", write_text(seen.number) + " never happened, and its caller was told that it did");
    }
    if (seen.what != answer::refused) return;
    if (happened) fail("W5", write_text(seen.number) + " happened, and its caller was told that it did not");
    refused_.insert(seen.number);
}

void checker::on(const unknowable& seen) {
    const auto& of = items_[seen.item];
    const auto granted = of.moments.find(seen.text);
    if (granted != of.moments.end()) grants_[granted->second].unknown = true;
}

}  // namespace dynalease::simulation::wall_clocks
