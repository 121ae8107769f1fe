// The life of an item's lock in one process: its phases, its local queue, its claim and its grant.
// SPDX-License-Identifier: BSL-1.0
#include "item_lock/item_lock_impl.hpp"

#include "runtime/spawn.hpp"

#include <boost/asio/deferred.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace dynalease::detail {

using protocol::item_access;

item_lock_impl::item_lock_impl(session_impl& core, std::string name, const item_place& place)
    : core_(core),
      name_(std::move(name)),
      place_(place),
      outlook_(core, core.plain() ? &core.plain()->times : nullptr, place.options.poll_interval,
               place.options.longest_poll_interval),
      outage_(core),
      renewed_(core.world().executor) {}

item_lock_impl::~item_lock_impl() {
    core_.forget(key());
}

shared_failure item_lock_impl::or_doubt(const shared_failure& why) const {
    return claim_ && claim_->unanswered ? told_in_doubt(why) : why;
}

void item_lock_impl::turn_away(const failure& why) {
    fail_waiters(std::make_shared<const failure>(why));
    if (sleep_) sleep_->wake();
    for (const auto& [came, alarm] : line_) alarm->wake();
    if (looks_out_) looks_out_->wake();
}

bool item_lock_impl::busy(item_access access) {
    const bool shares = access == item_access::shared && grant_.access == item_access::shared;
    return (phase_ == phase::held && !shares) || phase_ == phase::reserved || wanted();
}

void item_lock_impl::wake() {
    if (phase_ == phase::idle) phase_ = phase::wanting;
    // A reader may join those of this process.
    if (phase_ != phase::held || grant_.access == item_access::shared) drive();
}

bool item_lock_impl::left(const callers_type::caller& who) {
    if (wanted()) return false;
    if (sleep_) sleep_->wake();
    return who.in_doubt();
}

bool item_lock_impl::may_land() const noexcept {
    const bool claims = phase_ == phase::wanting || phase_ == phase::giving_back;
    return claims && claim_ && (claim_->unanswered || writing_);
}

// ---- phases ------------------------------------------------------------------------------------------------

void item_lock_impl::drive() {
    if (driven_) return;
    outage_.ends();
    driven_ = runtime::spawn_background(core_.world().executor, core_.work(),
                                        run({core_.shared_from_this(), shared_from_this()}));
    if (!driven_) drop();
}

boost::asio::awaitable<void> item_lock_impl::run(item_target self) {
    // Whoever woke us begins to wait after the call, not before.
    co_await boost::asio::post(core_.world().executor, boost::asio::deferred);
    sleep_.emplace(core_.world());
    sighting seen;
    if (phase_ == phase::held) co_await let_join(seen);
    while (phase_ != phase::idle && phase_ != phase::held) {
        if (phase_ == phase::wanting) {
            co_await want(seen);
        } else if (phase_ == phase::resolving) {
            co_await resolve(seen);
        } else if (phase_ == phase::giving_back) {
            co_await give_back_or_hand_over(seen);
        } else {
            co_await audit(seen);
        }
    }
    sleep_.reset();
    driven_ = false;
    if (phase_ == phase::idle) core_.idle().remember(self.front);
    call_line();
}

void item_lock_impl::rest() {
    phase_ = wanted() && core_.live() ? phase::wanting : phase::idle;
    if (phase_ == phase::idle) audit_late_copies();
    call_line();
}

/// The item is in nobody's hands here: the first of those who want it among others may.
void item_lock_impl::call_line() {
    if (phase_ == phase::idle && !driven_ && !looks_out_ && !line_.empty()) line_.begin()->second->wake();
}

void item_lock_impl::drop() {
    first_waiter();  // those who ended just now are told by what was open then
    claim_.reset();
    unlanded_.reset();
    finish_leaving(core_.over_failure().code);
    phase_ = phase::idle;
}

void item_lock_impl::session_lost(const failure& why) {
    turn_away(why);
    lose_holds();
    if (phase_ == phase::held) phase_ = phase::idle;
}

