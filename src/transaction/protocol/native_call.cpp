// A transaction in one call.
// SPDX-License-Identifier: BSL-1.0
#include "transaction/protocol/native_call.hpp"

#include "database/protocol/backoff.hpp"
#include "database/protocol/joint_reasons.hpp"
#include "transaction/protocol/joint_requests.hpp"
#include "transaction/protocol/transaction_requests.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::protocol {

using detail::answer;

namespace {

/// The service knows a token for ten minutes: so long, less one, a call may be sent again that may have been applied.
constexpr std::chrono::seconds longest_doubt = std::chrono::minutes(9);

}  // namespace

native_call::native_call(std::string coordination, transaction_plan plan, rivalry rules)
    : coordination_(std::move(coordination)),
      plan_(std::make_shared<const transaction_plan>(std::move(plan))),
      rules_(rules),
      obstacles_(plan_->items.size() + plan_->checks.size()) {
    rules_.courtesy = usual_courtesy;
    if (!fits_native(*plan_)) {
        failure why(errc::too_many_items);
        why.details.message = "a transaction of more than 100 actions, or of several writes to one item, in one call";
        end(verdict::rolled_back, std::move(why));
    } else if (obstacles_.empty() && !plan_->keeps_outcome) {
        end(verdict::committed, {});
    }
}

item_ref native_call::place_of(std::size_t index) const {
    const auto count = plan_->items.size();
    return index < count ? plan_->items[index].place() : plan_->checks[index - count].place();
}

// ---- what it wants -----------------------------------------------------------------------------------------

errand native_call::paused(errand wanted) {
    // A pause takes as long as was asked for, or longer.
    if (doubt_) doubt_->waited += wanted.pause;
    return wanted;
}

std::optional<errand> native_call::next_obstacle() {
    for (std::size_t i = 0; i < obstacles_.size(); ++i) {
        auto& each = obstacles_[i];
        if (!each.rival || each.asked) continue;
        each.asked = true;
        auto wanted = each.rival->next();
        wanted.slot = i + 1;
        return paused(std::move(wanted));
    }
    return std::nullopt;
}

std::optional<errand> native_call::next(std::int64_t wall) {
    if (phase_ == phase::clearing) return next_obstacle();
    if (phase_ == phase::ended || asked_) return std::nullopt;
    // Answers take their time, too, and clocks are set back: whichever says that it has been long, counts.
    if (phase_ == phase::calling && doubt_ && wall - doubt_->since >= longest_doubt.count()) {
        give_up(errc::timeout, false);
        if (phase_ == phase::ended) return std::nullopt;
    }
    sent_at_ = wall;
    if (!expiry_) expiry_ = wall + finished_row_stays;
    asked_ = true;
    const auto pause = failures_ == 0 ? std::chrono::nanoseconds{} : detail::retry_pause(failures_ - 1);
    if (phase_ == phase::calling) {
        auto call = native_call_of(coordination_, *plan_, over_, *expiry_);
        if (auto fault = fault_of_call(call)) {
            end(verdict::rolled_back, *std::move(fault));
            return std::nullopt;
        }
        return paused({.slot = 0, .pause = pause, .request = std::move(call)});
    }
    const transaction_requests row(coordination_, plan_->name);
    return paused({.slot = 0, .pause = pause, .request = row.withdraw(plan_->born, over_, *expiry_)});
}

// ---- what happens to it ------------------------------------------------------------------------------------

void native_call::end(verdict what, failure why) {
    verdict_ = what;
    why_ = std::move(why);
    phase_ = phase::ended;
}

/// @param for_ever no copy of the call will be applied, whatever becomes of the items
void native_call::give_up(failure why, bool for_ever) {
    if (stopped_) why = *stopped_;
    if (!doubt_ || for_ever) return end(verdict::rolled_back, std::move(why));
    if (plan_->keeps_outcome) {
        why_ = std::move(why);
        phase_ = phase::withdrawing;
        failures_ = 0;
        return;
    }
    auto doubt = detail::in_doubt(std::move(why.details));
    doubt.details.advice = "run it with an id of your own: then its outcome is kept, and can always be told";
    end(verdict::forgotten, std::move(doubt));
}

void native_call::stop(failure why) {
    if (phase_ == phase::ended || phase_ == phase::withdrawing) return;
    stopped_ = std::move(why);
    if (!asked_) give_up(*stopped_, false);
}

void native_call::answer(std::size_t slot, errand_answer with) {
    if (slot > 0) return answer_obstacle(slot - 1, std::move(with));
    if (!std::exchange(asked_, false)) return;
    if (phase_ == phase::calling) return answer_call(with);
    if (phase_ == phase::withdrawing) return answer_withdrawal(with);
}

void native_call::answer_obstacle(std::size_t index, errand_answer with) {
    auto& each = obstacles_[index];
    if (phase_ != phase::clearing || !each.rival || !std::exchange(each.asked, false)) return;
    each.rival->answer(std::move(with));
    if (each.rival->ended() == resolver::end::none) return;
    if (each.rival->ended() != resolver::end::freed) {
        return give_up(met_at(place_of(index), each.rival->why()), false);
    }
    each.looks = each.rival->looks();
    each.rival.reset();
    const auto in_the_way = [](const obstacle& other) { return other.rival.has_value(); };
    if (std::ranges::none_of(obstacles_, in_the_way)) phase_ = phase::calling;
}

void native_call::call_again() {
    if (stopped_ || (doubt_ && doubt_->waited >= longest_doubt)) return give_up(errc::timeout, false);
    phase_ = phase::calling;
}

