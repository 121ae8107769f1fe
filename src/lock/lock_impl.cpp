// The life of a lock in one process: its phases, its local queue, its claim and its grant.
// SPDX-License-Identifier: BSL-1.0
#include "lock/lock_impl.hpp"

#include <boost/asio/deferred.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace dynalease::detail {

lock_impl::lock_impl(session_impl& core, std::string name, const lock_options& options)
    : core_(core), name_(std::move(name)), options_(options) {}

lock_impl::~lock_impl() {
    core_.forget(key());
}

lock_impl::waiter::waiter(lock_impl& front, item with, bool only_tries)
    : served(front.core_.world().executor), data(std::move(with)), tries(only_tries), front_(front) {
    in_ = &front_.waiters_;
    position_ = in_->insert(in_->end(), this);
}

lock_impl::waiter::~waiter() {
    in_->erase(position_);
}

// ---- the local queue ---------------------------------------------------------------------------------------

// Of many who end together each is passed over once, not once for each of the others. What is open is noted for them
// now: the next step may give it up before they run.
lock_impl::waiter* lock_impl::first_waiter() {
    while (!waiters_.empty() && waiters_.front()->served.empty()) {
        waiters_.front()->in_ = &ended_;
        waiters_.front()->in_doubt_ = may_land();
        ended_.splice(ended_.end(), waiters_, waiters_.begin());
    }
    return waiters_.empty() ? nullptr : waiters_.front();
}

bool lock_impl::waited_for() {
    const auto* first = first_waiter();
    if (first == nullptr || !first->tries) return first != nullptr;
    return std::any_of(std::next(waiters_.begin()), waiters_.end(), [](waiter* w) { return !w->served.empty(); });
}

void lock_impl::fail_waiters(const shared_failure& why) {
    for (auto* w : waiters_) w->served.complete_one(grant{{}, why});
}

void lock_impl::fail_rejected(const shared_failure& why) {
    auto* first = first_waiter();
    if (first == nullptr) return;
    // What is at fault may be what the first waiter wants written: the others try for themselves. Where that is
    // nothing, or it is who asks or what stands there, no other would fare better.
    const bool by_its_data = why->code == errc::validation || why->code == errc::item_too_large;
    if (first->data.empty() || !by_its_data) return fail_waiters(or_doubt(why));
    first->served.complete_one(grant{{}, or_doubt(why)});
}

// A try is let in only when nobody waits: none stands behind another waiter.
void lock_impl::fail_try(const shared_failure& why) {
    auto* first = first_waiter();
    if (first != nullptr && first->tries) first->served.complete_one(grant{{}, why});
}

shared_failure lock_impl::or_doubt(const shared_failure& why) const {
    if (!claim_->unanswered) return why;
    failure doubt(errc::in_doubt, outcome::unknown);
    if (why) doubt.details = why->details;
    return std::make_shared<const failure>(std::move(doubt));
}

bool lock_impl::busy() {
    return phase_ == phase::held || wanted();
}

void lock_impl::wake() {
    if (phase_ == phase::idle) phase_ = phase::wanting;
    if (phase_ != phase::held) drive();
}

bool lock_impl::left(const waiter& who) {
    if (wanted()) return false;
    if (sleep_) sleep_->wake();
    return who.in_doubt_;
}

bool lock_impl::may_land() const noexcept {
    const bool for_a_waiter = phase_ == phase::wanting || phase_ == phase::giving_back;
    return for_a_waiter && claim_ && !claim_->for_nobody && (claim_->unanswered || writing_);
}

// ---- phases ------------------------------------------------------------------------------------------------

void lock_impl::drive() {
    if (driven_) return;
    driven_ = runtime::spawn_background(core_.world().executor, core_.work(),
                                        run({core_.shared_from_this(), shared_from_this()}));
    if (!driven_) drop();
}

boost::asio::awaitable<void> lock_impl::run(lock_target self) {
    // Whoever woke us begins to wait after the call, not before.
    co_await boost::asio::post(core_.world().executor, boost::asio::deferred);
    protocol::lock_row row;
    while (phase_ != phase::idle && phase_ != phase::held) {
        if (phase_ == phase::wanting) {
            co_await want(row);
        } else if (phase_ == phase::resolving) {
            co_await resolve(row);
        } else if (phase_ == phase::giving_back) {
            co_await give_back_or_hand_over(row);
        } else {
            co_await audit(row);
        }
    }
    sleep_.reset();
    driven_ = false;
    if (phase_ == phase::idle) core_.idle().remember(self.front);
}

void lock_impl::rest() {
    phase_ = wanted() && core_.live() ? phase::wanting : phase::idle;
}