void item_lock_impl::session_closes(const failure& why, bool release,
                                    std::vector<std::shared_ptr<pending_release>>& under_way) {
    turn_away(why);
    const auto holds = holds_;
    for (const auto& each : holds) {
        const auto hold = each.lock();
        if (!hold || !hold->let_go()) continue;
        if (release) {
            give_back(hold);
            under_way.push_back(hold);
        } else {
            leave_to_lease(hold);
        }
    }
}

void item_lock_impl::resolve_claim(bool look_first) {
    phase_ = look_first ? phase::auditing : phase::resolving;
    drive();
}

// ---- the claim ---------------------------------------------------------------------------------------------

protocol::claim item_lock_impl::next_claim(std::int64_t floor) {
    floor_ = std::max(floor_, floor);
    last_token_ = protocol::choose_token(core_.wall(), last_token_, floor_);
    return {.attempt = core_.next_attempt(), .token = last_token_};
}

void item_lock_impl::note_unanswered() {
    if (!claim_ || claim_->unanswered) return;
    claim_->unanswered = true;
    ++core_.counters().unknown_writes;
}

void item_lock_impl::close_claim(bool applied) {
    if (claim_ && claim_->unanswered) {
        ++(applied ? core_.counters().unknown_applied : core_.counters().unknown_void);
        unlanded_ = open_claim{.id = claim_->id, .sent = true, .closed = true, .sent_at = claim_->sent_at};
    }
    claim_.reset();
}

void item_lock_impl::audit_late_copies() {
    if (claim_ || !unlanded_) return;
    claim_ = std::exchange(unlanded_, std::nullopt);
    core_.idle().audit_later(shared_from_this());
}

/// Somebody here wants the item before the audit of a closed claim, which is put off.
void item_lock_impl::put_off_audit() {
    if (claim_ && claim_->closed) unlanded_ = std::exchange(claim_, std::nullopt);
}

void item_lock_impl::give_up(const protocol::item_lock_state& lock) {
    first_waiter();  // likewise
    const auto next = protocol::decide_item_give_up({.sight = lock,
                                                     .self = core_.id(),
                                                     .mine = claim_->id,
                                                     .sent = claim_->sent,
                                                     .unanswered = claim_->unanswered,
                                                     .intended = claim_->intended});
    if (next == protocol::give_up_step::resolve) {
        phase_ = phase::resolving;
        return;
    }
    phase_ = phase::idle;
    if (next == protocol::give_up_step::audit) {
        core_.idle().audit_later(shared_from_this());
    } else {
        close_claim(false);
        audit_late_copies();
    }
}

// ---- the grant ---------------------------------------------------------------------------------------------

std::shared_ptr<item_hold> item_lock_impl::make_hold() {
    auto hold = std::make_shared<item_hold>(core_.shared_from_this(), shared_from_this(), grant_);
    hold->known = known_;
    holds_.push_back(hold);
    if (core_.plain()) tell_end(*hold);
    if (core_.plain() && !kept_) {
        kept_ = runtime::spawn_background(core_.world().executor, core_.work(),
                                          keep({core_.shared_from_this(), shared_from_this()}));
    }
    ++core_.counters().leases_held;
    ++core_.counters().acquired;
    return hold;
}

bool item_lock_impl::serve() {
    auto* next = core_.live() ? first_waiter() : nullptr;
    // Whoever wanted it otherwise has gone meanwhile.
    if (!next || next->wish != grant_.access) return false;
    ++turns_;
    if (grant_.access == item_access::shared) {
        serve_readers();
    } else {
        next->served.complete_one({item_hold::make_guard(make_hold()), nullptr});
    }
    return true;
}

