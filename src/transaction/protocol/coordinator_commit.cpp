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

any_request coordinator::commit_request() const {
    const transaction_requests row(coordination_, plan_->name);
    if (plan_->checks.empty()) return row.commit(seen_locks());
    std::vector<condition_check> checks;
    checks.reserve(plan_->checks.size());
    for (const auto& each : plan_->checks) checks.push_back(check_item(each));
    // That the row is pending keeps it from happening twice: the token is for answers alone.
    std::string token;
    if (!plan_->items.empty()) {
        token = token_of(plan_->items.front().writes.front().stamp, "-c" + std::to_string(commits_sent_));
    }
    return row.commit_checked(seen_locks(), std::move(checks), std::move(token));
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
            for (std::size_t i = 1; i < with.why.reasons.size() && i <= plan_->checks.size(); ++i) {
                if (detail::kind_of(with.why.reasons[i]) != joint_reason::stays) continue;
                why_ = about(std::move(why_), plan_->checks[i - 1].place());
            }
            phase_ = phase::rolling_back;
            return;
        case answer::refused:
            return plan_->checks.empty() ? find_decided(with) : judge_commit(with);
        case answer::delayed:
            ++commits_sent_;
            return;
        case answer::unanswered:
            return;
    }
}

/// By its reasons: the row's first, then those of the checks.
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
        if (detail::kind_of(reasons[i + 1]) == joint_reason::condition) judge_check(i, reasons[i + 1].current);
    }
}

void coordinator::judge_check(std::size_t index, const std::optional<item>& shown) {
    const auto& check = plan_->checks[index];
    std::optional<item_mark> mark;
    if (shown && !check.fence) {
        auto read = mark_of(*shown);
        if (!read) return fail(about(read.error(), check.place()));
        mark = *std::move(read);
    }
    const auto step = decide_check(check, shown, mark);
    if (step != check_step::rival) return fail(about(refused_check(step, shown), check.place()));
    check_rivals_[index].emplace(coordination_, check.place(), *std::move(mark), seniority{plan_->born, plan_->name.id},
                                 rules_);
    wanting_.push_back(items_.size() + index);
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
            return fail(about(rival->why(), plan_->checks[index].place()));
    }
}

}  // namespace dynalease::protocol
