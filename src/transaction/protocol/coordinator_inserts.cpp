// The inserts of a run: as many in one call as it takes, and one call after another.
//
// All of them test the run's row, so that calls at the same time would be in each other's way.
// SPDX-License-Identifier: BSL-1.0
#include "transaction/protocol/coordinator.hpp"

#include "database/protocol/joint_reasons.hpp"
#include "transaction/protocol/item_texts.hpp"
#include "transaction/protocol/joint_requests.hpp"
#include "transaction/protocol/marking_requests.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace dynalease::protocol {

using detail::answer;
using detail::joint_reason;

bool coordinator::is_insert(std::size_t index) const {
    const auto& writes = plan_->items[index].writes;
    return !writes.empty() && writes.front().kind == mark_kind::inserted;
}

transact_put coordinator::insert_request(std::size_t index) const {
    const auto& what = plan_->items[index];
    return marking_requests(what.on, plan_->name).lock_insert(what.writes.front(), items_[index].first);
}

/// The call leaves in the slot of its first insert.
std::optional<errand> coordinator::next_inserts() {
    if (phase_ != phase::locking || busy_ >= most_errands) return std::nullopt;
    if (in_turn() && turn_ < items_.size()) return std::nullopt;
    if (batch_.empty()) {
        const auto most = one_by_one_ ? 1 : most_actions - 1;
        for (; !inserts_.empty() && batch_.size() < most; inserts_.pop_front()) batch_.push_back(inserts_.front());
        batch_is_new_ = std::ranges::none_of(batch_, [this](std::size_t each) { return items_[each].touched; });
        ++batches_;
    }
    if (batch_.empty() || slots_[batch_.front() + 1].what != asked::nothing) return std::nullopt;
    std::vector<transact_put> puts;
    puts.reserve(batch_.size());
    for (const auto each : batch_) {
        items_[each].touched = true;
        puts.push_back(insert_request(each));
    }
    auto token = token_of(plan_->items[batch_.front()].writes.front().stamp, "-i" + std::to_string(batches_));
    return leave(batch_.front() + 1, asked::inserts,
                 lock_inserts(coordination_, plan_->name, std::move(puts), std::move(token)));
}

void coordinator::answer_inserts(const errand_answer& with) {
    // The same once more.
    if (phase_ == phase::locking && !detail::was_answered(with.kind) && with.kind != answer::rejected) return;
    const auto batch = std::exchange(batch_, {});
    if (with.kind == answer::applied) {
        for (const auto each : batch) take_mark(items_[each], each, insert_request(each).new_item);
    }
    if (phase_ != phase::locking) return;
    if (with.kind == answer::refused) judge_inserts(batch, with.why.reasons);
    if (with.kind == answer::rejected) reject_inserts(batch, with.why);
}

/// By its reasons: the run's first, then those of the items. What was not in the way of others is sent again.
void coordinator::judge_inserts(const std::vector<std::size_t>& batch,
                                const std::vector<cancellation_reason>& reasons) {
    if (reasons.size() != batch.size() + 1) return fail(errc::bad_response);
    if (detail::kind_of(reasons.front()) == joint_reason::condition) {
        phase_ = phase::rolling_back;
        return;
    }
    for (std::size_t i = 0; i < batch.size(); ++i) {
        const auto index = batch[i];
        if (detail::kind_of(reasons[i + 1]) == joint_reason::condition) judge_lock(index, reasons[i + 1].current);
        if (items_[index].rival) {
            wanting_.push_back(index);
        } else if (items_[index].written == 0) {
            inserts_.push_back(index);
        }
    }
}

void coordinator::reject_inserts(const std::vector<std::size_t>& batch, const failure& why) {
    // The first copy of it, and surely not applied: no look at items that may not even exist.
    if (batch_is_new_ && slots_[batch.front() + 1].failures == 1) {
        for (const auto each : batch) items_[each].touched = false;
    }
    for (std::size_t i = 0; i < batch.size() && i + 1 < why.reasons.size(); ++i) {
        if (detail::kind_of(why.reasons[i + 1]) == joint_reason::stays) return fail_by(batch[i], why);
    }
    if (batch.size() == 1) return fail_by(batch.front(), why);
    one_by_one_ = true;
    slots_[batch.front() + 1].failures = 0;
    inserts_.insert(inserts_.begin(), batch.begin(), batch.end());
}

}  // namespace dynalease::protocol
