// The end of an item's grant: to the next writer of this process, or back to the item.
// SPDX-License-Identifier: BSL-1.0
#include "item_lock/item_lock_impl.hpp"

#include <utility>

namespace dynalease::detail {

using protocol::item_access;

boost::asio::awaitable<void> item_lock_impl::give_back_or_hand_over(sighting& seen) {
    const auto* next = core_.live() ? first_waiter() : nullptr;
    const bool both_writers = next && next->wish == item_access::exclusive && grant_.access == item_access::exclusive;
    const bool turn_of_others = outlook_.others_intend() && hand_overs_ >= protocol::hand_overs_in_a_row;
    if (both_writers && !turn_of_others) {
        co_await hand_over(seen);
    } else {
        co_await release(seen, {});
    }
}

boost::asio::awaitable<void> item_lock_impl::hand_over(sighting& seen) {
    using protocol::hand_over_step;
    claim_ = open_claim{next_claim(floor_)};
    unsigned failures = 0;
    while (core_.may_write()) {
        const auto* next_writer = first_waiter();
        if (!core_.live() || !next_writer || next_writer->wish != item_access::exclusive) {
            // The hand-over may have landed: give back whichever of the two it is.
            const auto unresolved = claim_->sent ? std::optional(claim_->id) : std::nullopt;
            co_await release(seen, unresolved);
            co_return;
        }
        note_sent();
        auto request = requests().hand_over(grant_, claim_->id);
        writing_ = true;
        auto answered = co_await send(std::move(request));
        writing_ = false;
        auto next = hand_over_step::again;
        if (answered.doubtful) note_unanswered();
        if (answered.kind == answer::applied) {
            next = hand_over_step::handed;
        } else if (answered.kind == answer::refused) {
            next = protocol::decide_item_hand_over(answered.lock, core_.id(), grant_, claim_->id);
            // A guarded write that was in doubt was applied, if the item is a step further than we know.
            if (next == hand_over_step::again) grant_.step = answered.lock.writer->step;
        } else {
            if (answered.kind == answer::unanswered) {
                note_unanswered();
                tell_leaving(errc::in_doubt);
            } else if (answered.kind == answer::rejected) {
                fail_waiters(or_doubt(answered.why), answered.sent_at);
            }
            co_await retry_later(failures++);
            continue;
        }
        seen = std::move(answered);
        if (next == hand_over_step::handed && core_.may_write()) {
            const auto step = grant_.step;
            grant_ = {.id = claim_->id, .access = item_access::exclusive, .step = 0, .born = seen.lock.born};
            floor_ = grant_.id.token;
            kept(claim_->absent_at);
            if (seen.whole) known_ = *std::move(seen.whole);
            close_claim(true);
            resolve_doubt(step);
            finish_leaving({});
            ++core_.counters().hand_overs;
            ++hand_overs_;
            phase_ = grant_lives() && serve() ? phase::held : phase::giving_back;
            co_return;
        }
        if (next == hand_over_step::lost) {
            close_claim(false);
            finish_leaving(errc::lock_lost);
            rest();
            co_return;
        }
        if (next == hand_over_step::claim_closed) {
            close_claim(false);
            claim_ = open_claim{next_claim(seen.lock.floor)};
        }
    }
    drop();
}

boost::asio::awaitable<void> item_lock_impl::release(sighting& seen, std::optional<protocol::claim> unresolved) {
    auto releasing = grant_;
    bool unanswered = false;
    unsigned failures = 0;
    while (core_.may_write()) {
        auto request = requests().release(releasing);
        auto answered = co_await send(std::move(request));
        if (was_answered(answered.kind)) {
            const bool freed = answered.kind == answer::applied;
            // The grant that a hand-over made counts its own steps.
            if (answered.step_before && releasing.id == grant_.id) resolve_doubt(*answered.step_before);
            if (!freed) seen = std::move(answered);
            if (!freed && unresolved && seen.lock.held_by(core_.id(), unresolved->attempt)) {
                // The hand-over landed: what is to be given back is the grant it made.
                releasing.id = *std::exchange(unresolved, std::nullopt);
                resolve_doubt(grant_.step);
                continue;
            }
            if (!freed && releasing.access == item_access::exclusive && !seen.lock.writer &&
                seen.lock.held_by(core_.id(), releasing.id.attempt)) {
                // A downgrade that was in doubt landed.
                releasing.access = item_access::shared;
                resolve_doubt(releasing.step + 1);
                continue;
            }
            // Refused after a copy that had no answer: that copy did it.
            if (seen.doubtful && !std::exchange(unanswered, true)) ++core_.counters().unknown_writes;
            const bool gone_before = !freed && !unanswered;
            if (unanswered) ++core_.counters().unknown_applied;
            // A grant that ran out, or that nobody waited for any more, is given back for no guard.
            if (!gone_before && !leaving_.empty()) ++core_.counters().released;
            close_claim(false);
            finish_leaving(gone_before ? error_code(errc::lock_lost) : error_code());
            if (freed) seen.lock = {.exists = true, .floor = floor_};
            rest();
            co_return;
        }
        if (answered.kind == answer::unanswered) {
            if (!std::exchange(unanswered, true)) ++core_.counters().unknown_writes;
            tell_leaving(errc::in_doubt);
        } else if (answered.kind == answer::rejected) {
            tell_leaving(answered.why->code);
        }
        fail_try(told_newcomer(answered.why));
        co_await retry_later(failures++);
    }
    drop();
}

}  // namespace dynalease::detail
