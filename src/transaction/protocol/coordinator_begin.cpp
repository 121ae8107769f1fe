// How a run of a transaction begins, and how one ends of which nobody knows whether it has begun.
// SPDX-License-Identifier: BSL-1.0
#include "transaction/protocol/coordinator.hpp"

#include "transaction/protocol/item_texts.hpp"
#include "transaction/protocol/stored_writes.hpp"
#include "transaction/protocol/transaction_requests.hpp"

#include <cstddef>
#include <string>
#include <utility>

namespace dynalease::protocol {

using detail::answer;

void coordinator::begin_to_lock() {
    begun_ = true;
    if (phase_ != phase::beginning && phase_ != phase::storing) return;
    phase_ = phase::locking;
    want_all();
    for (std::size_t i = 0; i < items_.size(); ++i) {
        if (is_insert(i)) inserts_.push_back(i);
    }
    if (in_turn()) next_turn();
}

/// What its row cannot keep is stored before the first lock: whoever takes it over must know what it may hold.
void coordinator::go_on_begun() {
    if (phase_ != phase::beginning || pages_->empty()) return begin_to_lock();
    begun_ = true;
    phase_ = phase::storing;
}

stored_plan coordinator::kept_by_row() const {
    auto kept = stored(*plan_);
    if (!pages_->empty()) kept = {.fenced = kept.fenced, .pages = pages_->size()};
    return kept;
}

errand coordinator::leave_pages() {
    const transaction_requests row(coordination_, plan_->name);
    const auto until = end_of_call(*pages_, pages_stored_, bytes_at_once_);
    auto token = token_of(plan_->items.front().writes.front().stamp, "-p" + std::to_string(pages_stored_));
    return leave(0, asked::store, row.store_pages(*pages_, pages_stored_, until, std::move(token)));
}

void coordinator::answer_store(const errand_answer& with) {
    if (phase_ != phase::storing) return;
    if (with.kind == answer::rejected) return fail(with.why);
    if (with.kind == answer::refused) {
        if (with.why.reasons.empty()) return fail(errc::bad_response);
        return find_decided({.kind = answer::refused, .shown = with.why.reasons.front().current});
    }
    if (with.kind != answer::applied) return;
    pages_stored_ = end_of_call(*pages_, pages_stored_, bytes_at_once_);
    if (pages_stored_ == pages_->size()) begin_to_lock();
}

/// No copy of its begin was applied, and none will be.
void coordinator::end_unbegun(failure why) {
    verdict_ = verdict::rolled_back;
    why_ = std::move(why);
    phase_ = phase::ended;
}

void coordinator::answer_begin(const errand_answer& with) {
    switch (with.kind) {
        case answer::applied:
            return go_on_begun();
        case answer::unanswered:
            doubtful_ = true;
            return;
        case answer::refused:
            return judge_begin(with);
        case answer::rejected:
            // An earlier copy may still be applied.
            if (phase_ == phase::beginning) fail(with.why);
            break;
        case answer::delayed:
            break;
    }
    if (phase_ == phase::rolling_back && !doubtful_) end_unbegun(std::move(why_));
}

void coordinator::answer_withdrawal(const errand_answer& with) {
    if (with.kind == answer::applied) return end_unbegun(std::move(why_));
    if (with.kind == answer::rejected) return break_off(with.why);
    if (with.kind == answer::refused) judge_begin(with);
}

/// By the row that is there. Whosever it is: it stays for longer than any copy of `begin` is on its way, and none goes
/// over a run that it was not sent for.
void coordinator::judge_begin(const errand_answer& with) {
    const bool gives_up = phase_ == phase::rolling_back;
    const auto row = parse_transaction_header(with.shown ? &*with.shown : nullptr);
    if (!row) return break_off(row.error());
    switch (decide_begin(*row, plan_->name)) {
        case begin_step::begun:
            return go_on_begun();
        case begin_step::begin:
            if (gives_up && !doubtful_) return end_unbegun(std::move(why_));
            over_.reset();
            return;
        case begin_step::over:
            if (gives_up) return end_unbegun(std::move(why_));
            over_ = (*row)->name.run;
            return;
        case begin_step::rolled_back:
            return decide(verdict::rolled_back);
        case begin_step::committed:
            if ((*row)->name != plan_->name) why_ = errc::already_committed;
            verdict_ = verdict::committed;
            phase_ = phase::ended;
            return;
        case begin_step::others:
            return end_unbegun(gives_up ? std::move(why_) : refused_run(coordination_, plan_->name.id));
    }
}

}  // namespace dynalease::protocol
