// How a run is over: what may still land is set aside, and the row is done.
// SPDX-License-Identifier: BSL-1.0
#include "transaction/protocol/coordinator.hpp"

#include "transaction/protocol/transaction_requests.hpp"

namespace dynalease::protocol {

using detail::answer;

errand coordinator::leave_aside(std::int64_t wall) {
    const transaction_requests row(coordination_, plan_->name);
    const auto parts = places_of(*plan_);
    return leave(0, asked::set_aside, row.set_aside(plan_->born, parts.at(asides_), wall + copies_may_land, asides_));
}

void coordinator::answer_aside(const errand_answer& with) {
    if (with.kind == answer::rejected) phase_ = phase::ended;
    if (!detail::was_answered(with.kind)) return;
    if (++asides_ >= places_of(*plan_).size()) phase_ = phase::finishing;
}

errand coordinator::leave_finish(std::int64_t wall) {
    const transaction_requests row(coordination_, plan_->name);
    const auto expiry = wall + finished_row_stays;
    if (aside_until_) return leave(0, asked::finish, row.finish_aside(expiry, aside_sort_));
    const auto state = verdict_ == verdict::committed ? header_state::committed : header_state::rolled_back;
    if (page_count_ == 0) return leave(0, asked::finish, row.finish(state, expiry));
    return leave(0, asked::finish, row.finish_with_pages(state, expiry, page_count_));
}

}  // namespace dynalease::protocol
