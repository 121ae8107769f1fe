// The end of a grant: to the next waiter of this process, or back to the table.
// SPDX-License-Identifier: BSL-1.0
#include "lock/lock_impl.hpp"

#include <utility>

namespace dynalease::detail {

namespace {

/// Of whoever came after it, no write went without an answer.
shared_failure for_a_newcomer(const shared_failure& why) {
    if (why->outcome != outcome::unknown) return why;
    failure unheard(errc::timeout);
    unheard.details = why->details;
    return std::make_shared<const failure>(std::move(unheard));
}

}  // namespace

boost::asio::awaitable<void> lock_impl::give_back_or_hand_over(protocol::lock_row& row) {
    const bool turn_of_others = others_wait_ && hand_overs_ >= protocol::hand_overs_in_a_row;
    if (wanted() && core_.live() && !turn_of_others) {
        co_await hand_over(row);
    } else {
        co_await release(row, {});
    }
}

boost::asio::awaitable<void> lock_impl::hand_over(protocol::lock_row& row) {
    using protocol::hand_over_step;
    claim_ = open_claim{next_claim(row.floor)};
    unsigned failures = 0;
    while (core_.may_write()) {
        if (!wanted() || !core_.live()) {
            // The hand-over may have landed: give back whichever of the two it is.
            const auto unresolved = claim_->sent ? std::optional(claim_->id) : std::nullopt;
            claim_->for_nobody = true;
            co_await release(row, unresolved);
            co_return;
        }
        claim_->sent = true;
        // Of whoever is first now: one who was first before may have failed by it, or left.
        claim_->data = first_waiter()->data;
        auto request = requests().hand_over(held_, claim_->id, claim_->data);
        writing_ = true;
        auto seen = co_await send(std::move(request));
        writing_ = false;
        if (!core_.may_write()) break;
        auto next = hand_over_step::again;
        if (seen.doubtful) note_unanswered();
        if (seen.kind == answer::applied) {
            next = hand_over_step::handed;
        } else if (seen.kind == answer::refused) {
            next = protocol::decide_hand_over(seen.row, core_.id(), held_, claim_->id);
        } else if (seen.kind == answer::rejected) {
            fail_rejected(seen.why);
            continue;
        } else {
            // A try waits for no second silence, and for nothing that passes.
            if (seen.kind == answer::delayed || claim_->unanswered) fail_try(or_doubt(seen.why));
            if (seen.kind == answer::unanswered) {
                note_unanswered();
                finish_leaving(errc::in_doubt);
            }
            co_await pause_after(failures++);
            continue;
        }
        row = std::move(seen.row);
        if (next == hand_over_step::handed) {
            handed(row, seen.kind == answer::applied ? std::move(claim_->data) : std::move(row.data));
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
            claim_ = open_claim{next_claim(row.floor)};
        } else if (next == hand_over_step::again) {
            co_await pause_after(failures++);
        }
    }
    drop();
}

void lock_impl::handed(const protocol::lock_row& row, item written) {
    const auto to = claim_->id;
    close_claim(true);
    floor_ = seen_floor_ = to.token;
    finish_leaving({});
    ++core_.counters().hand_overs;
    // From the moment that others are seen in line, they are passed over a bounded number of times.
    hand_overs_ = others_wait_ ? hand_overs_ + 1 : 0;
    others_wait_ = !row.line.empty();
    phase_ = serve(to, written) ? phase::held : phase::giving_back;
}

boost::asio::awaitable<void> lock_impl::release(protocol::lock_row& row, std::optional<protocol::claim> unresolved) {
    const bool rejoin = others_wait_ && waited_for() && core_.live();
    const auto expiry = row_expiry();
    bool unanswered = false;
    unsigned failures = 0;
    while (core_.may_write()) {
        auto request = requests().release(held_, unresolved, rejoin, expiry);
        auto seen = co_await send(std::move(request));
        if (was_answered(seen.kind)) {
            row = std::move(seen.row);
            const bool still_ours =
                row.held_by(core_.id(), held_.attempt) || (unresolved && row.held_by(core_.id(), unresolved->attempt));
            if (still_ours) {
                co_await pause_after(failures++);
                continue;
            }
            // Refused after a copy that had no answer: that copy did it.
            if (seen.doubtful && !std::exchange(unanswered, true)) ++core_.counters().unknown_writes;
            // Or one that the network made did, if nobody was granted the lock since.
            const bool ours_was_last = row.token == held_.token || (unresolved && row.token == unresolved->token);
            const bool left_free = row.free() && ours_was_last;
            const bool gone_before = seen.kind == answer::refused && !unanswered && !left_free;
            if (unanswered) ++core_.counters().unknown_applied;
            if (!gone_before) ++core_.counters().released;
            close_claim(false);
            finish_leaving(gone_before ? error_code(errc::lock_lost) : error_code());
            rest();
            if (phase_ == phase::idle && row.place_of(core_.id())) {
                // Those for whom we stood in line again have gone meanwhile.
                claim_ = open_claim{next_claim(row.floor)};
                phase_ = phase::resolving;
            }
            co_return;
        }
        if (seen.kind == answer::unanswered) {
            if (!std::exchange(unanswered, true)) ++core_.counters().unknown_writes;
            finish_leaving(errc::in_doubt);
        } else if (seen.kind == answer::rejected) {
            finish_leaving(seen.why->code);
        }
        fail_try(for_a_newcomer(seen.why));
        co_await pause_after(failures++);
    }
    drop();
}

}  // namespace dynalease::detail