/// Readers of this process join those that have the item.
boost::asio::awaitable<void> item_lock_impl::let_join(sighting& seen) {
    outlook_.look_soon();
    const auto joins = [this] {
        return phase_ == phase::held && grant_.access == item_access::shared && core_.live() && wanted();
    };
    for (unsigned failures = 0; joins();) {
        if (first_waiter()->wish != item_access::shared || outlook_.readers_may_join()) {
            serve_readers();
            co_return;
        }
        seen = co_await look(false);
        if (!joins()) co_return;
        if (!was_answered(seen.kind)) {
            if (seen.kind == answer::rejected) fail_waiters(seen.why, seen.sent_at);
            fail_try(seen.why, seen.sent_at);
            co_await retry_later(failures++);
            continue;
        }
        study(seen.lock);
        // A renewal that is under way may have put another entry in its place.
        if (!core_.plain() && !seen.lock.held_by(core_.id(), grant_.id.attempt)) {
            lose_holds();
            end_grant();
            rest();
            co_return;
        }
        if (!outlook_.others_intend()) continue;
        const bool forgotten = co_await is_over(*seen.lock.intent);
        if (!joins()) co_return;
        if (forgotten) {
            outlook_.forget_intent(seen.sent_at);
            continue;
        }
        if (try_came_after(seen.sent_at)) continue;
        fail_try(nullptr, seen.sent_at);
        co_await pause(outlook_.time_to_next_look(seen.lock));
    }
}

/// As far as one look at its session tells.
boost::asio::awaitable<bool> item_lock_impl::is_over(protocol::item_claimant who) {
    using protocol::holder_is;
    if (who.session.empty()) co_return false;  // of a version unknown to us
    auto now = outlook_.judge(who, waited_for());
    if (now == holder_is::not_known) {
        const auto unseen = co_await core_.remotes().look(who.session);
        if (!unseen) now = outlook_.judge(who, waited_for());
    }
    co_return now == holder_is::over;
}

// Not past a writer: readers that came after it would keep it out for ever.
void item_lock_impl::serve_readers() {
    if (grant_.access != item_access::shared) return;
    while (core_.live()) {
        auto* next = first_waiter();
        if (!next) return;
        if (next->wish != item_access::shared) {
            fail_try(nullptr);
            return;
        }
        next->served.complete_one({item_hold::make_guard(make_hold()), nullptr});
    }
}

void item_lock_impl::end_grant() {
    holds_.clear();
    phase_ = phase::idle;
    if (keeper_) keeper_->wake();
    if (sleep_) sleep_->wake();
}

void item_lock_impl::leave_to_lease(const std::shared_ptr<item_hold>& hold) {
    const auto gone = std::erase_if(holds_, [&](const auto& each) { return each.lock() == hold; });
    core_.counters().leases_held -= gone;
    if (gone > 0 && holds_.empty()) end_grant();
    hold->finish(core_.may_write() ? make_error_code(errc::lock_lost) : core_.over_failure().code);
}

void item_lock_impl::give_back(const std::shared_ptr<item_hold>& hold) {
    const bool ours = std::ranges::any_of(holds_, [&](const auto& each) { return each.lock() == hold; });
    if (!ours || !core_.may_write()) {
        leave_to_lease(hold);
        return;
    }
    --core_.counters().leases_held;
    std::erase_if(holds_, [&](const auto& each) { return each.lock() == hold; });
    if (!holds_.empty()) {
        // Other readers of this process go on with the same grant.
        ++core_.counters().released;
        hold->finish({});
        return;
    }
    end_grant();
    leaving_.push_back(hold);
    phase_ = phase::giving_back;
    drive();
}

/// What became of a guarded write without an answer, now that it can land no more.
void item_lock_impl::resolve_doubt(std::int64_t step) {
    for (const auto& each : leaving_) {
        if (const auto hold = each.lock()) hold->resolve(step);
    }
}

/// The first word counts.
void item_lock_impl::tell_leaving(error_code code) {
    for (const auto& each : leaving_) {
        if (const auto hold = each.lock()) hold->finish(code);
    }
}

void item_lock_impl::finish_leaving(error_code code) {
    tell_leaving(code);
    leaving_.clear();
}

}  // namespace dynalease::detail
