// The decision tables of versioned writes.
// SPDX-License-Identifier: BSL-1.0
#include "versioned/protocol/version_decisions.hpp"

#include <algorithm>

namespace dynalease::protocol {

namespace {

bool is_mine(const refusal& what) {
    return what.now && remembers(what.now->state, what.mine);
}

verdict how_mine(const refusal& what) {
    const auto& state = what.now->state;
    // Where no stamps are kept, a creation is known by the birth alone.
    const auto& last = state.stamp ? state.stamp : state.born;
    return last == what.mine && state.version == what.target ? verdict::applied : verdict::superseded;
}

/// Whether the item still knows which write gave it the version we wanted to give it, in the same life. If that one
/// is not ours then ours was never applied, and never will be. Writers that raise the version without a stamp only make
/// the stamps look newer, and ours would be among them.
bool target_is_anothers(const refusal& what) {
    const auto& state = what.now->state;
    if (!what.base.born || state.born != what.base.born) return false;
    return knows_writers_from(state, what.target);
}

/// Whether the item is still in the state that the write was made from. An item without birth has only its stamp beside
/// the version.
bool is_unchanged(const refusal& what) {
    const auto& now = what.now->state;
    if (now.version != what.base.version || now.born != what.base.born) return false;
    return now.born || !what.knows_stamps || now.stamp == what.base.stamp;
}

bool is_held(const refusal& what) {
    return what.ignores_lock ? what.now->mark.has_value() : !what.now->holder.empty();
}

/// Whether a transaction that will make the item, or take it away, is not over yet.
bool may_come_or_go(const refusal& what) {
    return what.now && (what.now->mark == mark_kind::inserted || what.now->mark == mark_kind::to_erase);
}

bool is_missing(const refusal& what) {
    return !what.now || what.now->missing();
}

}  // namespace

verdict decide_checked(const refusal& what) {
    if (is_mine(what)) return how_mine(what);
    if (is_missing(what)) {
        const bool closed = what.clean || (what.now && target_is_anothers(what));
        return closed ? verdict::missing : verdict::doubt;
    }
    if (is_unchanged(what)) {
        // Another has taken away what a change was to be made in, and did not raise the version. Nothing of ours can
        // land before that is back, nor be told to wait for it.
        if (!what.has_maps && !what.clean) return verdict::doubt;
        if (!what.clean) return verdict::again;
        if (is_held(what)) return verdict::held;
        return what.has_maps ? verdict::condition_false : verdict::conflict;
    }
    return what.clean || target_is_anothers(what) ? verdict::conflict : verdict::doubt;
}

verdict decide_create(const refusal& what) {
    if (is_mine(what)) return how_mine(what);
    // Ours may have been there before this one: not everybody who removes items leaves a tombstone, or for ever.
    if (!what.clean || !what.now) return verdict::doubt;
    if (may_come_or_go(what)) return verdict::held;
    return what.now->gone ? verdict::create_over : verdict::exists;
}

verdict decide_create_over(const refusal& what) {
    if (is_mine(what)) return how_mine(what);
    if (what.clean) {
        if (!what.now) return verdict::create_anew;
        if (may_come_or_go(what)) return verdict::held;
        return what.now->gone ? verdict::create_over : verdict::exists;
    }
    if (what.now && is_unchanged(what)) return verdict::again;
    return !is_missing(what) && target_is_anothers(what) ? verdict::exists : verdict::doubt;
}

verdict decide_blind(const refusal& what, bool makes) {
    if (is_mine(what)) return what.now->state.stamp == what.mine ? verdict::applied : verdict::superseded;
    if (!what.clean) return verdict::doubt;
    if (what.now && what.now->mark) return verdict::held;
    if (is_missing(what)) return makes && what.now ? verdict::create_over : verdict::missing;
    return is_held(what) ? verdict::held : verdict::condition_false;
}

std::chrono::nanoseconds conflict_pause(unsigned tries) {
    using namespace std::chrono_literals;
    return std::min<std::chrono::nanoseconds>(1s, 10ms * (1U << std::min(tries - 2, 7U)));
}

}  // namespace dynalease::protocol
