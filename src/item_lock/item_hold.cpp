// One grant of an item's lock.
// SPDX-License-Identifier: BSL-1.0
#include "item_lock/item_hold.hpp"

#include "item_lock/item_lock_impl.hpp"
#include "session/session_impl.hpp"

#include <utility>

namespace dynalease::detail {

item_hold::item_hold(std::shared_ptr<session_impl> core, std::shared_ptr<item_lock_impl> front,
                     const protocol::item_grant& granted)
    : hold(std::move(core)),
      front_(std::move(front)),
      token_(granted.id.token),
      born_(granted.born),
      attempt_(granted.id.attempt),
      exclusive_(granted.access == protocol::item_access::exclusive) {}

const std::string& item_hold::name() const noexcept {
    return front_->name();
}
const std::string& item_hold::table() const noexcept {
    return front_->item().layout.table;
}

protocol::item_grant item_hold::grant() const {
    const auto access = exclusive_ ? protocol::item_access::exclusive : protocol::item_access::shared;
    return {.id = {.attempt = attempt_, .token = token_}, .access = access, .born = born_};
}

condition_check item_hold::fence() const {
    return front_->requests().fence(grant());
}
condition_expression item_hold::condition() const {
    return front_->requests().condition(grant());
}

void item_hold::keep(std::int64_t attempt, dynalease::time_point risk, dynalease::time_point end) noexcept {
    attempt_ = attempt;
    risk_ = risk.time_since_epoch().count();
    end_ = end.time_since_epoch().count();
}

void item_hold::doubt(std::optional<std::int64_t> step) noexcept {
    write = writing::in_doubt;
    doubtful_step_ = step;
}

void item_hold::resolve(std::int64_t step) noexcept {
    if (!doubtful_step_ || (step != *doubtful_step_ && step != *doubtful_step_ - 1)) return;
    doubtful_write_ = step == *doubtful_step_ ? resolution::applied : resolution::not_applied;
}

bool item_hold::past(const std::atomic<instant>& when) const noexcept {
    const auto limit = when.load();
    return limit != std::numeric_limits<instant>::max() && core()->now().time_since_epoch().count() >= limit;
}

bool item_hold::expired() const noexcept {
    return past(end_);
}

bool item_hold::overdue() const noexcept {
    return past(risk_);
}

void item_hold::give_back() {
    front_->give_back(std::static_pointer_cast<item_hold>(shared_from_this()));
}

void abandon(item_hold& hold) noexcept {
    hold.abandon();
}

std::optional<failure> unfit(const item_hold& hold, guard_state now, bool writes) {
    if (now == guard_state::released) return failure(errc::not_held);
    if (now == guard_state::lost) {
        hold.core()->notice_loss();
        failure why(hold.core()->status().valid() ? errc::lock_lost : errc::session_lost);
        why.details.message = hold.why_lost();
        return why;
    }
    if (hold.write == item_hold::writing::in_doubt) {
        failure why(errc::in_doubt);
        why.details.message = "an earlier write of this guard has had no answer; release it to resolve that";
        return why;
    }
    if (hold.write == item_hold::writing::under_way) {
        failure why(errc::invalid_option);
        why.details.message = "another write of this guard is under way; they go one at a time";
        return why;
    }
    if (writes && !hold.exclusive()) {
        failure why(errc::not_exclusive);
        why.details.message = "a reader's guard writes nothing; release it and acquire the item exclusively";
        return why;
    }
    return std::nullopt;
}

std::optional<failure> unwritable(const item_hold& hold, const update_expression& change) {
    const auto& item = hold.front().item();
    const auto name = protocol::reserved_name_in(item.layout, change);
    if (!name.empty()) {
        failure why(errc::reserved_name);
        why.details.message = "attribute \"" + name + "\" belongs to the library";
        return why;
    }
    if (change.empty() || !item.versioned()) return std::nullopt;
    return protocol::fault_of_version(item.layout, hold.known);
}

}  // namespace dynalease::detail
