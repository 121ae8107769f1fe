// Committing a run.
// SPDX-License-Identifier: BSL-1.0
#include "transaction/protocol/run_commit.hpp"

#include "database/protocol/joint_reasons.hpp"
#include "transaction/protocol/item_texts.hpp"
#include "transaction/protocol/joint_requests.hpp"
#include "transaction/protocol/transaction_requests.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::protocol {

using detail::joint_reason;

run_commit::run_commit(std::shared_ptr<const run_brief> brief)
    : brief_(std::move(brief)), rivals_(brief_->plan.checks.size()) {}

// ---- what it wants -----------------------------------------------------------------------------------------

bool run_commit::hold(const run_items& items, transaction_plan wanted) {
    std::vector<std::optional<item_mark>> marks;
    marks.reserve(items.all().size());
    for (const auto& held : items.all()) marks.push_back(held.mark);
    call_.emplace(brief_->plan, std::move(marks), std::move(wanted));
    if (call_->fits()) return true;
    call_.reset();
    return false;
}

std::size_t run_commit::parts() const {
    return call_ ? call_->size() : brief_->plan.checks.size();
}

/// That the row is pending keeps the commit from happening twice: the token is for answers alone.
std::string run_commit::token() const {
    const auto& items = brief_->plan.items;
    return items.empty() ? std::string() : token_of(items.front().writes.front().stamp, "-c" + std::to_string(bodies_));
}

any_request run_commit::commit(const run_items& items, std::int64_t wall) const {
    if (call_) {
        const auto expiry = items.copies_left() ? std::optional<std::int64_t>() : wall + finished_row_stays;
        return call_->held_commit(brief_->coordination, expiry, token());
    }
    const transaction_requests row(brief_->coordination, brief_->plan.name);
    if (brief_->plan.checks.empty()) return row.commit(items.seen_locks());
    std::vector<condition_check> checks;
    checks.reserve(brief_->plan.checks.size());
    for (const auto& each : brief_->plan.checks) checks.push_back(check_item(each));
    return row.commit_checked(items.seen_locks(), std::move(checks), token());
}

item_ref run_commit::place_of(std::size_t index) const {
    return call_ ? call_->at(index).place : brief_->plan.checks[index].place();
}

failure run_commit::blamed(failure why) const {
    const auto reasons = why.reasons;
    for (std::size_t i = 1; i < reasons.size() && i <= parts(); ++i) {
        if (detail::kind_of(reasons[i]) == joint_reason::stays) why = about(std::move(why), place_of(i - 1));
    }
    return why;
}

// ---- who is in the way -------------------------------------------------------------------------------------

bool run_commit::is_obstructed() const {
    return std::ranges::any_of(rivals_, [](const auto& rival) { return rival.has_value(); });
}

void run_commit::forget_rivals() {
    for (auto& rival : rivals_) rival.reset();
}

std::optional<errand> run_commit::next(run_course& run, std::size_t index) {
    const auto slot = run_course::slot_of(brief_->plan.items.size() + index);
    if (run.phase != run_phase::committing || !rivals_[index] || !run.is_idle(slot)) return std::nullopt;
    return run.pass_on(slot, run_aim::check_rival, rivals_[index]->next());
}

void run_commit::answer_rival(run_course& run, std::size_t index, errand_answer with) {
    auto& rival = rivals_[index];
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
            return run.fail(met_at(place_of(index), rival->why()));
    }
}

void run_commit::meet(run_course& run, std::size_t index, item_mark mark) {
    rivals_[index].emplace(brief_->coordination, place_of(index), std::move(mark), brief_->self(), brief_->rules);
    run.want(brief_->plan.items.size() + index);
}

// ---- what a refusal shows ----------------------------------------------------------------------------------

void run_commit::judge(run_course& run, const std::vector<cancellation_reason>& reasons) {
    for (std::size_t i = 0; i < parts() && run.phase == run_phase::committing; ++i) {
        if (detail::kind_of(reasons[i + 1]) != joint_reason::condition) continue;
        if (call_)
            judge_part(run, i, reasons[i + 1].current);
        else
            judge_check(run, i, reasons[i + 1].current);
    }
}

void run_commit::judge_check(run_course& run, std::size_t index, const std::optional<item>& shown) {
    const auto& check = brief_->plan.checks[index];
    std::optional<item_mark> mark;
    if (shown && !check.is_fence()) {
        auto read = mark_of(*shown);
        if (!read) return run.fail(about(read.error(), check.place()));
        mark = *std::move(read);
    }
    const auto step = decide_check(check, shown, mark);
    if (step != check_step::rival) return run.fail(about(refused_check(step, shown), check.place()));
    meet(run, index, *std::move(mark));
}

/// A write or a check, of an item that is held or of another, or a lock that is only given back.
void run_commit::judge_part(run_course& run, std::size_t index, const std::optional<item>& shown) {
    const auto part = call_->at(index);
    const auto refuse = [&](failure why) { run.fail(about(std::move(why), part.place)); };
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
                                       .mine = brief_->plan.name,
                                       .number = 1,
                                       .held = std::nullopt,
                                       .shown = shown,
                                       .mark = mark});
        return refuse(refused_lock(step, *part.write, 1, shown));
    }
    // To wait for it while all others wait for what is held, may be to wait in a circle: it is held from the first, the
    // next time.
    failure others(errc::conflict);
    others.details.message = "another transaction has the item, which this one came to want when it held others";
    refuse(std::move(others));
}

}  // namespace dynalease::protocol
