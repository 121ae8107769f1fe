// Decisions in the place of the library's own (stand_ins.txt), for mutants of versioned writes.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/mutant.hpp"
#include "simulation/versioned/stand_ins.hpp"

#include "versioned/protocol/version_changes.hpp"
#include "versioned/protocol/version_decisions.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::simulation::versions {

using namespace protocol;

namespace {

constexpr item_stamp nobodys{};

/// As if no stamp were looked for.
refusal without_stamp(const refusal& what, bool clean) {
    return {.base = what.base,
            .mine = nobodys,
            .target = what.target,
            .clean = clean,
            .ignores_lock = what.ignores_lock,
            .knows_stamps = what.knows_stamps,
            .has_maps = what.has_maps,
            .now = what.now};
}

/// Whether the stamp is among the last ones; a birth tells nothing of it.
bool in_chain(const item_version& state, const std::optional<item_stamp>& stamp) {
    if (!stamp) return false;
    return state.stamp == stamp || std::ranges::find(state.trail, *stamp) != state.trail.end();
}

}  // namespace

verdict mutated::decide_checked(const refusal& what) {
    if (active("NO_SETTLE")) return real::decide_checked(without_stamp(what, true));
    if (active("CHAIN_FIRST") && !what.clean) {
        const auto first = real::decide_checked(without_stamp(what, false));
        if (first == verdict::conflict) return first;
    }
    const auto meant = real::decide_checked(what);
    if (meant != verdict::doubt) return meant;
    if (!what.now) return active("GONE_NOT") ? verdict::missing : meant;
    const auto& state = what.now->state;
    const auto base = what.base.version.value_or(0);
    const auto version = state.version.value_or(0);
    if (active("PLUS_ONE") && version <= base + 1) return verdict::conflict;
    if (active("BASE_SEEN") && in_chain(state, what.base.stamp) && version != base) return verdict::conflict;
    const auto known = what.target + static_cast<std::int64_t>(state.trail.size());
    if (active("CHAIN_ANY_LIFE") && version >= what.target && version <= known) return verdict::conflict;
    return meant;
}

verdict mutated::decide_create(const refusal& what) {
    if (active("NO_SETTLE")) return real::decide_create(without_stamp(what, true));
    return real::decide_create(what);
}

verdict mutated::decide_blind(const refusal& what, bool makes) {
    if (active("NO_SETTLE")) return real::decide_blind(without_stamp(what, true), makes);
    return real::decide_blind(what, makes);
}

member_changes mutated::narrowed(member_changes changes, const member_view& view) {
    return active("NESTED_WHOLE") ? changes : real::narrowed(std::move(changes), view);
}

}  // namespace dynalease::simulation::versions
