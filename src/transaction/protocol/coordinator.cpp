// One run of a transaction, from its begin to its end.
// SPDX-License-Identifier: BSL-1.0
#include "transaction/protocol/coordinator.hpp"

#include "database/protocol/joint_reasons.hpp"
#include "transaction/protocol/plan_limits.hpp"

#include <string>
#include <utility>

namespace dynalease::protocol {

using detail::answer;
using detail::joint_reason;

namespace {

std::shared_ptr<const run_brief> brief_of(std::string coordination, transaction_plan plan, rivalry rules) {
    if (plan.holds) rules.courtesy = usual_courtesy;
    return std::make_shared<const run_brief>(run_brief{std::move(coordination), std::move(plan), rules});
}

failure too_many_checks(std::size_t checks) {
    failure why(errc::too_many_items);
    why.details.message = std::to_string(checks) +
                          " items that are only read, and guards, of at most 99 at the commit: lock some for reading";
    return why;
}

/// Why a run ends that nobody here wanted to end.
failure rolled_back_by_others() {
    failure why(errc::conflict);
    why.details.message = "another transaction rolled this one back";
    return why;
}

}  // namespace

coordinator::coordinator(std::string coordination, transaction_plan plan, rivalry rules)
    : brief_(brief_of(std::move(coordination), std::move(plan), rules)),
      run_(brief_->plan.items.size() + brief_->plan.checks.size()),
      row_(brief_),
      items_(brief_),
      inserts_(brief_),
      commit_(brief_) {
    const auto checks = brief_->plan.checks.size();
    if (checks >= most_actions) run_.end_unbegun(too_many_checks(checks));
}

coordinator coordinator::resumed(std::string coordination, transaction_plan plan, rivalry rules,
                                 const transaction_header& header) {
    coordinator made(std::move(coordination), std::move(plan), rules);
    made.row_.take_over(header);
    made.items_.take_over(!header.aside_until);
    made.begin_to_lock();
    if (header.state == header_state::committed) made.decide(verdict::committed, header.locks);
    if (header.state == header_state::rolled_back) made.decide(verdict::rolled_back);
    if (header.state == header_state::pending && header.fenced) {
        failure why(errc::cancelled);
        why.details.message = "it depends on a guard: only the process that began it may commit it";
        made.run_.fail(std::move(why));
    }
    made.advance();
    return made;
}

// ---- what it wants -----------------------------------------------------------------------------------------

std::optional<errand> coordinator::next(std::int64_t wall) {
    if (auto wanted = next_for_row(wall)) return wanted;
    if (auto wanted = inserts_.next(run_, items_)) return wanted;
    while (run_.has_room()) {
        const auto each = run_.next_wanting();
        if (!each) break;
        if (auto wanted = next_of(*each)) return wanted;
    }
    return std::nullopt;
}

std::optional<errand> coordinator::next_of(std::size_t index) {
    const auto of_items = items_.all().size();
    return index < of_items ? items_.next(run_, index) : commit_.next(run_, index - of_items);
}

std::optional<errand> coordinator::next_for_row(std::int64_t wall) {
    constexpr auto slot = run_course::slot_of_row;
    if (!run_.is_idle(slot)) return std::nullopt;
    switch (run_.phase) {
        case phase::beginning:
            return run_.leave(slot, run_aim::begin, row_.begin());
        case phase::storing:
            return run_.leave(slot, run_aim::store, row_.store_pages());
        case phase::committing:
            // Who is in the way of a check, first.
            if (commit_.is_obstructed()) break;
            return run_.leave(slot, run_aim::commit, commit_.commit(items_, wall));
        case phase::rolling_back:
            if (run_.begun) return run_.leave(slot, run_aim::roll_back, row_.roll_back());
            return run_.leave(slot, run_aim::withdraw, row_.withdraw(wall));
        case phase::setting_aside:
            return run_.leave(slot, run_aim::set_aside, row_.set_aside(wall));
        case phase::finishing:
            if (row_.may_finish(wall)) return run_.leave(slot, run_aim::finish, row_.finish(run_.verdict, wall));
            // To be looked at again.
            run_.phase = phase::ended;
            break;
        case phase::locking:
        case phase::holding:
        case phase::closing:
        case phase::ended:
            break;
    }
    return std::nullopt;
}

// ---- what happens to it ------------------------------------------------------------------------------------

void coordinator::answer(std::size_t slot, errand_answer with) {
    const auto aim = run_.take_back(slot, with);
    const auto index = slot - 1;  // of all but the row's
    switch (aim) {
        case run_aim::nothing:
            return;
        case run_aim::begin:
            answer_begin(with);
            break;
        case run_aim::withdraw:
            answer_withdrawal(with);
            break;
        case run_aim::store:
            answer_store(with);
            break;
        case run_aim::commit:
            answer_commit(with);
            break;
        case run_aim::roll_back:
            answer_roll_back(with);
            break;
        case run_aim::set_aside:
            answer_aside(with);
            break;
        case run_aim::finish:
            if (detail::was_answered(with.kind) || with.kind == answer::rejected) run_.phase = phase::ended;
            break;
        case run_aim::lock:
            items_.answer_lock(run_, index, with);
            break;
        case run_aim::inserts:
            inserts_.answer(run_, items_, with);
            break;
        case run_aim::rival:
            answer_rival(index, std::move(with));
            break;
        case run_aim::look:
            items_.answer_look(run_, index, with);
            break;
        case run_aim::end:
            items_.answer_end(run_, index, with);
            break;
        case run_aim::check_rival:
            commit_.answer_rival(run_, index - items_.all().size(), std::move(with));
            break;
    }
    advance();
}

void coordinator::stop(failure why) {
    const bool commits = run_.phase == phase::committing && run_.aim_of(run_course::slot_of_row) == run_aim::commit;
    if (commits)
        stopped_ = std::move(why);
    else
        run_.fail(std::move(why));
    advance();
}

/// Where nothing is left to be done in a phase, the next one begins.
void coordinator::advance() {
    if (run_.phase == phase::locking && items_.all_written()) {
        run_.phase = brief_->plan.holds ? phase::holding : phase::committing;
    } else if (run_.phase == phase::closing && items_.all_closed()) {
        // The row stays for whoever can free the others.
        const auto next = items_.copies_left() ? phase::setting_aside : phase::finishing;
        run_.phase = items_.leaves_some() ? phase::ended : next;
    }
}

// ---- how it begins -----------------------------------------------------------------------------------------

void coordinator::begin_to_lock() {
    run_.begun = true;
    if (run_.phase != phase::beginning && run_.phase != phase::storing) return;
    run_.phase = phase::locking;
    items_.begin_to_lock(run_);
    inserts_.begin();
}

/// What its row cannot keep is stored before the first lock: whoever takes it over must know what it may hold.
void coordinator::go_on_begun() {
    if (run_.phase != phase::beginning || row_.is_stored()) return begin_to_lock();
    run_.begun = true;
    run_.phase = phase::storing;
}

void coordinator::answer_store(const errand_answer& with) {
    if (run_.phase != phase::storing) return;
    if (with.kind == answer::rejected) return run_.fail(with.why);
    if (with.kind == answer::refused) {
        if (with.why.reasons.empty()) return run_.fail(errc::bad_response);
        return find_decided({.kind = answer::refused, .shown = with.why.reasons.front().current});
    }
    if (with.kind != answer::applied) return;
    row_.stored();
    if (row_.is_stored()) begin_to_lock();
}

void coordinator::answer_begin(const errand_answer& with) {
    switch (with.kind) {
        case answer::applied:
            return go_on_begun();
        case answer::unanswered:
            run_.doubtful = true;
            return;
        case answer::refused:
            return judge_begin(with);
        case answer::rejected:
            // An earlier copy may still be applied.
            if (run_.phase == phase::beginning) run_.fail(with.why);
            break;
        case answer::delayed:
            break;
    }
    if (run_.phase == phase::rolling_back && !run_.doubtful) run_.end_unbegun(std::move(run_.why));
}

void coordinator::answer_withdrawal(const errand_answer& with) {
    if (with.kind == answer::applied) return run_.end_unbegun(std::move(run_.why));
    if (with.kind == answer::rejected) return run_.break_off(with.why);
    if (with.kind == answer::refused) judge_begin(with);
}

/// By the row that is there. Whosever it is: it stays for longer than any copy of `begin` is on its way, and none goes
/// over a run that it was not sent for.
void coordinator::judge_begin(const errand_answer& with) {
    const bool gives_up = run_.phase == phase::rolling_back;
    const auto row = parse_transaction_header(with.shown ? &*with.shown : nullptr);
    if (!row) return run_.break_off(row.error());
    const auto& mine = brief_->plan.name;
    switch (decide_begin(*row, mine)) {
        case begin_step::begun:
            return go_on_begun();
        case begin_step::begin:
            if (gives_up && !run_.doubtful) return run_.end_unbegun(std::move(run_.why));
            row_.begins_over({});
            return;
        case begin_step::over:
            if (gives_up) return run_.end_unbegun(std::move(run_.why));
            return begin_anew_over((*row)->name.run);
        case begin_step::rolled_back:
            return decide(verdict::rolled_back);
        case begin_step::committed:
            if ((*row)->name != mine) run_.why = errc::already_committed;
            run_.verdict = verdict::committed;
            run_.phase = phase::ended;
            return;
        case begin_step::others:
            return run_.end_unbegun(gives_up ? std::move(run_.why) : refused_run(brief_->coordination, mine.id));
    }
}

/// Under a new name: a copy of the begin may have landed, been ended by others, and be set aside, so that whatever
/// bears the old one is given back by anybody.
void coordinator::begin_anew_over(std::string former) {
    auto renamed = *brief_;
    renamed.plan.name.run += '~';
    brief_ = std::make_shared<const run_brief>(std::move(renamed));
    row_ = run_row(brief_);
    items_ = run_items(brief_);
    inserts_ = run_inserts(brief_);
    commit_ = run_commit(brief_);
    row_.begins_over(std::move(former));
    run_.doubtful = false;  // of the old name none lands while that row stands
}

// ---- while it locks ----------------------------------------------------------------------------------------

void coordinator::answer_rival(std::size_t index, errand_answer with) {
    const bool freed = items_.answer_rival(run_, index, std::move(with));
    if (freed && brief_->is_insert(index)) inserts_.send_again(index);
}

// ---- how it is decided -------------------------------------------------------------------------------------

void coordinator::commit(transaction_plan wanted) {
    if (run_.phase != phase::holding) return;
    if (commit_.hold(items_, std::move(wanted))) {
        run_.phase = phase::committing;
        return;
    }
    failure why(errc::too_many_items);
    why.details.message = "items that are held are changed by one call: of 99 items, 4 MB, and one write to each";
    stop(std::move(why));
}

void coordinator::answer_commit(const errand_answer& with) {
    switch (with.kind) {
        case answer::applied:
            // By a call that gives its items back, none is left under a lock.
            return commit_.by_call() ? decide(verdict::committed) : decide(verdict::committed, items_.seen_locks());
        case answer::rejected:
            // An earlier copy may have been applied: the row tells when it is to be rolled back.
            run_.why = commit_.blamed(with.why);
            run_.phase = phase::rolling_back;
            return;
        case answer::refused:
            if (commit_.has_reasons())
                judge_commit(with);
            else
                find_decided(with);
            break;
        case answer::delayed:
            commit_.renew();
            break;
        case answer::unanswered:
            break;
    }
    // What became of the copies that were sent, the row tells whoever rolls it back.
    if (stopped_ && run_.phase == phase::committing) run_.fail(*std::exchange(stopped_, {}));
}

/// By its reasons: the row's first, then those of the checks, or of the parts of the call.
void coordinator::judge_commit(const errand_answer& with) {
    const auto& reasons = with.why.reasons;
    commit_.renew();
    if (reasons.size() != commit_.parts() + 1) {
        run_.why = errc::bad_response;
        run_.phase = phase::rolling_back;
        return;
    }
    if (detail::kind_of(reasons.front()) == joint_reason::condition) {
        return find_decided({.kind = answer::refused, .shown = reasons.front().current});
    }
    commit_.judge(run_, reasons);
}

void coordinator::answer_roll_back(const errand_answer& with) {
    if (with.kind == answer::applied) return decide(verdict::rolled_back);
    if (with.kind == answer::rejected) return run_.break_off(with.why);
    if (with.kind == answer::refused) find_decided(with);
}

/// The row is not pending any more.
void coordinator::find_decided(const errand_answer& with) {
    const auto row = parse_transaction_header(with.shown ? &*with.shown : nullptr);
    if (!row) return run_.break_off(row.error());
    switch (decide_commit(*row, brief_->plan.name)) {
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

void coordinator::decide(verdict what, std::vector<committed_lock> locks) {
    run_.verdict = what;
    if (commit_.by_call() && what == verdict::committed) {
        // The very call has freed the items.
        run_.phase = phase::ended;
        return;
    }
    run_.phase = phase::closing;
    if (what == verdict::rolled_back && !run_.why.code) run_.why = rolled_back_by_others();
    if (what == verdict::forgotten) run_.why = failure(errc::in_doubt, outcome::unknown);
    commit_.forget_rivals();
    items_.begin_to_close(run_, std::move(locks));
    advance();
}

// ---- how it ends -------------------------------------------------------------------------------------------

void coordinator::answer_aside(const errand_answer& with) {
    if (with.kind == answer::rejected) run_.phase = phase::ended;
    if (!detail::was_answered(with.kind)) return;
    if (row_.note_set_aside()) run_.phase = phase::finishing;
}

}  // namespace dynalease::protocol
