// The phases of an item's lock in one process, and what it is as one of several.
// SPDX-License-Identifier: BSL-1.0
#include "item_lock/protocol/item_lock_machine.hpp"

#include <functional>
#include <utility>

namespace dynalease::protocol {

item_lock_machine::item_lock_machine(session_view& session, item_lock_callers& callers, std::string name,
                                     locked_item item)
    : lock_(session, callers, std::move(name), std::move(item)) {}

bool item_lock_machine::kept_from(item_access access) const noexcept {
    const bool shares = access == item_access::shared && lock_.grant.held.access == item_access::shared;
    return (held() && !shares) || lock_.now == phase::reserved;
}

std::optional<time_point> item_lock_machine::last_sent() const noexcept {
    return lock_.open && lock_.open->sent ? std::optional(lock_.open->sent_at) : std::nullopt;
}

void item_lock_machine::want() {
    if (idle()) lock_.now = phase::wanting;
}

void item_lock_machine::give_back() {
    lock_.grant.of_guard = true;
    lock_.now = phase::giving_back;
}

sequence<void> item_lock_machine::run(stepper& steps) {
    auto seen = std::exchange(seen_reserved_, {});
    if (held()) co_await let_readers_join(lock_, steps, seen);
    while (!rests()) {
        if (lock_.now == phase::wanting) {
            co_await acquire_item(lock_, steps, seen);
        } else if (lock_.now == phase::resolving) {
            co_await resolve_claim(lock_, steps, seen);
        } else if (lock_.now == phase::giving_back) {
            co_await pass_item_on(lock_, steps, seen);
        } else {
            co_await audit_claim(lock_, steps, seen);
        }
    }
}

sequence<void> item_lock_machine::look(stepper& steps, item_reply& seen) {
    seen = co_await lock_.look(steps, false);
}

sequence<void> item_lock_machine::clear(stepper& steps, const item_acquire_decision& next, item_reply& seen) {
    seen = co_await protocol::clear(lock_, steps, next);
}

// ---- guarded writes ----------------------------------------------------------------------------------------

sequence<void> item_lock_machine::change(stepper& steps, guarded_change what, guarded_end& end) {
    return change_item(lock_, steps, std::move(what), end);
}

sequence<void> item_lock_machine::end_with(stepper& steps, last_write last, guarded_end& end) {
    return end_grant_with(lock_, steps, std::move(last), end);
}

last_write item_lock_machine::last_change(update_expression update, condition_expression condition,
                                          const item_stamp& stamp) const {
    guarded_change what{.update = std::move(update),
                        .condition = std::move(condition),
                        .stamp = stamp,
                        .versioned = lock_.item.versioned(),
                        .release = true};
    const bool only_frees = what.update.empty();
    if (only_frees) what.versioned = false;
    const auto& held = lock_.grant.held;
    last_write last{
        .held = held, .request = requests().change(held, what), .raises = what.versioned, .only_frees = only_frees};
    if (what.versioned && lock_.item.layout.stamps) last.stamp = stamp;
    return last;
}

last_write item_lock_machine::last_erase(const condition_expression& condition) const {
    const auto& held = lock_.grant.held;
    return {.held = held, .request = requests().erase(held, condition), .erases = true};
}

guarded_step item_lock_machine::judge_last(const item_reply& seen, const last_write& last) const {
    if (landed(lock_, seen, last)) return guarded_step::applied;
    return decide_guarded(seen.lock, lock_.session.id(), last.held);
}

// ---- one of several ----------------------------------------------------------------------------------------

bool item_lock_machine::reserve(const std::optional<claim>& mine) {
    lock_.put_off_audit();
    if (lock_.open && !(mine && lock_.open->id == *mine)) return false;
    lock_.now = phase::reserved;
    return true;
}

void item_lock_machine::stake(const claim& mine) {
    if (!lock_.open) lock_.open.emplace().id = mine;
    lock_.tokens.last = mine.token;
    lock_.stake();
}

bool item_lock_machine::unresolved(const claim& which) const noexcept {
    return lock_.open && lock_.open->id == which && lock_.open->unanswered && !lock_.open->closed;
}

item_acquire_decision item_lock_machine::consider(const item_lock_state& seen, const claim& mine, item_access access) {
    lock_.study(seen);
    const std::function<holder_is(const item_claimant&)> judged = [&](const item_claimant& who) {
        return lock_.outlook.judge(who, true);
    };
    return decide_item_acquire({.sight = seen,
                                .self = lock_.session.id(),
                                .mine = mine,
                                .access = access,
                                .waits = false,
                                .most_readers = lock_.item.most_readers,
                                .judge = judged});
}

void item_lock_machine::give_free(item_reply seen) {
    if (!lock_.session.may_write()) return lock_.drop();
    lock_.now = phase::idle;
    if (lock_.open || seen.lock.entry_of(lock_.session.id())) lock_.give_up(seen.lock);
    if (idle()) return lock_.rest();
    // An item that was not there may be there again when a copy without an answer comes.
    if (seen.lock.exists) seen_reserved_ = std::move(seen);
}

void item_lock_machine::take_grant(item_reply seen) {
    lock_.outlook.note(seen.lock, seen.sent_at);
    lock_.take_grant(seen.lock);
    lock_.grant.known = *std::move(seen.whole);
    lock_.now = phase::held;
}

}  // namespace dynalease::protocol
