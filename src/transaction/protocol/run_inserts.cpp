// Sending the inserts of a run.
// SPDX-License-Identifier: BSL-1.0
#include "transaction/protocol/run_inserts.hpp"

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

void run_inserts::begin() {
    for (std::size_t i = 0; i < brief_->plan.items.size(); ++i) {
        if (brief_->is_insert(i)) waiting_.push_back(i);
    }
}

std::optional<errand> run_inserts::next(run_course& run, run_items& items) {
    if (run.phase != run_phase::locking || !run.has_room()) return std::nullopt;
    if (brief_->in_turn() && !items.turn_is_over()) return std::nullopt;
    if (batch_.empty()) {
        const auto most = one_by_one_ ? 1 : most_actions - 1;
        for (; !waiting_.empty() && batch_.size() < most; waiting_.pop_front()) batch_.push_back(waiting_.front());
        batch_is_new_ = std::ranges::none_of(batch_, [&](std::size_t each) { return items.all()[each].touched; });
        ++batches_;
    }
    if (batch_.empty() || !run.is_idle(run_course::slot_of(batch_.front()))) return std::nullopt;
    std::vector<transact_put> puts;
    puts.reserve(batch_.size());
    for (const auto each : batch_) {
        items.touch(each);
        puts.push_back(items.insert_request(each));
    }
    auto token = token_of(brief_->plan.items[batch_.front()].writes.front().stamp, "-i" + std::to_string(batches_));
    return run.leave(run_course::slot_of(batch_.front()), run_aim::inserts,
                     lock_inserts(brief_->coordination, brief_->plan.name, std::move(puts), std::move(token)));
}

void run_inserts::answer(run_course& run, run_items& items, const errand_answer& with) {
    // The same once more.
    if (run.phase == run_phase::locking && !detail::was_answered(with.kind) && with.kind != answer::rejected) return;
    const auto batch = std::exchange(batch_, {});
    if (with.kind == answer::applied) {
        for (const auto each : batch) items.take_mark(run, each, items.insert_request(each).new_item);
    }
    if (run.phase != run_phase::locking) return;
    if (with.kind == answer::refused) judge(run, items, batch, with.why.reasons);
    if (with.kind == answer::rejected) reject(run, items, batch, with.why);
}

/// By its reasons: the run's first, then those of the items. What was not in the way of others is sent again.
void run_inserts::judge(run_course& run, run_items& items, const std::vector<std::size_t>& batch,
                        const std::vector<cancellation_reason>& reasons) {
    if (reasons.size() != batch.size() + 1) return run.fail(errc::bad_response);
    if (detail::kind_of(reasons.front()) == joint_reason::condition) {
        run.phase = run_phase::rolling_back;
        return;
    }
    for (std::size_t i = 0; i < batch.size(); ++i) {
        const auto index = batch[i];
        if (detail::kind_of(reasons[i + 1]) == joint_reason::condition)
            items.judge_lock(run, index, reasons[i + 1].current);
        const auto& held = items.all()[index];
        if (held.rival) {
            run.want(index);
        } else if (held.written == 0) {
            waiting_.push_back(index);
        }
    }
}

void run_inserts::reject(run_course& run, run_items& items, const std::vector<std::size_t>& batch, const failure& why) {
    const auto slot = run_course::slot_of(batch.front());
    // The first copy of it.
    if (batch_is_new_ && run.failures(slot) == 1) {
        for (const auto each : batch) items.untouch(each);
    }
    for (std::size_t i = 0; i < batch.size() && i + 1 < why.reasons.size(); ++i) {
        if (detail::kind_of(why.reasons[i + 1]) == joint_reason::stays) return items.fail_by(run, batch[i], why);
    }
    if (batch.size() == 1) return items.fail_by(run, batch.front(), why);
    one_by_one_ = true;
    run.forget_failures(slot);
    waiting_.insert(waiting_.begin(), batch.begin(), batch.end());
}

}  // namespace dynalease::protocol
