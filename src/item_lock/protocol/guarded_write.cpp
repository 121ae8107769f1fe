// Guarded writes: each exactly once, and only while the grant is in force.
// SPDX-License-Identifier: BSL-1.0
#include "item/fresh_stamp.hpp"
#include "item_lock/item_lock_impl.hpp"

#include "database/protocol/backoff.hpp"

#include <utility>
#include <variant>

namespace dynalease::detail {

using protocol::guarded_step;

shared_failure item_lock_impl::fault(errc code) {
    return std::make_shared<const failure>(code);
}

shared_failure item_lock_impl::why_not(const sighting& seen, bool raises) const {
    auto why = raises && seen.whole ? protocol::fault_of_version(place_.layout, *seen.whole) : std::nullopt;
    return why ? std::make_shared<const failure>(*std::move(why)) : fault(errc::condition_failed);
}

/// Sends copies of one write until one is answered. What has no answer in time stays in doubt.
boost::asio::awaitable<item_lock_impl::sighting> item_lock_impl::send_until_known(guarded_request request) {
    const auto begun = core_.now();
    const auto give_up_at = begun + resolve_within;
    bool unanswered = false;
    sighting seen;
    for (unsigned failures = 0; core_.may_write(); ++failures) {
        if (const auto* update = std::get_if<update_item_request>(&request)) {
            auto copy = *update;
            seen = co_await send(std::move(copy));
        } else {
            auto copy = std::get<delete_item_request>(request);
            seen = co_await send(std::move(copy));
        }
        seen.doubtful = seen.doubtful || unanswered;
        seen.sent_at = begun;
        if (was_answered(seen.kind)) co_return seen;
        if (seen.kind == answer::rejected) {
            // It was cancelled, say. That does not call an earlier copy back.
            if (unanswered) break;
            co_return seen;
        }
        if (seen.kind == answer::unanswered && !std::exchange(unanswered, true)) ++core_.counters().unknown_writes;
        if (core_.now() >= give_up_at) break;
        runtime::alarm later(core_.world());
        co_await later.wait_until(core_.now() + retry_pause(failures));
    }
    if (unanswered) seen = {.kind = answer::unanswered, .why = fault(errc::in_doubt)};
    if (!seen.why) seen.why = std::make_shared<const failure>(core_.over_failure());
    co_return seen;
}

item_lock_impl::write_end item_lock_impl::write_lost(const std::shared_ptr<item_hold>& hold) {
    if (hold->lose()) {
        std::erase_if(holds_, [&](const auto& each) { return each.lock() == hold; });
        --core_.counters().leases_held;
        ++core_.counters().lost;
        if (holds_.empty() && phase_ == phase::held) {
            end_grant();
            rest();
            if (phase_ == phase::wanting) drive();
        }
    }
    return {.why = fault(errc::lock_lost)};
}

boost::asio::awaitable<item_lock_impl::write_end> item_lock_impl::change(std::shared_ptr<item_hold> hold,
                                                                         update_expression update,
                                                                         condition_expression condition) {
    protocol::guarded_change what{.update = std::move(update),
                                  .condition = std::move(condition),
                                  .stamp = fresh_stamp(core_.world()),
                                  .versioned = place_.options.versioned};
    hold->write = item_hold::writing::under_way;
    const bool ours = co_await between_renewals(hold);
    if (!ours) co_return write_lost(hold);
    const auto held = grant_;
    guarded_request request = requests().change(held, what);
    auto seen = co_await send_until_known(std::move(request));
    hold->write = item_hold::writing::nothing;
    auto step = guarded_step::applied;
    if (seen.kind == answer::refused) {
        step = protocol::decide_guarded(seen.lock, core_.id(), held);
    } else if (seen.kind != answer::applied) {
        if (seen.kind == answer::unanswered) hold->doubt(held.step + 1);
        co_return write_end{.why = seen.why};
    }
    const bool doubtful = seen.doubtful;
    auto refused = why_not(seen, place_.options.versioned);
    if (step == guarded_step::condition_false && doubtful) {
        // The unanswered copy may yet find the condition true: an empty step closes it.
        what.update = {};
        what.condition = {};
        what.versioned = false;
        request = requests().change(held, what);
        hold->write = item_hold::writing::under_way;
        seen = co_await send_until_known(std::move(request));
        hold->write = item_hold::writing::nothing;
        if (seen.kind == answer::applied) {
            stepped(held, seen);
            co_return write_end{.why = std::move(refused)};
        }
        if (seen.kind != answer::refused) {
            hold->doubt({});
            co_return write_end{.why = fault(errc::in_doubt)};
        }
        step = protocol::decide_guarded(seen.lock, core_.id(), held);
        if (step == guarded_step::applied && seen.doubtful && !remembers(seen, what.stamp)) {
            // Either write may have taken the step, and only one of them leaves a stamp.
            stepped(held, seen);
            const bool stamped = place_.options.versioned && place_.options.stamps;
            co_return write_end{.why = stamped ? std::move(refused) : fault(errc::in_doubt)};
        }
    }
    if (step == guarded_step::lost) {
        auto end = write_lost(hold);
        // The copy without an answer may have been applied before the item was lost.
        if (doubtful) end.why = fault(errc::in_doubt);
        co_return end;
    }
    if (step == guarded_step::condition_false) co_return write_end{.why = std::move(refused)};
    stepped(held, seen);
    hold->known = *std::move(seen.whole);
    if (holds(held)) known_ = hold->known;
    co_return write_end{.left = hold->known};
}

/// A guarded write was applied. Its grant may have run out since.
void item_lock_impl::stepped(const protocol::item_grant& held, const sighting& seen) {
    if (!holds(held)) return;
    ++grant_.step;
    kept_on(seen.sent_at);
}

boost::asio::awaitable<item_lock_impl::write_end> item_lock_impl::downgrade(std::shared_ptr<item_hold> hold) {
    hold->write = item_hold::writing::under_way;
    const bool ours = co_await between_renewals(hold);
    if (!ours) co_return write_lost(hold);
    const auto held = grant_;
    guarded_request request = requests().downgrade(held);
    // Readers may come in before the answer does.
    hold->set_exclusive(false);
    auto seen = co_await send_until_known(std::move(request));
    hold->write = item_hold::writing::nothing;
    if (seen.kind == answer::unanswered) hold->doubt(held.step + 1);
    const bool refused = seen.kind == answer::refused;
    if (!refused && seen.kind != answer::applied) {
        if (seen.kind != answer::unanswered) hold->set_exclusive(true);
        co_return write_end{.why = seen.why};
    }
    const auto* entry = refused ? seen.lock.held_by(core_.id(), held.id.attempt) : nullptr;
    const bool reads = refused && entry && !seen.lock.writer;
    if (refused && !reads) co_return write_lost(hold);
    if (!holds(held)) co_return write_end{};
    grant_.access = protocol::item_access::shared;
    kept_on(seen.sent_at);
    if (wanted()) drive();
    co_return write_end{};
}

}  // namespace dynalease::detail
