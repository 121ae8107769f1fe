// What a coordinator does to commit, and about what must be so when it does.
// SPDX-License-Identifier: BSL-1.0
#include "transaction/protocol/coordinator.hpp"

#include "database/protocol/joint_reasons.hpp"
#include "transaction/protocol/item_texts.hpp"
#include "transaction/protocol/joint_requests.hpp"
#include "transaction/protocol/transaction_requests.hpp"

#include <utility>

namespace dynalease::protocol {

using detail::answer;
using detail::joint_reason;

// ---- what it wants -----------------------------------------------------------------------------------------

/// That the row is pending keeps the commit from happening twice: the token is for answers alone.
std::string coordinator::commit_token() const {
    if (plan_->items.empty()) return {};
    return token_of(plan_->items.front().writes.front().stamp, "-c" + std::to_string(commits_sent_));
}

any_request coordinator::commit_request(std::int64_t wall) const {
    if (call_) {
        const auto expiry = copies_left_ ? std::optional<std::int64_t>() : wall + finished_row_stays;
        return call_->held_commit(coordination_, expiry, commit_token());
    }
    const transaction_requests row(coordination_, plan_->name);
    if (plan_->checks.empty()) return row.commit(seen_locks());
    std::vector<condition_check> checks;
    checks.reserve(plan_->checks.size());
    for (const auto& each : plan_->checks) checks.push_back(check_item(each));
    return row.commit_checked(seen_locks(), std::move(checks), commit_token());
}

item_ref coordinator::place_in_commit(std::size_t index) const {
    return call_ ? call_->at(index).place : plan_->checks[index].place();
}

void coordinator::commit(transaction_plan wanted) {
    if (phase_ != phase::holding) return;
    std::vector<std::optional<item_mark>> marks;
    marks.reserve(items_.size());
    for (const auto& held : items_) marks.push_back(held.mark);
    call_.emplace(*plan_, std::move(marks), std::move(wanted));
    if (!call_->fits()) {
        call_.reset();
        failure why(errc::too_many_items);
        why.details.message = "items that are held are changed by one call: of 99 items, 4 MB, and one write to each";
        return stop(std::move(why));
    }
    check_rivals_.resize(call_->size());
    slots_.resize(1 + items_.size() + call_->size());
    phase_ = phase::committing;
}

std::optional<errand> coordinator::next_for_check(std::size_t index) {
    const auto slot = 1 + items_.size() + index;
    if (phase_ != phase::committing || !check_rivals_[index] || slots_[slot].what != asked::nothing) {
        return std::nullopt;
    }
    auto wanted = check_rivals_[index]->next();
    occupy(slot, asked::check_rival);
    wanted.slot = slot;
    return wanted;
}

// ---- what becomes of it --------------------------------------------------------------------------------------

void coordinator::answer_commit(const errand_answer& with) {
    switch (with.kind) {
        case answer::applied:
            return decide(verdict::committed, seen_locks());
        case answer::rejected:
            // An earlier copy may have been applied: the row tells when it is to be rolled back.
            why_ = with.why;
            for (std::size_t i = 1; i < with.why.reasons.size() && i <= check_rivals_.size(); ++i) {
                if (detail::kind_of(with.why.reasons[i]) != joint_reason::stays) continue;
                why_ = about(std::move(why_), place_in_commit(i - 1));
            }
            phase_ = phase::rolling_back;
            return;
        case answer::refused:
            if (call_ || !plan_->checks.empty())
                judge_commit(with);
            else
                find_decided(with);
            break;
        case answer::delayed:
            ++commits_sent_;
            break;
        case answer::unanswered:
            break;
    }
    // What became of the copies that were sent, the row tells whoever rolls it back.
    if (stopped_ && phase_ == phase::committing) fail(*std::exchange(stopped_, {}));
}

/// By its reasons: the row's first, then those of the checks, or of the parts of the call.
void coordinator::judge_commit(const errand_answer& with) {
    const auto& reasons = with.why.reasons;
    ++commits_sent_;
    if (reasons.size() != check_rivals_.size() + 1) {
        why_ = errc::bad_response;
        phase_ = phase::rolling_back;
        return;
    }
    if (detail::kind_of(reasons.front()) == joint_reason::condition) {
        return find_decided({.kind = answer::refused, .shown = reasons.front().current});
    }
    for (std::size_t i = 0; i < check_rivals_.size() && phase_ == phase::committing; ++i) {
        if (detail::kind_of(reasons[i + 1]) != joint_reason::condition) continue;
        if (call_)
            judge_part(i, reasons[i + 1].current);
        else
            judge_check(i, reasons[i + 1].current);
    }
}

void coordinator::judge_check(std::size_t index, const std::optional<item>& shown) {
    const auto& check = plan_->checks[index];
    std::optional<item_mark> mark;
    if (shown && !check.is_fence()) {
        auto read = mark_of(*shown);
        if (!read) return fail(about(read.error(), check.place()));
        mark = *std::move(read);
    }
    const auto step = decide_check(check, shown, mark);
    if (step != check_step::rival) return fail(about(refused_check(step, shown), check.place()));
    meet_in_commit(index, *std::move(mark));
}

void coordinator::meet_in_commit(std::size_t index, item_mark mark) {
    check_rivals_[index].emplace(coordination_, place_in_commit(index), std::move(mark),
                                 seniority{plan_->born, plan_->name.id}, rules_);
    wanting_.push_back(items_.size() + index);
}

/// A write or a check, of an item that is held or of another, or a lock that is only given back.
void coordinator::judge_part(std::size_t index, const std::optional<item>& shown) {
    const auto part = call_->at(index);
    const auto refuse = [&](failure why) { fail(about(std::move(why), part.place)); };
    if (part.check && part.check->is_fence()) return refuse(refused_check(check_step::lost, shown));
    std::optional<item_mark> mark;
    if (shown) {
        auto read = mark_of(*shown);
        if (!read) return refuse(read.error());
        mark = *std::move(read);
    }
    if (part.mark) {
        const bool mine = mark && mark->owner == part.mark->owner && mark->lock == part.mark->lock;
        if (part.write) {
            return refuse(refused_lock(decide_held(*part.write, *part.mark, shown, mark), *part.write, 1, shown));
        }
        return refuse(refused_check(mine ? check_step::condition_false : check_step::changed, shown));
    }
    if (part.check) {
        const auto step = decide_check(*part.check, shown, mark);
        if (step != check_step::rival) return refuse(refused_check(step, shown));
    } else if (!mark) {
        const auto step = decide_lock({.what = *part.write,
                                       .mine = plan_->name,
                                       .number = 1,
                                       .held = std::nullopt,
                                       .shown = shown,
                                       .mark = mark});
        return refuse(refused_lock(step, *part.write, 1, shown));
    }
    meet_in_commit(index, *std::move(mark));
}

void coordinator::answer_check_rival(std::size_t index, errand_answer with) {
    auto& rival = check_rivals_[index];
    if (!rival) return;
    rival->answer(std::move(with));
    switch (rival->ended()) {
        case resolver::end::none:
            return;
        case resolver::end::freed:
            rival.reset();
            return;
        case resolver::end::gave_up:
        case resolver::end::failed:
            return fail(about(rival->why(), place_in_commit(index)));
    }
}

}  // namespace dynalease::protocol
