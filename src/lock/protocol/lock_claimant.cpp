// What one process has to do with one lock: its claim, its grant, and what it knows of the others.
// SPDX-License-Identifier: BSL-1.0
#include "lock/protocol/lock_claimant.hpp"

#include "database/protocol/backoff.hpp"

#include <utility>

namespace dynalease::protocol {

// ---- one request -------------------------------------------------------------------------------------------

namespace {

const item* row_of(const update_item_response& written) {
    return &written.attributes;
}
const item* row_of(const get_item_response& read) {
    return read.found ? &*read.found : nullptr;
}

}  // namespace

lock_exchange::lock_exchange(stepper& steps, update_item_request request, time_point now)
    : steps_(steps), step_(write_step{std::move(request)}), sent_at_(now) {}

lock_exchange::lock_exchange(stepper& steps, get_item_request request, time_point now)
    : steps_(steps), step_(read_step{std::move(request)}), sent_at_(now) {}

void lock_exchange::await_suspend(std::coroutine_handle<> waits) noexcept {
    std::visit([&](auto& wanted) { steps_.ask(&wanted, waits); }, step_);
}

lock_reply lock_exchange::await_resume() {
    auto seen = std::visit(
        [](auto& done) {
            if (!done.answer) return detail::read_failure(std::move(done.answer).error(), parse_lock_row);
            return detail::read_row(detail::answer::applied, row_of(*done.answer), parse_lock_row);
        },
        step_);
    seen.sent_at = sent_at_;
    return seen;
}

// ---- what is shared ----------------------------------------------------------------------------------------

lock_claimant::lock_claimant(session_view& of, lock_callers& by, std::string called,
                             std::chrono::nanoseconds shortest_interval)
    : session(of), callers(by), name(std::move(called)), poll_interval(shortest_interval) {}

std::int64_t lock_claimant::row_expiry() const {
    return lock_row_expiry(session.wall(), tokens.floor, session.retention());
}

lock_claimant::sights& lock_claimant::sighted() {
    if (!shown) shown = std::make_unique<sights>();
    return *shown;
}

// ---- steps -------------------------------------------------------------------------------------------------

lock_exchange lock_claimant::send(update_item_request request) {
    return {*steps, std::move(request), session.now()};
}

lock_exchange lock_claimant::look() {
    return {*steps, requests().look(), session.now()};
}

asking<pause_step> lock_claimant::pause_after(unsigned failures) {
    return pause(detail::retry_pause(failures, session.unit()));
}

// ---- the claim ---------------------------------------------------------------------------------------------

void lock_claimant::new_claim(std::int64_t seen_in_row, std::int64_t lead) {
    tokens.see(seen_in_row);
    open = std::make_unique<lock_claim>();
    open->id = tokens.choose(session, lead);
}

void lock_claimant::stake() {
    open->sent = true;
    open->under_way = true;
    open->audited = false;
    open->sent_at = session.now();
}

void lock_claimant::note_unanswered() {
    if (open) open->note_unanswered(session.counters());
}

void lock_claimant::close_claim(bool applied) {
    if (open) open->note_end(session.counters(), applied);
    open.reset();
}

bool lock_claimant::may_land(bool sent) const noexcept {
    const bool for_a_caller = now == phase::wanting || now == phase::giving_back;
    return for_a_caller && open && !open->for_nobody && (open->unanswered || (open->under_way && sent));
}

detail::shared_failure lock_claimant::or_doubt(const detail::shared_failure& why) const {
    return open && open->unanswered ? detail::told_in_doubt(why) : why;
}

void lock_claimant::refuse_try(const lock_reply& seen) {
    callers.fail_try(or_doubt(nullptr), seen.sent_at);
}

void lock_claimant::fail_try(const detail::shared_failure& why) {
    callers.fail_try_unheard(or_doubt(why), time_point::max());
}

void lock_claimant::fail_all(const detail::shared_failure& why, const lock_reply& seen) {
    callers.fail_all(or_doubt(why), seen.sent_at);
}

void lock_claimant::fail_rejected(const lock_reply& seen) {
    // Whoever is first now with other data has not been refused yet.
    if (!callers.wanted() || callers.data() != open->data) return;
    // What is at fault may be what the first caller wants written: the others try for themselves. Where that is
    // nothing, or it is who asks or what stands there, no other would fare better.
    const bool by_its_data = seen.why->code == errc::validation || seen.why->code == errc::item_too_large;
    if (callers.data().empty() || !by_its_data) return fail_all(seen.why, seen);
    callers.fail_first(or_doubt(seen.why), seen.sent_at);
}

// ---- the grant ---------------------------------------------------------------------------------------------

void lock_claimant::granted(bool taken_over, bool own_copy, item written) {
    const auto mine = open->id;
    close_claim(true);
    tokens.floor = seen_floor = mine.token;
    others.refused_at.reset();
    others.refusals = 0;
    others.others_wait = false;
    others.hand_overs = 0;
    if (taken_over) ++session.counters().take_overs;
    if (own_copy) ++session.counters().own_copies;
    now = serve(mine, written) ? phase::held : phase::giving_back;
}

bool lock_claimant::wanted_with(const item& written) const {
    if (!session.live() || !callers.wanted()) return false;
    // What stands there may be what another brought along, who has left meanwhile: a hand-over writes what is wanted.
    const auto& data = callers.data();
    return data.empty() || data == written;
}

bool lock_claimant::serve(const claim& grant, const item& written) {
    held = grant;
    if (!wanted_with(written)) return false;
    ++session.counters().leases_held;
    ++session.counters().acquired;
    callers.serve(grant);
    return true;
}

void lock_claimant::rest() {
    now = callers.wanted() && session.live() ? phase::wanting : phase::idle;
}

void lock_claimant::end_release(const failure& how) {
    if (!how.code && of_guard) ++session.counters().released;
    callers.end_release(how);
    of_guard = false;
}

void lock_claimant::end_hand_over() {
    if (of_guard) ++session.counters().hand_overs;
    callers.end_hand_over();
    of_guard = false;
}

void lock_claimant::drop() {
    callers.wanted();  // those who ended just now are told by what was open then
    open.reset();
    end_release(session.over_failure());
    now = phase::idle;
}

}  // namespace dynalease::protocol
