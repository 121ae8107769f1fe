// What one process has to do with the lock of one item: its claim, its grant, and what it knows of the others.
// SPDX-License-Identifier: BSL-1.0
#include "item_lock/protocol/item_lock_claimant.hpp"

#include "database/protocol/backoff.hpp"
#include "item/protocol/item_state.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::protocol {

using detail::answer;
using detail::shared_failure;

item_lock_claimant::item_lock_claimant(session_view& of, item_lock_callers& by, std::string called, locked_item kept_on)
    : session(of),
      callers(by),
      name(std::move(called)),
      item(std::move(kept_on)),
      outlook(of, item.poll_interval, item.longest_poll_interval),
      silence(of) {}

// ---- steps -------------------------------------------------------------------------------------------------

item_reply read_item(const item_layout& layout, answer kind, const item* shown, bool whole) {
    auto lock = lock_sight_of(layout, shown);
    if (!lock) return {.kind = answer::rejected, .why = std::make_shared<const failure>(std::move(lock).error())};
    item_reply seen{.kind = kind, .lock = *std::move(lock)};
    if (whole && shown) seen.whole = *shown;
    return seen;
}

sequence<item_reply> item_lock_claimant::send(stepper& steps, update_item_request request,
                                              std::optional<std::chrono::nanoseconds> beat_limit) {
    const auto shows = request.returned;
    const auto sent = session.now();
    write_step wanted{.request = std::move(request), .beat_limit = beat_limit};
    auto done = co_await asking(steps, std::move(wanted));
    item_reply seen{.kind = answer::applied};
    if (!done.answer) {
        seen = read_failure(std::move(done.answer).error());
    } else if (shows == return_values::all_new) {
        seen = read_item(item.layout, answer::applied, &done.answer->attributes, true);
    } else if (shows == return_values::updated_old) {
        const auto before = lock_sight_of(item.layout, &done.answer->attributes);
        if (before && before->writer) seen.step_before = before->writer->step;
    }
    co_return noted(std::move(seen), sent);
}

sequence<item_reply> item_lock_claimant::send(stepper& steps, delete_item_request request) {
    const auto sent = session.now();
    erase_step wanted{std::move(request)};
    auto done = co_await asking(steps, std::move(wanted));
    item_reply seen{.kind = answer::applied};
    if (!done.answer) seen = read_failure(std::move(done.answer).error());
    co_return noted(std::move(seen), sent);
}

sequence<item_reply> item_lock_claimant::look(stepper& steps, bool whole) {
    read_step wanted{requests().look()};
    wanted.request.report_capacity = true;
    if (whole) {
        wanted.request.projection_expression.clear();
        wanted.request.names.clear();
    }
    const auto sent = session.now();
    auto done = co_await asking(steps, std::move(wanted));
    item_reply seen;
    if (!done.answer) {
        seen = read_failure(std::move(done.answer).error());
    } else {
        if (done.answer->consumed) outlook.note_cost(done.answer->consumed->capacity_units);
        seen = read_item(item.layout, answer::applied, done.answer->found ? &*done.answer->found : nullptr, whole);
    }
    co_return noted(std::move(seen), sent);
}

item_reply item_lock_claimant::read_failure(failure why) const {
    detail::name_size(why);
    explain_key(why, item.key);
    const auto kind = detail::classify(why);
    if (kind != answer::refused) return {.kind = kind, .why = std::make_shared<const failure>(std::move(why))};
    auto seen = read_item(item.layout, kind, why.current ? &*why.current : nullptr, true);
    seen.doubtful = why.outcome == outcome::unknown;
    return seen;
}

item_reply item_lock_claimant::noted(item_reply seen, time_point sent) {
    seen.sent_at = sent;
    outlook.note(seen.lock, sent);
    silence.note(seen.kind, sent, seen.why);
    return seen;
}

asking<pause_step> item_lock_claimant::pause_after(stepper& steps, unsigned failures) {
    if (const auto why = silence.too_long()) callers.fail_all(or_doubt(why), time_point::max());
    return pause(steps, detail::retry_pause(failures, session.unit()));
}

// ---- the claim ---------------------------------------------------------------------------------------------

void item_lock_claimant::new_claim(std::int64_t floor_seen) {
    tokens.see(floor_seen);
    open.emplace().id = tokens.choose(session, token_lead(outrun));
}

void item_lock_claimant::stake() {
    if (!std::exchange(open->sent, true)) open->absent_at = session.now();
    open->sent_at = session.now();
}

void item_lock_claimant::note_unanswered() {
    if (open) open->note_unanswered(session.counters());
}

void item_lock_claimant::note_absent(time_point sent) {
    if (open) open->absent_at = std::max(open->absent_at, sent);
}

void item_lock_claimant::close_claim(bool applied) {
    if (open) open->note_end(session.counters(), applied);
    if (open && open->unanswered) {
        auto& late = unlanded.emplace();
        late.id = open->id;
        late.sent = late.closed = true;
        late.sent_at = open->sent_at;
    }
    open.reset();
}

void item_lock_claimant::audit_late_copies() {
    if (open || !unlanded) return;
    open = std::exchange(unlanded, std::nullopt);
    callers.audit_later();
}

