// The decision tables of an item lock.
// SPDX-License-Identifier: BSL-1.0
#include "item_lock/protocol/item_lock_decisions.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::protocol {

namespace {

/// An entry of our own session that no one here knows of is a copy that landed after it was given up: others see a
/// live session and wait for it, so whoever of the process sees it takes it away.
holder_is judge_claimant(const item_acquire_facts& facts, const item_claimant& who) {
    if (who.session.empty()) return holder_is::alive;  // of a version unknown to us: never taken over
    if (who.session == facts.self) return holder_is::over;
    return facts.judge(who);
}

item_acquire_decision look_at(const item_claimant& who) {
    return {item_acquire_step::look, {}, {who.session}};
}

item_acquire_decision wait_for(const item_acquire_facts& facts) {
    if (facts.waits) return {item_acquire_step::poll};
    if (facts.fate != item_fate::unknown) return {item_acquire_step::refuse};
    // Of the dead all are known after the lease of one, since all are watched from the beginning.
    for (const auto& who : in_the_way(facts.sight, facts.self, facts.access, facts.most_readers)) {
        if (judge_claimant(facts, who) == holder_is::not_known) return look_at(who);
    }
    return {item_acquire_step::poll};
}

/// Behind the intent of another: that one waits for what of ours stands there, and would for ever.
item_acquire_decision wait_for_intent(const item_acquire_facts& facts) {
    const auto& writer = facts.sight.writer;
    if (writer && writer->session == facts.self) return {item_acquire_step::free, {}, {}, writer->attempt};
    constexpr std::int64_t none = 0;
    auto ghosts = forgotten_readers(facts.sight, facts.self, none);
    if (!ghosts.empty()) return {item_acquire_step::reap, {}, std::move(ghosts)};
    return wait_for(facts);
}

item_acquire_decision wait_for_writer(const item_acquire_facts& facts) {
    const auto& intent = facts.sight.intent;
    const bool may_intend = !intent || judge_claimant(facts, *intent) == holder_is::over;
    if (!facts.waits || !facts.insists || facts.sight.intended_by(facts.self) || !may_intend) return wait_for(facts);
    item_acquire_decision next{item_acquire_step::intend};
    if (intent) next.form.intent = intent->text;
    return next;
}

item_acquire_decision take_from_readers(const item_acquire_facts& facts, item_take_form form) {
    std::vector<std::string> over;
    std::vector<std::string> unknown;
    for (const auto& reader : facts.sight.readers) {
        const auto is = judge_claimant(facts, reader);
        if (is == holder_is::over) over.push_back(reader.text);
        if (is == holder_is::not_known) unknown.push_back(reader.session);
    }
    if (over.size() == facts.sight.readers.size()) {
        form.over_readers = std::move(over);
        return {item_acquire_step::take, std::move(form)};
    }
    // Without an intent, readers that come and go could keep a writer out for ever.
    if (facts.waits && !facts.sight.intended_by(facts.self)) return {item_acquire_step::intend, std::move(form)};
    if (!unknown.empty()) {
        unknown.resize(1);
        return {item_acquire_step::look, {}, std::move(unknown)};
    }
    if (facts.waits && !over.empty()) return {item_acquire_step::reap, {}, std::move(over)};
    return wait_for(facts);
}

item_acquire_decision join_readers(const item_acquire_facts& facts, item_take_form form) {
    auto ghosts = forgotten_readers(facts.sight, facts.self, facts.mine.attempt);
    if (!ghosts.empty()) return {item_acquire_step::reap, {}, std::move(ghosts)};
    if (facts.sight.readers.size() < facts.most_readers) return {item_acquire_step::take, std::move(form)};
    std::vector<std::string> over;
    for (const auto& reader : facts.sight.readers) {
        const auto is = judge_claimant(facts, reader);
        if (is == holder_is::not_known) return look_at(reader);
        if (is == holder_is::over) over.push_back(reader.text);
    }
    if (!over.empty()) return {item_acquire_step::reap, {}, std::move(over)};
    return wait_for(facts);
}

}  // namespace

