// What a run does about each of its items.
// SPDX-License-Identifier: BSL-1.0
#include "transaction/protocol/run_items.hpp"

#include "transaction/protocol/marking_requests.hpp"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

namespace dynalease::protocol {

using detail::answer;

namespace {

any_request widened(ending_request request) {
    return std::visit([](auto&& each) { return any_request(std::move(each)); }, std::move(request));
}

}  // namespace

run_items::run_items(std::shared_ptr<const run_brief> brief)
    : brief_(std::move(brief)), items_(brief_->plan.items.size()) {
    std::int64_t next = 1;
    for (std::size_t i = 0; i < items_.size(); ++i) {
        const auto& writes = brief_->plan.items[i].writes;
        items_[i].first = next;
        next += static_cast<std::int64_t>(writes.size());
        if (!writes.empty()) ++unwritten_;
    }
}

// What others have sent, it does not know. Inserts are tied to the run while it is not decided.
void run_items::take_over(bool lands) {
    took_over_ = true;
    for (std::size_t i = 0; i < items_.size(); ++i) copies_left_ |= lands && !brief_->is_insert(i);
}

std::vector<committed_lock> run_items::seen_locks() const {
    std::vector<committed_lock> locks;
    locks.reserve(items_.size());
    for (const auto& held : items_) locks.push_back({held.mark->write, held.mark->lock});
    return locks;
}

bool run_items::in_map(const item_mark& mark) const {
    const auto stamp_of = [](const committed_lock& each) { return each.lock.stamp; };
    const auto found = std::ranges::lower_bound(locks_, mark.lock.stamp, {}, stamp_of);
    return found != locks_.end() && found->lock == mark.lock;
}

// ---- what it wants of an item --------------------------------------------------------------------------------

std::optional<errand> run_items::next(run_course& run, std::size_t index) {
    if (!run.is_idle(run_course::slot_of(index))) return std::nullopt;
    if (run.phase == run_phase::closing) return next_to_close(run, index);
    if (run.phase == run_phase::locking) return next_to_lock(run, index);
    return std::nullopt;
}

std::optional<errand> run_items::next_to_close(run_course& run, std::size_t index) {
    const auto slot = run_course::slot_of(index);
    const auto& held = items_[index];
    if (held.closed) return std::nullopt;
    const auto place = brief_->plan.items[index].place();
    if (!held.mark) return run.leave(slot, run_aim::look, look_at_item(place));
    const bool keeps = run.verdict == run_verdict::committed && in_map(*held.mark);
    return run.leave(slot, run_aim::end, widened(keeps ? unlock(place, *held.mark) : undo(place, *held.mark)));
}

std::optional<errand> run_items::next_to_lock(run_course& run, std::size_t index) {
    const auto slot = run_course::slot_of(index);
    auto& held = items_[index];
    if (held.rival) return run.pass_on(slot, run_aim::rival, held.rival->next());
    // Inserts go together.
    if (held.written == brief_->plan.items[index].writes.size() || brief_->is_insert(index)) return std::nullopt;
    if (brief_->in_turn() && index != turn_) return std::nullopt;
    held.touched = true;
    return run.leave(slot, run_aim::lock, lock_request(index));
}

any_request run_items::lock_request(std::size_t index) const {
    const auto& what = brief_->plan.items[index];
    const auto& held = items_[index];
    const auto& write = what.writes[held.written];
    const auto number = held.first + static_cast<std::int64_t>(held.written);
    const marking_requests requests(what.on, brief_->plan.name);
    if (held.mark) return requests.lock_item_again(what.key, write, number, *held.mark);
    return requests.lock_item(what.key, write, number, what.seen);
}

transact_put run_items::insert_request(std::size_t index) const {
    const auto& what = brief_->plan.items[index];
    return marking_requests(what.on, brief_->plan.name).lock_insert(what.writes.front(), items_[index].first);
}

void run_items::begin_to_lock(run_course& run) {
    run.want_all(items_.size());
    if (brief_->in_turn()) next_turn(run);
}

void run_items::next_turn(run_course& run) {
    const auto written = [this](std::size_t i) { return items_[i].written == brief_->plan.items[i].writes.size(); };
    while (turn_ < items_.size() && (brief_->is_insert(turn_) || written(turn_))) ++turn_;
    if (turn_ < items_.size()) run.want_first(turn_);
}

// ---- what an item shows --------------------------------------------------------------------------------------

void run_items::fail_by(run_course& run, std::size_t index, failure why) const {
    run.fail(about(std::move(why), brief_->plan.items[index].place()));
}

void run_items::take_mark(run_course& run, std::size_t index, const item& shown) {
    auto& held = items_[index];
    auto mark = mark_of(shown);
    if (!mark) return fail_by(run, index, mark.error());
    const bool ours = *mark && (*mark)->owner == brief_->plan.name;
    const auto written = ours ? (*mark)->write - held.first + 1 : 0;
    const bool of_this_item = written >= 1 && std::cmp_less_equal(written, brief_->plan.items[index].writes.size());
    // Applied, or ours, and yet the item does not say so.
    if (!of_this_item) return fail_by(run, index, errc::bad_response);
    const auto all = brief_->plan.items[index].writes.size();
    if (held.written < all) --unwritten_;
    held.mark = **std::move(mark);
    held.written = static_cast<std::size_t>(written);
    if (held.written < all) ++unwritten_;
    if (brief_->plan.holds) held.sight = before_mark(shown, *held.mark);
    if (brief_->in_turn() && run.phase == run_phase::locking && index == turn_) next_turn(run);
}

void run_items::answer_lock(run_course& run, std::size_t index, const errand_answer& with) {
    auto& held = items_[index];
    copies_left_ = copies_left_ || with.why.outcome == outcome::unknown;
    if (run.phase == run_phase::closing && with.kind != answer::applied) return;
    if (with.kind == answer::rejected) {
        // The first copy of it, and surely not applied: no look at an item that may not even exist.
        const bool first = run.failures(run_course::slot_of(index)) == 1;
        if (first && !held.mark) held.touched = false;
        return fail_by(run, index, with.why);
    }
    if (with.kind == answer::refused) return judge_lock(run, index, with.shown);
    if (with.kind != answer::applied) return;
    take_mark(run, index, with.shown.value_or(item{}));
    const bool void_now =
        run.phase == run_phase::closing && run.verdict == run_verdict::committed && held.mark && !in_map(*held.mark);
    if (void_now) held.mark.reset();
}

void run_items::judge_lock(run_course& run, std::size_t index, const std::optional<item>& there) {
    auto& held = items_[index];
    const auto& what = brief_->plan.items[index];
    if (run.phase != run_phase::locking) return;
    std::optional<item_mark> mark;
    if (there) {
        auto shown = mark_of(*there);
        if (!shown) return fail_by(run, index, shown.error());
        mark = *std::move(shown);
    }
    const auto next = decide_lock({.what = what,
                                   .mine = brief_->plan.name,
                                   .number = held.first + static_cast<std::int64_t>(held.written),
                                   .held = held.mark,
                                   .shown = there,
                                   .mark = mark});
    switch (next) {
        case lock_step::held:
        case lock_step::again:
            return take_mark(run, index, *there);
        case lock_step::rival:
            held.rival.emplace(brief_->coordination, what.place(), *std::move(mark), brief_->self(), brief_->rules,
                               held.looks);
            return;
        case lock_step::lost:
            run.phase = run_phase::rolling_back;
            return;
        case lock_step::missing:
            // What is not there cannot be held, and nothing says that it is to be there.
            if (!brief_->plan.holds) break;
            held.written = what.writes.size();
            --unwritten_;
            if (brief_->in_turn()) next_turn(run);
            return;
        case lock_step::condition_false:
        case lock_step::exists:
        case lock_step::locked:
        case lock_step::changed:
        case lock_step::has_versions:
        case lock_step::unreadable:
        case lock_step::overflow:
            break;
    }
    fail_by(run, index, refused_lock(next, what, held.written + 1, there));
}

bool run_items::answer_rival(run_course& run, std::size_t index, errand_answer with) {
    auto& held = items_[index];
    if (!held.rival) return false;
    held.rival->answer(std::move(with));
    switch (held.rival->ended()) {
        case resolver::end::none:
            break;
        case resolver::end::freed:
            held.looks = held.rival->looks();
            held.rival.reset();
            return true;
        case resolver::end::gave_up:
        case resolver::end::failed:
            fail_by(run, index, held.rival->why());
            break;
    }
    return false;
}

// ---- giving them back ----------------------------------------------------------------------------------------

void run_items::begin_to_close(run_course& run, std::vector<committed_lock> locks) {
    locks_ = std::move(locks);
    std::ranges::sort(locks_, {}, [](const committed_lock& each) { return each.lock.stamp; });
    const bool committed = run.verdict == run_verdict::committed;
    unclosed_ = 0;
    for (auto& held : items_) {
        held.rival.reset();
        if (committed && held.mark && !in_map(*held.mark)) held.mark.reset();
        // What nobody has sent a lock for, needs no look.
        held.closed = !held.mark && !held.touched && !took_over_ && !committed;
        if (!held.closed) ++unclosed_;
    }
    run.want_all(items_.size());
}

void run_items::close(run_item& held) {
    if (!std::exchange(held.closed, true)) --unclosed_;
}

bool run_items::freed_some() const noexcept {
    return std::ranges::any_of(items_, [](const run_item& each) { return each.closed && each.mark; });
}

/// It cannot be freed from here: its mark, and the row, tell others what to do.
void run_items::leave_item(run_course& run, std::size_t index, const failure& why) {
    close(items_[index]);
    leaves_some_ = true;
    if (!run.why.code) run.why = about(why, brief_->plan.items[index].place());
}

void run_items::answer_end(run_course& run, std::size_t index, const errand_answer& with) {
    if (with.kind == answer::refused) {
        // Somebody else has done it; or another lock of this run stands there now.
        items_[index].mark.reset();
        return answer_look(run, index, with);
    }
    if (with.kind == answer::applied) close(items_[index]);
    if (with.kind == answer::rejected) leave_item(run, index, with.why);
}

void run_items::answer_look(run_course& run, std::size_t index, const errand_answer& with) {
    auto& held = items_[index];
    if (with.kind == answer::rejected) return leave_item(run, index, with.why);
    if (!detail::was_answered(with.kind)) return;
    if (!with.shown) {
        close(held);
        return;
    }
    auto mark = mark_of(*with.shown);
    if (!mark) return leave_item(run, index, mark.error());
    if (!*mark || (*mark)->owner != brief_->plan.name) {
        close(held);
    } else {
        held.mark = **std::move(mark);
    }
}

}  // namespace dynalease::protocol