void item_lock_claimant::put_off_audit() {
    if (open && open->closed) unlanded = std::exchange(open, std::nullopt);
}

bool item_lock_claimant::may_land(bool sent) const noexcept {
    const bool for_a_caller = now == phase::wanting || now == phase::giving_back;
    return for_a_caller && open && (open->unanswered || (open->under_way && sent));
}

void item_lock_claimant::give_up(const item_lock_state& lock) {
    callers.wanted();  // those who ended just now are told by what is open now
    auto next = give_up_step::done;
    if (open) {
        next = decide_item_give_up({.sight = lock,
                                    .self = session.id(),
                                    .mine = open->id,
                                    .sent = open->sent,
                                    .unanswered = open->unanswered,
                                    .intended = open->intended});
    }
    const bool haunted = next == give_up_step::done ? take_up_ghost(lock) : lock.entry_of(session.id()) != nullptr;
    if (haunted || next == give_up_step::resolve) {
        now = phase::resolving;
        return;
    }
    now = phase::idle;
    if (next == give_up_step::audit) {
        callers.audit_later();
    } else {
        close_claim(false);
        audit_late_copies();
    }
}

bool item_lock_claimant::take_up_ghost(const item_lock_state& lock) {
    const auto* ghost = lock.entry_of(session.id());
    if (!ghost) return false;
    close_claim(false);
    open.emplace().id.attempt = ghost->attempt;
    open->closed = true;
    return true;
}

shared_failure item_lock_claimant::or_doubt(const shared_failure& why) const {
    return open && open->unanswered ? detail::told_in_doubt(why) : why;
}

void item_lock_claimant::study(const item_lock_state& lock) {
    tokens.see(lock.floor);
    outlook.study(lock);
}

std::optional<item_question> item_lock_claimant::question() const {
    const auto since = callers.tries_until_known();
    if (!since) return {};
    return item_question{.since = *since, .access = callers.wish(), .most_readers = item.most_readers};
}

std::chrono::nanoseconds item_lock_claimant::time_to_next_look(const item_lock_state& seen,
                                                               const std::optional<item_question>& asked) {
    const bool others_wait = callers.waited_for() || callers.wanted_together();
    return others_wait ? outlook.time_to_next_look(seen) : outlook.time_to_next_look(seen, asked);
}

item_fate item_lock_claimant::fate_of_others(const item_reply& seen) {
    const auto asked = question();
    if (!asked) return item_fate::not_asked;
    return seen.sent_at < asked->since ? item_fate::unknown : outlook.fate(seen.lock, *asked);
}

// ---- the grant ---------------------------------------------------------------------------------------------

void item_lock_claimant::take_grant(const item_lock_state& lock) {
    const auto* entry = lock.held_by(session.id(), open->id.attempt);
    const bool as_writer = lock.writer && entry == &*lock.writer;
    grant.held = {.id = open->id,
                  .access = as_writer ? item_access::exclusive : item_access::shared,
                  .step = entry->step,
                  .born = lock.born,
                  .ghosts = forgotten_readers(lock, session.id(), open->id.attempt)};
    tokens.see(grant.held.id.token);
    outrun = 0;
    kept(open->absent_at);
    close_claim(true);
}

bool item_lock_claimant::serve() {
    // Whoever wanted it otherwise has gone meanwhile.
    if (!session.live() || !callers.wanted() || callers.wish() != grant.held.access) return false;
    ++turns;
    if (grant.held.access == item_access::shared) {
        serve_readers();
    } else {
        callers.serve();
    }
    return true;
}

// Not past a writer: readers that came after it would keep it out for ever.
void item_lock_claimant::serve_readers() {
    if (grant.held.access != item_access::shared) return;
    while (session.live() && callers.wanted()) {
        if (callers.wish() != item_access::shared) return fail_try(nullptr);
        callers.serve();
    }
}

void item_lock_claimant::kept(time_point sent) {
    if (!session.plain()) return;
    grant.kept_since = sent;
    callers.kept();
}

void item_lock_claimant::kept_on(time_point sent) {
    if (grant_lives()) kept(sent);
}

bool item_lock_claimant::holds(const item_grant& held) const {
    return now == phase::held && grant.held.id == held.id && grant.held.access == held.access;
}

void item_lock_claimant::lose_grant() {
    callers.lose_grant();
    now = phase::idle;
}

void item_lock_claimant::rest() {
    now = callers.wanted() && session.live() ? phase::wanting : phase::idle;
    if (now != phase::idle) return;
    audit_late_copies();
    callers.at_rest();
}

void item_lock_claimant::end_release(const failure& how) {
    if (!how.code && grant.of_guard) ++session.counters().released;
    callers.end_release(how);
    grant.of_guard = false;
}

void item_lock_claimant::end_hand_over() {
    if (grant.of_guard) ++session.counters().hand_overs;
    callers.end_hand_over();
    grant.of_guard = false;
}

void item_lock_claimant::drop() {
    callers.wanted();  // those who ended just now are told by what was open then
    open.reset();
    unlanded.reset();
    end_release(session.over_failure());
    now = phase::idle;
}

}  // namespace dynalease::protocol
