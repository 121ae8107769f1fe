// The decision tables of versioned writes.
#include "protocol/version_decisions.hpp"

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
/// is not ours then ours was never applied, and never will be.
///
/// Writers that raise the version without a stamp only make the stamps look newer, and ours would be among them.
bool target_is_anothers(const refusal& what) {
    const auto& state = what.now->state;
    if (what.now->in_transaction) return false;  // its own mark stands where the last stamp would
    if (!what.base.born || state.born != what.base.born) return false;
    if (!state.version || *state.version < what.target) return false;
    const auto beyond = static_cast<std::uint64_t>(*state.version) - static_cast<std::uint64_t>(what.target);
    const auto step = static_cast<std::uint64_t>(what.step);
    if (beyond % step != 0) return false;
    return beyond == 0 ? state.stamp.has_value() : beyond / step <= state.trail.size();
}

bool is_missing(const refusal& what) {
    return !what.now || what.now->gone;
}

}  // namespace

verdict decide_checked(const refusal& what) {
    if (is_mine(what)) return how_mine(what);
    if (is_missing(what)) {
        const bool closed = what.clean || (what.now && target_is_anothers(what));
        return closed ? verdict::missing : verdict::doubt;
    }
    if (same_state(what.now->state, what.base)) {
        if (!what.clean) return verdict::again;
        return what.now->holder.empty() ? verdict::condition_false : verdict::held;
    }
    return what.clean || target_is_anothers(what) ? verdict::conflict : verdict::doubt;
}

verdict decide_create(const refusal& what, std::int64_t first_version, bool tombstones) {
    if (is_mine(what)) return how_mine(what);
    if (is_missing(what)) return what.clean && what.now ? verdict::create_over : verdict::doubt;
    if (what.clean) return verdict::exists;
    // With tombstones a life begins at the first version but once: were it ours, it would say so.
    return tombstones && what.now->state.version == first_version ? verdict::exists : verdict::doubt;
}

verdict decide_create_over(const refusal& what) {
    if (is_mine(what)) return how_mine(what);
    if (what.clean) {
        if (!what.now) return verdict::create_anew;
        return what.now->gone ? verdict::create_over : verdict::exists;
    }
    if (what.now && same_state(what.now->state, what.base)) return verdict::again;
    return what.now && !what.now->gone && target_is_anothers(what) ? verdict::exists : verdict::doubt;
}

verdict decide_blind(const refusal& what) {
    if (is_mine(what)) return what.now->state.stamp == what.mine ? verdict::applied : verdict::superseded;
    if (!what.clean) return verdict::doubt;
    if (is_missing(what)) return verdict::missing;
    return what.now->holder.empty() ? verdict::condition_false : verdict::held;
}

std::chrono::nanoseconds conflict_pause(unsigned tries) {
    using namespace std::chrono_literals;
    return std::min<std::chrono::nanoseconds>(1s, 10ms * (1U << std::min(tries - 2, 7U)));
}

}  // namespace dynalease::protocol