void lock_impl::drop() {
    first_waiter();  // those who ended just now are told by what was open then
    claim_.reset();
    finish_leaving(core_.over_failure().code);
    phase_ = phase::idle;
}

void lock_impl::turn_away(const failure& why) {
    fail_waiters(std::make_shared<const failure>(why));
    if (sleep_) sleep_->wake();
}

void lock_impl::session_lost(const failure& why) {
    turn_away(why);
    const auto hold = hold_.lock();
    if (!hold) return;
    hold->lose();
    end_grant();
    ++core_.counters().lost;
}

void lock_impl::session_closes(const failure& why, bool release,
                               std::vector<std::shared_ptr<pending_release>>& under_way) {
    turn_away(why);
    const auto hold = hold_.lock();
    if (hold && release && hold->in_use()) {
        under_way.push_back(hold);
        return;
    }
    if (!hold || !hold->let_go()) return;
    if (release) {
        give_back(hold);
        under_way.push_back(hold);
    } else {
        leave_to_lease(hold);
    }
}

void lock_impl::resolve_claim(bool look_first) {
    phase_ = look_first ? phase::auditing : phase::resolving;
    drive();
}

// ---- the claim ---------------------------------------------------------------------------------------------

protocol::claim lock_impl::next_claim(std::int64_t floor, std::int64_t lead) {
    floor_ = std::max(floor_, floor);
    last_token_ = protocol::choose_token(core_.wall(), last_token_, floor_ + lead);
    return {.attempt = core_.next_attempt(), .token = last_token_};
}

void lock_impl::note_unanswered() {
    if (!claim_ || claim_->unanswered) return;
    claim_->unanswered = true;
    ++core_.counters().unknown_writes;
}

void lock_impl::close_claim(bool applied) {
    if (claim_ && claim_->unanswered) {
        ++(applied ? core_.counters().unknown_applied : core_.counters().unknown_void);
    }
    claim_.reset();
}

void lock_impl::give_up(const protocol::lock_row& row) {
    const auto next = protocol::decide_give_up(
        {.row = row, .self = core_.id(), .mine = claim_->id, .sent = claim_->sent, .unanswered = claim_->unanswered});
    if (next == protocol::give_up_step::resolve) {
        phase_ = phase::resolving;
        return;
    }
    phase_ = phase::idle;
    if (next == protocol::give_up_step::audit) {
        if (!std::exchange(claim_->audited, true)) core_.idle().audit_later(shared_from_this());
    } else {
        close_claim(false);
    }
}

// ---- the grant ---------------------------------------------------------------------------------------------

bool lock_impl::serve(const protocol::claim& claim, const item& written) {
    held_ = claim;
    auto* next = core_.live() ? first_waiter() : nullptr;
    // What stands there may be what another brought along, who has left meanwhile: a hand-over writes what is wanted.
    if (!next || (!next->data.empty() && next->data != written)) return false;
    auto hold = std::make_shared<lock_hold>(core_.shared_from_this(), shared_from_this(), claim);
    hold_ = hold;
    ++core_.counters().leases_held;
    ++core_.counters().acquired;
    next->served.complete_one(grant{lock_hold::make_guard(std::move(hold)), nullptr});
    return true;
}

void lock_impl::granted(bool taken_over, bool own_copy, item written) {
    const auto mine = claim_->id;
    close_claim(true);
    floor_ = seen_floor_ = mine.token;
    refused_at_.reset();
    overflows_ = 0;
    refusals_ = 0;
    others_wait_ = false;
    hand_overs_ = 0;
    if (taken_over) ++core_.counters().take_overs;
    if (own_copy) ++core_.counters().own_copies;
    phase_ = serve(mine, written) ? phase::held : phase::giving_back;
}

void lock_impl::end_grant() {
    hold_.reset();
    --core_.counters().leases_held;
    phase_ = phase::idle;
}

void lock_impl::leave_to_lease(const std::shared_ptr<lock_hold>& hold) {
    if (hold_.lock() == hold) end_grant();
    hold->finish(core_.over_failure().code);
}

void lock_impl::give_back(const std::shared_ptr<lock_hold>& hold) {
    if (hold_.lock() != hold || !core_.may_write()) {
        leave_to_lease(hold);
        return;
    }
    end_grant();
    leaving_ = hold;
    phase_ = phase::giving_back;
    drive();
}

void lock_impl::finish_leaving(error_code code) {
    if (const auto hold = leaving_.lock()) hold->finish(code);
    leaving_.reset();
}

std::int64_t lock_impl::row_expiry() const {
    return protocol::lock_row_expiry(core_.wall(), floor_, core_.options().retention);
}

}  // namespace dynalease::detail
