// One run of a transaction, from its begin to its end.
// SPDX-License-Identifier: BSL-1.0
#include "transaction/protocol/coordinator.hpp"

#include "database/protocol/backoff.hpp"
#include "transaction/protocol/joint_requests.hpp"
#include "transaction/protocol/transaction_requests.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <variant>

namespace dynalease::protocol {

using detail::answer;

namespace {

/// Why a run ends that nobody here wanted to end.
failure rolled_back_by_others() {
    failure why(errc::conflict);
    why.details.message = "another transaction rolled this one back";
    return why;
}

}  // namespace

coordinator::coordinator(std::string coordination, transaction_plan plan, rivalry rules)
    : coordination_(std::move(coordination)),
      plan_(std::make_shared<const transaction_plan>(std::move(plan))),
      pages_(std::make_shared<const std::vector<stored_page>>()),
      rules_(rules),
      items_(plan_->items.size()),
      check_rivals_(plan_->checks.size()),
      slots_(plan_->items.size() + plan_->checks.size() + 1) {
    if (plan_->checks.size() >= most_actions) {
        failure why(errc::too_many_items);
        why.details.message =
            std::to_string(plan_->checks.size()) +
            " items that are only read, and guards, of at most 99 at the commit: lock some for reading";
        end_unbegun(std::move(why));
    }
    if (plan_->holds) {
        rules_.courtesy = usual_courtesy;
    } else {
        pages_ = std::make_shared<const std::vector<stored_page>>(pages_of(*plan_));
        page_count_ = pages_->size();
    }
    std::int64_t next = 1;
    for (std::size_t i = 0; i < items_.size(); ++i) {
        items_[i].first = next;
        next += static_cast<std::int64_t>(plan_->items[i].writes.size());
        if (!plan_->items[i].writes.empty()) ++unwritten_;
    }
}

coordinator coordinator::resumed(std::string coordination, transaction_plan plan, rivalry rules,
                                 const transaction_header& header) {
    coordinator made(std::move(coordination), std::move(plan), rules);
    made.took_over_ = true;
    made.aside_until_ = header.aside_until;
    made.aside_sort_ = header.sort;
    made.pages_ = std::make_shared<const std::vector<stored_page>>();
    made.page_count_ = header.pages;
    // What others have sent, it does not know. Inserts are tied to the run while it is not decided.
    for (std::size_t i = 0; i < made.items_.size(); ++i) {
        made.copies_left_ |= !made.aside_until_ && !made.is_insert(i);
    }
    made.begin_to_lock();
    if (header.state == header_state::committed) made.decide(verdict::committed, header.locks);
    if (header.state == header_state::rolled_back) made.decide(verdict::rolled_back);
    if (header.state == header_state::pending && header.fenced) {
        failure why(errc::cancelled);
        why.details.message = "it depends on a guard: only the process that began it may commit it";
        made.fail(std::move(why));
    }
    made.advance();
    return made;
}

// ---- what it wants -----------------------------------------------------------------------------------------

void coordinator::want_all() {
    wanting_.clear();
    for (std::size_t i = 0; i < items_.size(); ++i) wanting_.push_back(i);
}

/// Who waits for others while it holds items takes them in one order with everybody: no circle of waiting can close.
void coordinator::next_turn() {
    const auto written = [this](std::size_t i) { return items_[i].written == plan_->items[i].writes.size(); };
    while (turn_ < items_.size() && (is_insert(turn_) || written(turn_))) ++turn_;
    if (turn_ < items_.size()) wanting_.push_front(turn_);
}

void coordinator::occupy(std::size_t slot, asked what) {
    slots_[slot].what = what;
    ++busy_;
}

errand coordinator::leave(std::size_t slot, asked what, any_request request) {
    occupy(slot, what);
    const auto failures = slots_[slot].failures;
    const auto pause = failures == 0 ? std::chrono::nanoseconds{} : detail::retry_pause(failures - 1);
    return {.slot = slot, .pause = pause, .request = std::move(request)};
}

std::optional<errand> coordinator::next_for_header(std::int64_t wall) {
    if (slots_[0].what != asked::nothing) return std::nullopt;
    const transaction_requests row(coordination_, plan_->name);
    switch (phase_) {
        case phase::beginning:
            return leave(0, asked::begin, row.begin(plan_->born, kept_by_row(), over_));
        case phase::storing:
            return leave_pages();
        case phase::committing:
            // Who is in the way of a check, first.
            if (std::ranges::any_of(check_rivals_, &std::optional<resolver>::has_value)) break;
            return leave(0, asked::commit, commit_request(wall));
        case phase::rolling_back:
            if (begun_) return leave(0, asked::roll_back, row.roll_back(plan_->name.id));
            return leave(0, asked::withdraw, row.withdraw(plan_->born, over_, wall + finished_row_stays));
        case phase::setting_aside:
            return leave_aside(wall);
        case phase::finishing:
            if (!aside_until_ || wall >= *aside_until_) return leave_finish(wall);
            // To be looked at again.
            phase_ = phase::ended;
            break;
        case phase::locking:
        case phase::holding:
        case phase::closing:
        case phase::ended:
            break;
    }
    return std::nullopt;
}

std::optional<errand> coordinator::next(std::int64_t wall) {
    if (auto wanted = next_for_header(wall)) return wanted;
    if (auto wanted = next_inserts()) return wanted;
    while (busy_ < most_errands && !wanting_.empty()) {
        const auto each = wanting_.front();
        wanting_.pop_front();
        auto wanted = each < items_.size() ? next_for_item(each) : next_for_check(each - items_.size());
        if (wanted) return wanted;
    }
    return std::nullopt;
}

// ---- what happens to it ------------------------------------------------------------------------------------

void coordinator::answer(std::size_t slot, errand_answer with) {
    auto& state = slots_[slot];
    const auto what = std::exchange(state.what, asked::nothing);
    if (what == asked::nothing) return;
    --busy_;
    if (slot > 0) wanting_.push_front(slot - 1);
    const bool answered = detail::was_answered(with.kind);
    state.failures = answered ? 0 : state.failures + 1;
    switch (what) {
        case asked::nothing:
            break;
        case asked::begin:
            answer_begin(with);
            break;
        case asked::withdraw:
            answer_withdrawal(with);
            break;
        case asked::commit:
            answer_commit(with);
            break;
        case asked::roll_back:
            answer_roll_back(with);
            break;
        case asked::store:
            answer_store(with);
            break;
        case asked::set_aside:
            answer_aside(with);
            break;
        case asked::finish:
            if (answered || with.kind == answer::rejected) phase_ = phase::ended;
            break;
        case asked::lock:
            copies_left_ = copies_left_ || with.why.outcome == outcome::unknown;
            answer_lock(slot - 1, with);
            break;
        case asked::inserts:
            answer_inserts(with);
            break;
        case asked::rival:
            answer_rival(slot - 1, std::move(with));
            break;
        case asked::look:
            answer_look(slot - 1, with);
            break;
        case asked::end:
            answer_end(slot - 1, with);
            break;
        case asked::check_rival:
            answer_check_rival(slot - 1 - items_.size(), std::move(with));
            break;
    }
    advance();
}

void coordinator::stop(failure why) {
    const bool commits = phase_ == phase::committing && slots_[0].what == asked::commit;
    if (commits)
        stopped_ = std::move(why);
    else
        fail(std::move(why));
    advance();
}

void coordinator::fail(failure why) {
    // A commit under way may decide it; what became of those before, its row tells.
    const bool may_fail = phase_ == phase::beginning || phase_ == phase::storing || phase_ == phase::locking ||
                          phase_ == phase::holding || (phase_ == phase::committing && slots_[0].what != asked::commit);
    if (!may_fail) return;
    const bool sent = begun_ || doubtful_ || slots_[0].what != asked::nothing;
    if (!sent) return end_unbegun(std::move(why));
    why_ = std::move(why);
    phase_ = phase::rolling_back;
}

/// What is left, is left to others: nobody has rolled it back, and whoever resumes it may commit it.
void coordinator::break_off(failure why) {
    if (!begun_ && !doubtful_) return end_unbegun(std::move(why));
    if (why.details.message.empty()) why.details.message = why.code.message();
    why_ = detail::in_doubt(std::move(why.details));
    phase_ = phase::ended;
}

void coordinator::decide(verdict what, std::vector<committed_lock> locks) {
    verdict_ = what;
    if (call_ && what == verdict::committed) {
        // The very call has freed the items.
        phase_ = phase::ended;
        return;
    }
    locks_ = std::move(locks);
    std::ranges::sort(locks_, {}, [](const committed_lock& each) { return each.lock.stamp; });
    phase_ = phase::closing;
    if (what == verdict::rolled_back && !why_.code) why_ = rolled_back_by_others();
    if (what == verdict::forgotten) why_ = failure(errc::in_doubt, outcome::unknown);
    for (auto& rival : check_rivals_) rival.reset();
    unclosed_ = 0;
    for (auto& held : items_) {
        held.rival.reset();
        if (what == verdict::committed && held.mark && !in_map(*held.mark)) held.mark.reset();
        // What nobody has sent a lock for, needs no look.
        held.closed = !held.mark && !held.touched && !took_over_ && what != verdict::committed;
        if (!held.closed) ++unclosed_;
    }
    want_all();
    advance();
}

/// Where nothing is left to be done in a phase, the next one begins.
void coordinator::advance() {
    if (phase_ == phase::locking && unwritten_ == 0) {
        phase_ = plan_->holds ? phase::holding : phase::committing;
    } else if (phase_ == phase::closing && unclosed_ == 0) {
        // The row stays for whoever can free the others.
        const auto next = copies_left_ ? phase::setting_aside : phase::finishing;
        phase_ = leaves_some_ ? phase::ended : next;
    }
}

void coordinator::answer_roll_back(const errand_answer& with) {
    if (with.kind == answer::applied) return decide(verdict::rolled_back);
    if (with.kind == answer::rejected) return break_off(with.why);
    if (with.kind == answer::refused) find_decided(with);
}

/// The row is not pending any more.
void coordinator::find_decided(const errand_answer& with) {
    const auto row = parse_transaction_header(with.shown ? &*with.shown : nullptr);
    if (!row) return break_off(row.error());
    switch (decide_commit(*row, plan_->name)) {
        case commit_step::committed:
            return decide(verdict::committed, (*row)->locks);
        case commit_step::rolled_back:
            return decide(verdict::rolled_back);
        case commit_step::forgotten:
            return decide(verdict::forgotten);
        case commit_step::again:
            return;
    }
}

}  // namespace dynalease::protocol
