// The decision tables of a lock.
// SPDX-License-Identifier: BSL-1.0
#include "lock/protocol/lock_decisions.hpp"

namespace dynalease::protocol {

namespace {

/// Of a row that names our session and the claim's attempt. A copy of this process counts its attempts as we do, but
/// has its tokens from moments of its own. That a write was refused says nothing: the network may have sent it twice.
bool made_by(const claim& mine, const lock_row& row) {
    return row.token == mine.token;
}

/// The lock can be taken, from nobody or from a holder that is over: how, and whether it is our turn?
acquire_decision decide_available(const acquire_facts& facts, std::optional<lock_holder> over) {
    const auto& row = facts.row;
    take_form form{.over = std::move(over)};
    if (row.line.empty()) return {acquire_step::take, std::move(form)};

    form.place = row.place_of(facts.self);
    if (form.place && (*form.place == 0 || row.passed < overtaking_bound)) return {acquire_step::take, std::move(form)};

    const bool may_stand_in_line = facts.waits && !form.place && row.line.size() < line_capacity;
    if (may_stand_in_line) return {acquire_step::join};
    if (facts.head_absent) {
        form.drop_head = take_form::absent_head{row.line.front(), row.floor};
        return {acquire_step::take, std::move(form)};
    }
    const bool goes_on = facts.waits || facts.fate == holder_fate::unknown;
    return {goes_on ? acquire_step::poll_absent : acquire_step::refuse};
}

}  // namespace

acquire_decision decide_acquire(const acquire_facts& facts) {
    const auto& row = facts.row;
    if (row.held_by(facts.self, facts.mine.attempt)) {
        return {made_by(facts.mine, row) ? acquire_step::granted : acquire_step::twin};
    }
    // Our claims are numbered in their order: a later one than our last is none of ours.
    if (row.holder && row.holder->session == facts.self && row.holder->attempt > facts.mine.attempt) {
        return {acquire_step::twin};
    }
    if (row.floor >= facts.mine.token) return {acquire_step::claim_closed};
    if (facts.fate == holder_fate::known_to_live) return {acquire_step::refuse};
    if (row.free()) return decide_available(facts, {});

    // A hold by our own session that no one here knows of: a copy that landed after it was given up.
    const bool own_ghost = row.holder->session == facts.self;
    if (own_ghost || facts.holder == holder_is::over) return decide_available(facts, row.holder);
    if (facts.holder == holder_is::not_known) return {acquire_step::look};
    if (!facts.waits) return {facts.fate == holder_fate::unknown ? acquire_step::poll : acquire_step::refuse};
    if (row.place_of(facts.self)) return {acquire_step::poll};
    return {row.line.size() < line_capacity ? acquire_step::join : acquire_step::overflow};
}

holder_fate judge_fate(const first_sight& first, const lock_row& row, const session_watch* holder) {
    const bool acted = row.holder != first.holder || row.token != first.token;
    const bool beat = holder != nullptr && holder->seen_alive() && *holder->seen_alive() >= first.since;
    return acted || beat ? holder_fate::known_to_live : holder_fate::unknown;
}

give_up_step decide_give_up(const give_up_facts& facts) {
    if (facts.row.place_of(facts.self)) return give_up_step::resolve;
    if (!facts.sent || facts.row.floor >= facts.mine.token) {
        return facts.row.held_by(facts.self, facts.mine.attempt) ? give_up_step::resolve : give_up_step::done;
    }
    return facts.unanswered ? give_up_step::resolve : give_up_step::audit;
}

resolve_decision decide_resolve(const lock_row& row, std::string_view self, const claim& mine, bool closed) {
    if (!closed && row.held_by(self, mine.attempt) && made_by(mine, row)) return {resolve_step::release};
    const auto place = row.place_of(self);
    if (closed || row.floor >= mine.token) {
        if (place) return {resolve_step::leave_closed, *place};
        return {resolve_step::done};
    }
    if (place) return {resolve_step::leave, *place};
    return {row.free() ? resolve_step::void_free : resolve_step::void_held};
}

hand_over_step decide_hand_over(const lock_row& row, std::string_view self, const claim& from, const claim& to) {
    if (row.held_by(self, to.attempt)) return made_by(to, row) ? hand_over_step::handed : hand_over_step::lost;
    if (!row.held_by(self, from.attempt)) return hand_over_step::lost;
    return row.floor >= to.token ? hand_over_step::claim_closed : hand_over_step::again;
}

}  // namespace dynalease::protocol
