// Wanting a lock until it is granted or nobody here wants it any more; then resolving what is still out there.
// SPDX-License-Identifier: BSL-1.0
#include "lock/lock_impl.hpp"

#include <boost/asio/as_tuple.hpp>

#include <algorithm>
#include <utility>

namespace dynalease::detail {

using protocol::acquire_step;

namespace {
/// A lock that was just seen in other hands is looked at before it is written to.
constexpr std::chrono::seconds recently{10};
}  // namespace

boost::asio::awaitable<void> lock_impl::want(protocol::lock_row& row) {
    if (!claim_) claim_ = open_claim{next_claim(row.floor)};
    protocol::acquire_decision next{acquire_step::take};
    if (row.place_of(core_.id())) {
        // We have just let others go first: leave them the time to.
        co_await pause(time_to_next_look(row, acquire_step::poll));
        next.step = acquire_step::poll;
    } else if (refused_at_ && core_.now() - *refused_at_ < recently) {
        next.step = acquire_step::poll;
    }

    unsigned failures = 0;
    while (core_.may_write() && wanted()) {
        const auto sent = next.step;
        const bool taking_over = sent == acquire_step::take && next.form.over.has_value();
        auto seen = co_await carry_out(std::move(next));
        next = {acquire_step::poll};
        if (!core_.may_write()) break;
        if (sent == acquire_step::take && seen.kind == answer::applied) {
            granted(taking_over, false, std::move(claim_->data));
            co_return;
        }
        if (!was_answered(seen.kind)) {
            miss_answer(seen, sent);
            if (seen.kind != answer::rejected) co_await pause_after(failures++);
            continue;
        }
        failures = 0;
        if (seen.doubtful) note_unanswered();
        const bool closed = seen.row.floor >= claim_->id.token;
        if (sent == acquire_step::join && !closed && seen.row.place_of(core_.id()).value_or(0) > 0) {
            // Those before us were here first: leave them one look's time, even if the lock stands free.
            row = std::move(seen.row);
            refusals_ = 0;
            fail_try(or_doubt(nullptr));
            co_await pause(time_to_next_look(row, acquire_step::poll));
            continue;
        }

        const bool refused = seen.kind == answer::refused;
        if (refused) ++refusals_;
        shared_failure why;
        next = co_await next_step(seen, why);
        row = std::move(seen.row);
        if (!core_.may_write()) break;
        if (why && classify(*why) == answer::rejected) {
            fail_waiters(or_doubt(why));
            break;
        }
        if (why) {
            fail_try(or_doubt(why));
            co_await pause_after(failures++);
            continue;
        }
        if (next.step == acquire_step::granted) {
            granted(false, true, std::move(row.data));
            co_return;
        }
        const bool writes = next.step == acquire_step::take || next.step == acquire_step::join;
        if (!writes) refusals_ = 0;
        if (writes && refused && refusals_ >= 2) {
            // Others are faster, or the row is not what it seems: write no faster for that, and by a fresh sight.
            fail_try(or_doubt(nullptr));
            co_await pause_after(refusals_ - 2);
            next = {acquire_step::poll};
            continue;
        }
        if (next.step == acquire_step::take) continue;
        if (!row.free()) refused_at_ = core_.now();
        fail_try(or_doubt(nullptr));
        if (next.step != acquire_step::join && next.step != acquire_step::refuse) {
            co_await pause(time_to_next_look(row, next.step));
        }
    }
    if (core_.may_write()) {
        give_up(row);
    } else {
        drop();
    }
}

void lock_impl::miss_answer(const sighting& seen, acquire_step sent) {
    const bool wrote = sent == acquire_step::take || sent == acquire_step::join;
    if (seen.kind == answer::rejected) {
        sent == acquire_step::take ? fail_rejected(seen.why) : fail_waiters(or_doubt(seen.why));
    } else if (seen.kind == answer::unanswered && wrote) {
        // A try waits for no second answer; but where it may have been granted it looks once.
        note_unanswered();
    } else {
        fail_try(or_doubt(seen.why));
    }
}

boost::asio::awaitable<lock_impl::sighting> lock_impl::carry_out(protocol::acquire_decision step) {
    if (step.step != acquire_step::take && step.step != acquire_step::join) {
        auto seen = co_await look();
        co_return seen;
    }
    claim_->sent = true;
    claim_->audited = false;
    claim_->sent_at = core_.now();
    update_item_request request;
    if (step.step == acquire_step::take) {
        claim_->data = first_waiter()->data;
        request = requests().take(claim_->id, step.form, claim_->data, seen_floor_);
    } else {
        request = requests().join(claim_->id);
    }
    writing_ = true;
    auto seen = co_await send(std::move(request));
    writing_ = false;
    co_return seen;
}

boost::asio::awaitable<protocol::acquire_decision> lock_impl::next_step(const sighting& seen, shared_failure& why) {
    const auto& row = seen.row;
    if (row.floor < std::exchange(seen_floor_, row.floor)) {
        // The row was removed, perhaps with its table: a claim from before may bring a token below one granted since.
        // Copies of it that still land are closed by the greater token of the new one.
        close_claim(false);
        claim_ = open_claim{next_claim(row.floor)};
    }
    if (holder_seen_ != row.holder) {
        holder_seen_ = row.holder;
        holder_since_ = core_.now();
    }
    while (core_.may_write()) {
        const bool waits = waited_for();
        const auto holder = judge_holder(row, waits);
        const bool available = row.free() || row.holder->session == core_.id() || holder == protocol::holder_is::over;
        const bool head_absent = head_.sight(row, available, core_.now());
        auto next = protocol::decide_acquire({.row = row,
                                              .self = core_.id(),
                                              .mine = claim_->id,
                                              .waits = waits,
                                              .holder = holder,
                                              .head_absent = head_absent});
        if (next.step == acquire_step::twin) {
            core_.lose("another process uses this session's id");
        } else if (next.step == acquire_step::claim_closed) {
            close_claim(false);
            claim_ = open_claim{next_claim(row.floor, protocol::token_lead(refusals_))};
        } else if (next.step != acquire_step::look) {
            co_return next;
        } else if (!wanted()) {
            break;
        } else {
            auto failed = co_await core_.remotes().look(row.holder->session);
            if (failed) {
                why = std::make_shared<const failure>(*std::move(failed));
                break;
            }
        }
    }
    co_return protocol::acquire_decision{acquire_step::poll};
}

dynalease::time_point lock_impl::watch_due(const protocol::lock_row& row) {
    return core_.remotes().watch(row.holder->session).next_look(holder_since_, row.line.size());
}

protocol::holder_is lock_impl::judge_holder(const protocol::lock_row& row, bool waits) {
    if (row.free()) return protocol::holder_is::over;
    const auto& watch = core_.remotes().watch(row.holder->session);
    if (watch.over()) return protocol::holder_is::over;
    if (!waits && !watch.looked_at()) return protocol::holder_is::not_known;
    return core_.now() >= watch_due(row) ? protocol::holder_is::not_known : protocol::holder_is::alive;
}

std::chrono::nanoseconds lock_impl::time_to_next_look(const protocol::lock_row& row, acquire_step step) {
    const auto unit = core_.world().random->unit();
    if (step == acquire_step::overflow) return protocol::overflow_interval(overflows_++, unit);
    const std::size_t served_now = row.free() ? 1 : 0;
    const auto waiting = std::max(row.line.size(), served_now + 1) - served_now;
    const auto interval = protocol::poll_interval(waiting, options_.poll_interval, unit);
    if (row.free()) return interval;
    // Otherwise the holder is watched in passing; but exactly when its lease is up it can be told whether it is over.
    const auto& watch = core_.remotes().watch(row.holder->session);
    const auto lease_left = watch.lease_end() - core_.now();
    if (!watch.looked_at() || lease_left <= std::chrono::nanoseconds::zero()) return interval;
    return std::min(interval, lease_left);
}

boost::asio::awaitable<void> lock_impl::resolve(protocol::lock_row& row) {
    using protocol::resolve_step;
    ++core_.counters().resolving;
    bool closed = false;
    unsigned failures = 0;
    while (core_.may_write()) {
        const bool somebody_came = wanted() && core_.live();
        const auto next = protocol::decide_resolve(row, core_.id(), claim_->id, closed);
        if (next.step == resolve_step::release) {
            granted(false, true, std::move(row.data));
            break;
        }
        if (next.step == resolve_step::done || (somebody_came && next.step == resolve_step::leave_closed)) {
            close_claim(false);
            break;
        }
        if (somebody_came) break;  // the claim is still good for them
        update_item_request request;
        switch (next.step) {
            case resolve_step::leave_closed:
                request = requests().leave_closed(next.place);
                break;
            case resolve_step::leave:
                request = requests().leave(claim_->id, next.place);
                break;
            case resolve_step::void_held:
                request = requests().void_held(claim_->id);
                break;
            default:
                request = requests().void_free(claim_->id, row_expiry());
                break;
        }
        auto seen = co_await send(std::move(request));
        if (seen.kind == answer::applied) {
            closed = true;
            row = std::move(seen.row);
        } else if (seen.kind == answer::refused) {
            row = std::move(seen.row);
        } else {
            // What is rejected now, for credentials that have expired, may pass later. Forgotten, the claim could leave
            // the lock taken for as long as this session lives.
            if (seen.kind == answer::rejected && failures == 0) {
                core_.log(severity::error,
                          "lock '" + name_ + "': a given-up claim cannot be closed yet: " + seen.why->code.message());
            }
            co_await pause_after(failures++);
        }
    }
    --core_.counters().resolving;
    if (!core_.may_write()) {
        drop();
    } else if (phase_ == phase::resolving) {
        rest();
    }
}

boost::asio::awaitable<void> lock_impl::audit(protocol::lock_row& row) {
    auto seen = co_await look();
    if (!core_.may_write()) {
        drop();
    } else if (wanted()) {
        phase_ = phase::wanting;
    } else if (seen.kind == answer::applied &&
               (seen.row.held_by(core_.id(), claim_->id.attempt) || seen.row.place_of(core_.id()))) {
        // A copy of the take landed after all, or one of the join: resolving gives back the one and leaves the other.
        row = std::move(seen.row);
        phase_ = phase::resolving;
    } else if (was_answered(seen.kind)) {
        close_claim(false);
        phase_ = phase::idle;
    } else {
        // What may have landed would stay for as long as the session does: ask once more, as late again.
        claim_->sent_at = core_.now();
        phase_ = phase::idle;
        core_.idle().audit_later(shared_from_this());
    }
}

}  // namespace dynalease::detail
