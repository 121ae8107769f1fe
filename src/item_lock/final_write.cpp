// The last guarded write of a grant: the change, or the removal, and the release in one.
// SPDX-License-Identifier: BSL-1.0
#include "item_lock/item_lock_impl.hpp"

#include <utility>

namespace dynalease::detail {

item_lock_impl::last_write item_lock_impl::last_change(update_expression update, condition_expression condition,
                                                       const item_stamp& stamp) const {
    protocol::guarded_change what{.update = std::move(update),
                                  .condition = std::move(condition),
                                  .stamp = stamp,
                                  .versioned = place_.options.versioned,
                                  .release = true};
    // A mere release leaves the item as it is.
    if (what.update.empty()) what.versioned = false;
    last_write last{.held = grant_, .request = requests().change(grant_, what), .raises = what.versioned};
    if (what.versioned && place_.options.stamps) last.stamp = stamp;
    return last;
}

item_lock_impl::last_write item_lock_impl::last_erase(const condition_expression& condition) const {
    return {.held = grant_, .request = requests().erase(grant_, condition), .erases = true};
}

boost::asio::awaitable<item_lock_impl::write_end> item_lock_impl::change_and_release(std::shared_ptr<item_hold> hold,
                                                                                     update_expression update,
                                                                                     condition_expression condition,
                                                                                     item_stamp stamp) {
    const bool ours = co_await between_renewals(hold);
    if (!ours) co_return ran_out(hold);
    auto last = last_change(std::move(update), std::move(condition), stamp);
    auto end = co_await end_with(std::move(hold), std::move(last));
    co_return end;
}

boost::asio::awaitable<item_lock_impl::write_end> item_lock_impl::erase(std::shared_ptr<item_hold> hold,
                                                                        condition_expression condition) {
    const bool ours = co_await between_renewals(hold);
    if (!ours) co_return ran_out(hold);
    auto last = last_erase(condition);
    auto end = co_await end_with(std::move(hold), std::move(last));
    co_return end;
}

boost::asio::awaitable<item_lock_impl::write_end> item_lock_impl::end_with(std::shared_ptr<item_hold> hold,
                                                                           last_write last) {
    auto seen = co_await send_until_known(last.request);
    if (seen.kind == answer::applied || landed(seen, last)) {
        ended(hold, {});
        co_return write_end{.left = std::move(seen.whole).value_or(dynalease::item{})};
    }
    if (seen.kind != answer::refused) {
        // The release closes what has no answer; it goes on in the background.
        give_back(hold);
        co_return write_end{.why = seen.why};
    }
    const bool unanswered = seen.doubtful;
    if (!last.held.writes(seen.lock, core_.id())) {
        ended(hold, errc::lock_lost);
        co_return write_end{.why = fault(unanswered ? errc::in_doubt : errc::lock_lost)};
    }
    const auto refused = why_not(seen, last.raises);
    // The release also closes a copy that has no answer.
    guarded_request release = requests().release(last.held);
    auto released = co_await send_until_known(std::move(release));
    if (released.kind == answer::applied) {
        ended(hold, {});
        co_return write_end{.why = refused};
    }
    released.doubtful = released.doubtful || unanswered;
    if (landed(released, last)) {
        ended(hold, {});
        co_return write_end{.left = std::move(released.whole).value_or(dynalease::item{})};
    }
    if (released.kind == answer::refused) {
        ended(hold, errc::lock_lost);
    } else {
        give_back(hold);
    }
    co_return write_end{.why = unanswered ? fault(errc::in_doubt) : refused};
}

item_lock_impl::write_end item_lock_impl::ran_out(const std::shared_ptr<item_hold>& hold) {
    ended(hold, errc::lock_lost);
    return {.why = fault(errc::lock_lost)};
}

/// Whether the refusal of a later copy shows that an earlier one was applied.
bool item_lock_impl::landed(const sighting& seen, const last_write& last) const {
    if (seen.kind != answer::refused || !seen.doubtful) return false;
    // While we hold it, nobody else of ours removes it.
    const bool held_on = core_.live() && (!core_.plain() || (holds(last.held) && grant_lives()));
    if (last.erases) return !seen.lock.exists && held_on;
    return last.stamp && remembers(seen, *last.stamp);
}

bool item_lock_impl::remembers(const sighting& seen, const item_stamp& stamp) const {
    if (!seen.whole) return false;
    const auto now = protocol::state_of(place_.layout, *seen.whole);
    return now && protocol::remembers(now->state, stamp);
}

void item_lock_impl::ended(const std::shared_ptr<item_hold>& hold, error_code code) {
    if (std::erase_if(holds_, [&](const auto& each) { return each.lock() == hold; }) > 0) {
        --core_.counters().leases_held;
        if (!code) ++core_.counters().released;
        end_grant();
    }
    hold->finish(code);
    if (phase_ != phase::idle) return;
    rest();
    if (phase_ == phase::wanting) drive();
}

}  // namespace dynalease::detail
