// What the answers to guarded writes mean.
// SPDX-License-Identifier: BSL-1.0
#include "item_lock/protocol/guarded_answers.hpp"

#include "item/protocol/item_state.hpp"

#include <utility>

namespace dynalease::protocol {

using detail::answer;

detail::shared_failure why_not(const item_lock_claimant& lock, const item_reply& seen, bool raises) {
    auto why = raises && seen.whole ? fault_of_version(lock.item.layout, *seen.whole) : std::nullopt;
    return std::make_shared<const failure>(why ? *std::move(why) : failure(errc::condition_failed));
}

bool remembers(const item_lock_claimant& lock, const item_reply& seen, const item_stamp& stamp) {
    if (!seen.whole) return false;
    const auto shown = state_of(lock.item.layout, *seen.whole);
    return shown && remembers(shown->state, stamp);
}

item_version known_version(const item_lock_claimant& lock) {
    const auto known = state_of(lock.item.layout, lock.grant.known);
    return known ? known->state : item_version{};
}

bool surely_unwritten(const item_lock_claimant& lock, const item_reply& seen, const item_version& before) {
    if (!seen.whole) return false;
    const auto shown = state_of(lock.item.layout, *seen.whole);
    return shown && surely_unwritten_since(lock.item.layout, before, *shown);
}

// The floor tells that nobody was granted the item since; or somebody was, who cannot have taken it from us.
bool freed_by_copy(const item_lock_claimant& lock, const item_lock_state& shown, const item_grant& released) {
    const bool same_life = shown.exists && (!released.born || shown.born == released.born);
    const bool last_granted = shown.floor == released.id.token && !shown.writer;
    return same_life && (last_granted || (shown.floor > released.id.token && lock.ours_till_now()));
}

bool freed_by(const item_lock_claimant& lock, const item_reply& seen, const last_write& last) {
    const bool may_be_copy = last.only_frees && seen.kind == answer::refused;
    return may_be_copy && lock.holds_on(last.held) && freed_by_copy(lock, seen.lock, last.held);
}

bool landed(const item_lock_claimant& lock, const item_reply& seen, const last_write& last) {
    if (seen.kind != answer::refused) return false;
    // While we hold it, nobody else of ours removes it.
    if (last.erases) return seen.doubtful && !seen.lock.exists && lock.holds_on(last.held) && lock.ours_till_now();
    return last.stamp && remembers(lock, seen, *last.stamp);
}

}  // namespace dynalease::protocol
