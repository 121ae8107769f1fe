// The decision tables of a lock.
#include "lock/protocol/lock_decisions.hpp"

namespace dynalease::protocol {

namespace {

/// Of a row that names our session and the claim's attempt. A copy of this process counts its attempts as we do, but has
/// its tokens from moments of its own. That a write was refused says nothing: the network may have sent it twice.
bool made_by(const claim& mine, const lock_row& row) {
    return row.token == mine.token;
}

/// The lock can be taken, from nobody or from a holder that is over: how, and whether it is our turn?
want_decision decide_available(const want_facts& facts, std::optional<lock_holder> over) {
    const auto& row = facts.row;
    take_form form{.over = std::move(over)};
    if (row.line.empty()) return {want_step::take, std::move(form)};

    form.place = row.place_of(facts.self);
    if (form.place && (*form.place == 0 || row.passed < overtaking_bound)) return {want_step::take, std::move(form)};

    const bool may_stand_in_line = facts.waits && !form.place && row.line.size() < line_capacity;
    if (may_stand_in_line) return {want_step::join};
    if (facts.head_absent) {
        form.drop_head = take_form::absent_head{row.line.front(), row.floor};
        return {want_step::take, std::move(form)};
    }
    return {facts.waits ? want_step::poll_absent : want_step::refuse};
}

}  // namespace

want_decision decide_want(const want_facts& facts) {
    const auto& row = facts.row;
    if (row.held_by(facts.self, facts.mine.attempt)) {
        return {made_by(facts.mine, row) ? want_step::granted : want_step::twin};
    }
    // The claims of a front are numbered in their order: a later one than its last is none of its own.
    if (row.holder && row.holder->session == facts.self && row.holder->attempt > facts.mine.attempt) {
        return {want_step::twin};
    }
    if (row.floor >= facts.mine.token) return {want_step::claim_closed};
    if (row.free()) return decide_available(facts, {});

    // A hold by our own session that no one here knows of: a copy that landed after it was given up.
    const bool own_ghost = row.holder->session == facts.self;
    if (own_ghost || facts.holder == holder_is::over) return decide_available(facts, row.holder);
    if (facts.holder == holder_is::not_known) return {want_step::look};
    if (!facts.waits) return {want_step::refuse};
    if (row.place_of(facts.self)) return {want_step::poll};
    return {row.line.size() < line_capacity ? want_step::join : want_step::overflow};
}

give_up_step decide_give_up(const give_up_facts& facts) {
    if (facts.row.place_of(facts.self)) return give_up_step::settle;
    if (!facts.sent || facts.row.floor >= facts.mine.token) {
        return facts.row.held_by(facts.self, facts.mine.attempt) ? give_up_step::settle : give_up_step::done;
    }
    return facts.unanswered ? give_up_step::settle : give_up_step::audit;
}

settle_decision decide_settle(const lock_row& row, std::string_view self, const claim& mine, bool closed) {
    if (!closed && row.held_by(self, mine.attempt) && made_by(mine, row)) return {settle_step::release};
    const auto place = row.place_of(self);
    if (closed || row.floor >= mine.token) {
        if (place) return {settle_step::leave_closed, *place};
        return {settle_step::done};
    }
    if (place) return {settle_step::leave, *place};
    return {row.free() ? settle_step::void_free : settle_step::void_held};
}

hand_over_step decide_hand_over(const lock_row& row, std::string_view self, const claim& from, const claim& to) {
    if (row.held_by(self, to.attempt)) return made_by(to, row) ? hand_over_step::handed : hand_over_step::lost;
    if (!row.held_by(self, from.attempt)) return hand_over_step::lost;
    return row.floor >= to.token ? hand_over_step::claim_closed : hand_over_step::again;
}

}  // namespace dynalease::protocol