void native_call::answer_call(const errand_answer& with) {
    switch (with.kind) {
        case answer::applied:
            return end(verdict::committed, {});
        case answer::unanswered:
            if (!doubt_) doubt_ = unanswered{.since = sent_at_};
            [[fallthrough]];
        case answer::delayed:
            ++failures_;
            return call_again();
        case answer::refused:
        case answer::rejected:
            break;
    }
    auto all = judge(with.why.reasons);
    // The service refuses the request as a whole.
    if (with.kind == answer::rejected && !all.committed && !all.why) all.why = with.why;
    obey(std::move(all));
}

void native_call::obey(judgement all) {
    if (all.committed) return end(verdict::committed, all.already ? failure(errc::already_committed) : failure());
    if (all.why) return give_up(*std::move(all.why), all.for_ever);
    over_ = std::move(all.over);
    failures_ = all.waits ? failures_ + 1 : 0;
    call_again();
    if (phase_ != phase::calling) return;
    for (std::size_t i = 0; i < all.rivals.size(); ++i) {
        if (!all.rivals[i]) continue;
        obstacles_[i].rival = std::move(all.rivals[i]);
        phase_ = phase::clearing;
    }
}

// ---- the reasons of a refusal --------------------------------------------------------------------------------

native_call::judgement native_call::judge(const std::vector<cancellation_reason>& reasons) const {
    using detail::joint_reason;
    judgement all{.over = over_, .rivals = std::vector<std::optional<resolver>>(obstacles_.size())};
    const std::size_t first = plan_->keeps_outcome ? 1 : 0;
    if (reasons.size() != obstacles_.size() + first) {
        if (!reasons.empty()) all.why = errc::bad_response;
        return all;
    }
    for (std::size_t i = 0; i < reasons.size() && !all.committed; ++i) {
        const auto kind = detail::kind_of(reasons[i]);
        if (passes(kind)) all.waits = true;
        if (kind == joint_reason::stays && !all.why) {
            all.why = detail::failure_of(reasons[i]);
            if (i >= first) all.why = about(*std::move(all.why), place_of(i - first));
        }
        if (kind != joint_reason::condition) continue;
        if (i < first) {
            judge_outcome(all, reasons[i].current);
        } else {
            judge_item(all, i - first, reasons[i].current);
        }
    }
    return all;
}

void native_call::judge_outcome(judgement& all, const std::optional<item>& shown) const {
    const auto row = parse_transaction_header(shown ? &*shown : nullptr);
    if (!row) {
        all.why = row.error();
        return;
    }
    switch (decide_begin(*row, plan_->name)) {
        case begin_step::committed:
            all.committed = true;
            all.already = (*row)->name != plan_->name;
            return;
        case begin_step::begin:
            all.over.reset();
            return;
        case begin_step::over:
            all.over = (*row)->name.run;
            return;
        case begin_step::rolled_back:
        case begin_step::begun:
        case begin_step::others:
            // A row stays for longer than any copy of the call is on its way.
            all.for_ever = true;
            all.why = refused_run(coordination_, plan_->name.id);
            return;
    }
}

void native_call::judge_item(judgement& all, std::size_t index, const std::optional<item>& shown) const {
    const auto count = plan_->items.size();
    const auto refuse = [&](failure why) {
        if (!all.why) all.why = about(std::move(why), place_of(index));
    };
    const bool guards = index >= count && plan_->checks[index - count].is_fence();
    std::optional<item_mark> mark;
    if (shown && !guards) {
        auto read = mark_of(*shown);
        if (!read) return refuse(read.error());
        mark = *std::move(read);
    }
    const auto meet = [&] {
        all.rivals[index].emplace(coordination_, place_of(index), *std::move(mark),
                                  seniority{plan_->born, plan_->name.id}, rules_, obstacles_[index].looks);
    };
    if (index >= count) {
        const auto& check = plan_->checks[index - count];
        const auto step = decide_check(check, shown, mark);
        if (step == check_step::rival) return meet();
        all.for_ever |= step == check_step::lost || never_again(check.on, check.seen, shown);
        return refuse(refused_check(step, shown));
    }
    const auto& what = plan_->items[index];
    if (tells_of(what.on, what.writes.front(), shown)) {
        all.committed = true;
        return;
    }
    if (mark) return meet();
    const auto step = decide_lock(
        {.what = what, .mine = plan_->name, .number = 1, .held = std::nullopt, .shown = shown, .mark = mark});
    all.for_ever |= never_again(what.on, what.seen, shown);
    refuse(refused_lock(step, what, 1, shown));
}

// ---- withdrawal ----------------------------------------------------------------------------------------------

void native_call::answer_withdrawal(const errand_answer& with) {
    if (!detail::was_answered(with.kind)) {
        ++failures_;
        if (with.kind == answer::rejected) end(verdict::forgotten, detail::in_doubt(with.why.details));
        return;
    }
    if (with.kind == answer::applied) return end(verdict::rolled_back, why_);
    const auto row = parse_transaction_header(with.shown ? &*with.shown : nullptr);
    if (!row) return end(verdict::forgotten, detail::in_doubt(row.error().details));
    switch (decide_begin(*row, plan_->name)) {
        case begin_step::committed: {
            const bool mine = (*row)->name == plan_->name;
            return end(verdict::committed, mine ? failure() : failure(errc::already_committed));
        }
        case begin_step::begin:
            over_.reset();
            return;
        case begin_step::over:
        case begin_step::rolled_back:
        case begin_step::begun:
        case begin_step::others:
            // Whosever the row is: no copy of the call goes over it.
            return end(verdict::rolled_back, why_);
    }
}

}  // namespace dynalease::protocol
