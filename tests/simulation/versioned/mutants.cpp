// The known mistakes of versioned writes: decisions in the place of the library's (stand_ins.txt), and the
// requests of request_edits.hpp. In brackets the section of the protocol of items.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/primitive.hpp"
#include "simulation/versioned/request_edits.hpp"
#include "simulation/versioned/stand_ins.hpp"

#include "versioned/protocol/version_decisions.hpp"

#include <algorithm>

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

namespace {

const contribution version_mutants{{
    .name = "versioned",
    .mutants =
        {
            {.name = "VERSION_ONLY",
             .rule = "a version counts within one life of the item only [2]",
             .wrap = editing<state_without_birth>,
             .scenario = "erased"},
            {.name = "STAMP_ONLY",
             .rule = "a stamp alone names no state: blind copies bring it back [4]",
             .wrap = editing<state_by_stamp_alone>,
             .scenario = "repeated-blind"},
            {.name = "NO_SETTLE", .rule = "a refusal after a lost answer is resolved by stamps [4]"},
            {.name = "CHAIN_FIRST", .rule = "the own stamp is looked for before all others [4]"},
            {.name = "BASE_SEEN",
             .rule = "that the base's stamp is still known proves nothing [4]",
             .scenario = "repeated-blind"},
            {.name = "CHAIN_ANY_LIFE", .rule = "the stamps of another life prove nothing [4]", .scenario = "erased"},
            {.name = "PLUS_ONE",
             .rule = "the next version by another stamp proves nothing without the birth [0]",
             .scenario = "erased"},
            {.name = "GONE_NOT", .rule = "no item after a lost answer proves nothing [4]", .scenario = "erased"},
            {.name = "GONE_MINE",
             .rule = "no item after a removal without an answer proves nothing [4]",
             .wrap = wrap<gone_is_mine>,
             .scenario = "erased"},
            {.name = "STAMP_SHARED",
             .rule = "a stamp is one write's [2]",
             .wrap = wrap<one_stamp_for_all>,
             .scenario = "swarm"},
            {.name = "RESEND_NEW",
             .rule = "all copies of a write bear the same stamp [4]",
             .wrap = wrap<new_stamp_for_each_copy>,
             .scenario = "swarm"},
            {.name = "BLIND_NO_BUMP",
             .rule = "blind writes raise the version [3]",
             .wrap = editing<blind_raises_nothing>},
            {.name = "BLIND_NO_GUARD",
             .rule = "a blind write is refused while its stamp is known [3]",
             .wrap = editing<blind_without_own_stamp>},
            {.name = "BLIND_NO_RESPECT",
             .rule = "writes that test no version respect locks all the same [3]",
             .wrap = editing<unchecked_past_locks>,
             .scenario = "unchecked"},
            {.name = "CLOBBER_CREATES",
             .rule = "a write that tests no version makes no item, unless it is told to [3]",
             .wrap = editing<unchecked_makes_items>,
             .scenario = "unchecked"},
            {.name = "JOINT_NO_CHECK",
             .rule = "what was only read is tested together with what is written [6]",
             .wrap = editing<joint_without_checks>,
             .scenario = "together"},
            {.name = "MANY_ONCE",
             .rule = "what a batch of reads leaves out is asked for again [6]",
             .wrap = wrap<first_answer_is_all>,
             .scenario = "together"},
            {.name = "ERASE_LATE",
             .rule = "tombstones keep late creations out [5]",
             .wrap = wrap<erases>,
             .scenario = "short-lives"},
            {.name = "TOMB_SHORT",
             .rule = "a tombstone outlives all late copies [3]",
             .wrap = editing<tombstone_expires_at_once>,
             .scenario = "short-lives"},
            {.name = "TOMB_OPEN",
             .rule = "a creation goes over the tombstone that it saw, not over any [3]",
             .wrap = editing<create_over_any_tombstone>,
             .scenario = "short-lives"},
        },
}};

}  // namespace

}  // namespace dynalease::simulation::versions