std::vector<std::string> forgotten_readers(const item_lock_state& sight, std::string_view self, std::int64_t but) {
    std::vector<std::string> ghosts;
    for (const auto& reader : sight.readers) {
        if (reader.session == self && reader.attempt != but) ghosts.push_back(reader.text);
    }
    return ghosts;
}

item_acquire_decision decide_item_acquire(const item_acquire_facts& facts) {
    const auto& sight = facts.sight;
    if (const auto* mine = sight.held_by(facts.self, facts.mine.attempt)) {
        const bool as_writer = sight.writer && mine == &*sight.writer;
        if (as_writer == (facts.access == item_access::exclusive)) return {item_acquire_step::granted};
    }
    if (!sight.exists) return {item_acquire_step::missing};
    if (sight.floor >= facts.mine.token) return {item_acquire_step::claim_closed};
    // That one has no lease by which it would be known.
    if (sight.in_transaction) return {facts.waits ? item_acquire_step::poll : item_acquire_step::refuse};
    if (facts.fate == item_fate::settled) return wait_for_intent(facts);

    item_take_form form{.access = facts.access};
    if (sight.writer) {
        const auto is = judge_claimant(facts, *sight.writer);
        if (is == holder_is::not_known) return look_at(*sight.writer);
        if (is == holder_is::alive) return wait_for_writer(facts);
        form.over_writer = sight.writer->text;
    }
    if (sight.intent) {
        const auto is = judge_claimant(facts, *sight.intent);
        if (is == holder_is::not_known) return look_at(*sight.intent);
        if (is == holder_is::alive) return wait_for_intent(facts);
        form.intent = sight.intent->text;
    }
    if (facts.access == item_access::shared) return join_readers(facts, std::move(form));
    if (!sight.readers.empty()) return take_from_readers(facts, std::move(form));
    return {item_acquire_step::take, std::move(form)};
}

give_up_step decide_item_give_up(const item_give_up_facts& facts) {
    const bool stands_there =
        facts.sight.held_by(facts.self, facts.mine.attempt) || facts.sight.intended_by(facts.self);
    if (stands_there) return give_up_step::resolve;
    if (!facts.sent) return give_up_step::done;
    const bool closed = facts.sight.exists && facts.sight.floor >= facts.mine.token;
    if (facts.unanswered && !closed) return give_up_step::resolve;
    // An item that is removed and made again forgets its floor, and lets even a copy of a closed claim in.
    if (facts.unanswered) return give_up_step::audit;
    if (facts.intended && !closed) return give_up_step::resolve;
    return closed ? give_up_step::done : give_up_step::audit;
}

item_resolve_step decide_item_resolve(const item_lock_state& sight, std::string_view self, const claim& mine,
                                      bool closed) {
    if (sight.held_by(self, mine.attempt)) return item_resolve_step::release;
    closed = closed || !sight.exists || sight.floor >= mine.token;
    if (sight.intended_by(self)) return closed ? item_resolve_step::leave_closed : item_resolve_step::leave;
    return closed ? item_resolve_step::done : item_resolve_step::close;
}

guarded_step decide_guarded(const item_lock_state& sight, std::string_view self, const item_grant& held) {
    if (!held.writes(sight, self)) return guarded_step::lost;
    if (sight.writer->step == held.step + 1) return guarded_step::applied;
    return sight.writer->step == held.step ? guarded_step::condition_false : guarded_step::lost;
}

hand_over_step decide_item_hand_over(const item_lock_state& sight, std::string_view self, const item_grant& from,
                                     const claim& to) {
    if (sight.writer && sight.writer->is(self, to.attempt)) return hand_over_step::handed;
    if (!from.writes(sight, self)) return hand_over_step::lost;
    return sight.floor >= to.token ? hand_over_step::claim_closed : hand_over_step::again;
}

}  // namespace dynalease::protocol
