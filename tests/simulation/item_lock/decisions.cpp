// Decisions in the place of the library's own (stand_ins.txt), for mutants of item locks.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/mutant.hpp"
#include "simulation/item_lock/stand_ins.hpp"

#include "item_lock/protocol/item_lock_decisions.hpp"
#include "session/protocol/lease_times.hpp"

#include <functional>
#include <string_view>
#include <utility>

namespace dynalease::simulation::item_locks {

using namespace protocol;

namespace {

item_acquire_decision want(const item_acquire_facts& facts, const item_lock_state& sight,
                           const std::function<holder_is(const item_claimant&)>& checker) {
    return real::decide_item_acquire({.sight = sight,
                                      .self = facts.self,
                                      .mine = facts.mine,
                                      .access = facts.access,
                                      .waits = facts.waits,
                                      .insists = facts.insists,
                                      .most_readers = facts.most_readers,
                                      .judge = checker,
                                      .fate = facts.fate});
}

/// What of the own session nobody here knows of counts as another's.
item_lock_state with_ghosts_of_others(const item_acquire_facts& facts) {
    auto sight = facts.sight;
    const auto estrange = [&](item_claimant& who) {
        if (who.session == facts.self && who.attempt != facts.mine.attempt) who.session.clear();
    };
    if (sight.writer) estrange(*sight.writer);
    if (sight.intent) estrange(*sight.intent);
    for (auto& reader : sight.readers) estrange(reader);
    return sight;
}

}  // namespace

item_acquire_decision mutated::decide_item_acquire(const item_acquire_facts& facts) {
    if (active("XR_LIVE") && facts.access == item_access::exclusive && !facts.sight.writer) {
        return want(facts, facts.sight, [](const item_claimant&) { return holder_is::over; });
    }
    if (active("S_IGNORES_I") && facts.access == item_access::shared) {
        auto sight = facts.sight;
        sight.intent.reset();
        return want(facts, sight, facts.judge);
    }
    auto guessed = facts;
    if (active("ASK_GUESSED") && facts.fate == item_fate::unknown) guessed.fate = item_fate::not_asked;
    if (active("ASK_FORGETS") && facts.fate == item_fate::settled) guessed.fate = item_fate::unknown;
    if (guessed.fate != facts.fate) return real::decide_item_acquire(guessed);
    if (active("GHOST_STAYS")) return want(facts, with_ghosts_of_others(facts), facts.judge);
    return real::decide_item_acquire(facts);
}

give_up_step mutated::decide_item_give_up(const item_give_up_facts& facts) {
    const auto next = real::decide_item_give_up(facts);
    return next == give_up_step::audit && active("NO_AUDIT") ? give_up_step::done : next;
}

item_resolve_step mutated::decide_item_resolve(const item_lock_state& sight, std::string_view self, const claim& mine,
                                               bool closed) {
    const auto next = real::decide_item_resolve(sight, self, mine, closed);
    const bool held_by_other = (sight.writer && sight.writer->session != self) || !sight.readers.empty();
    if (next == item_resolve_step::close && (active("NO_VOID") || active("J_NO_VOID"))) return item_resolve_step::done;
    if (next == item_resolve_step::close && active("VOID_FREE_ONLY") && held_by_other) return item_resolve_step::done;
    if (next == item_resolve_step::leave && active("I_STAYS")) return item_resolve_step::close;
    if (next == item_resolve_step::leave_closed && active("I_STAYS")) return item_resolve_step::done;
    return next;
}

guarded_step mutated::decide_guarded(const item_lock_state& sight, std::string_view self, const item_grant& held) {
    const auto next = real::decide_guarded(sight, self, held);
    return next == guarded_step::applied && active("G_NO_SETTLE") ? guarded_step::lost : next;
}

time_point mutated::audit_due(time_point last_sent) {
    return active("AUDIT_EARLY") ? last_sent + std::chrono::seconds(1) : real::audit_due(last_sent);
}

}  // namespace dynalease::simulation::item_locks
