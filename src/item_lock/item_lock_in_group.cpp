// An item's lock as one of several: reserved for a claim that they share, and ended in one transaction with others.
// SPDX-License-Identifier: BSL-1.0
#include "item_lock/item_lock_impl.hpp"

#include "database/transact_actions.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::detail {

using protocol::item_access;

item_lock_impl::place_in_line::place_in_line(item_lock_impl& front, std::int64_t came, runtime::alarm& woken)
    : front_(front), position_(front.line_.emplace(came, &woken).first) {}

item_lock_impl::place_in_line::~place_in_line() {
    front_.line_.erase(position_);
    front_.call_line();
}

bool item_lock_impl::open_to(std::int64_t came) {
    const bool in_hand = phase_ != phase::idle || driven_ || looks_out_ || wanted();
    return !in_hand && (line_.empty() || came <= line_.begin()->first);
}

bool item_lock_impl::reserve(const std::optional<protocol::claim>& mine, std::int64_t came) {
    if (!open_to(came)) return false;
    put_off_audit();
    if (claim_ && !(mine && claim_->id == *mine)) {
        resolve_claim(false);
        return false;
    }
    phase_ = phase::reserved;
    driven_ = true;
    return true;
}

std::int64_t item_lock_impl::next_token() const {
    return protocol::choose_token(core_.wall(), last_token_, floor_);
}

void item_lock_impl::stake(const protocol::claim& mine) {
    if (!claim_) claim_ = open_claim{mine};
    last_token_ = mine.token;
    note_sent();
}

void item_lock_impl::renew_claim() {
    close_claim(false);
}

protocol::item_acquire_decision item_lock_impl::consider(const protocol::item_lock_state& lock,
                                                         const protocol::claim& mine, item_access access) {
    study(lock);
    const std::function<protocol::holder_is(const protocol::item_claimant&)> judged =
        [&](const protocol::item_claimant& who) { return outlook_.judge(who, true); };
    return protocol::decide_item_acquire({.sight = lock,
                                          .self = core_.id(),
                                          .mine = mine,
                                          .access = access,
                                          .waits = false,
                                          .most_readers = place_.options.most_readers,
                                          .judge = judged});
}

transact_update item_lock_impl::take_together(const protocol::claim& mine, const protocol::item_take_form& form) const {
    return as_action(requests().take(mine, form, place_.options.most_readers));
}

void item_lock_impl::give_free(const protocol::item_lock_state& lock) {
    driven_ = false;
    if (!core_.may_write()) {
        drop();
        return;
    }
    phase_ = phase::idle;
    if (claim_) give_up(lock);
    if (phase_ == phase::idle) rest();
    if (phase_ != phase::idle) drive();
}

item_guard item_lock_impl::grant(sighting seen) {
    outlook_.note(seen.lock, seen.sent_at);
    take_grant(seen.lock);
    known_ = *std::move(seen.whole);
    phase_ = phase::held;
    driven_ = false;
    auto guard = item_hold::make_guard(make_hold());
    // Other readers of this process need not ask.
    if (grant_.access == item_access::shared && wanted()) drive();
    return guard;
}

protocol::guarded_step item_lock_impl::judge_last(const sighting& seen, const last_write& last) const {
    if (landed(seen, last)) return protocol::guarded_step::applied;
    return protocol::decide_guarded(seen.lock, core_.id(), last.held);
}

}  // namespace dynalease::detail
