// What a coordinator does about each of its items: lock it, and give it back.
// SPDX-License-Identifier: BSL-1.0
#include "transaction/protocol/coordinator.hpp"

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

/// Of all items, when each is held.
std::vector<committed_lock> coordinator::seen_locks() const {
    std::vector<committed_lock> locks;
    locks.reserve(items_.size());
    for (const auto& held : items_) locks.push_back({held.mark->write, held.mark->lock});
    return locks;
}

bool coordinator::in_map(const item_mark& mark) const {
    const auto stamp_of = [](const committed_lock& each) { return each.lock.stamp; };
    const auto found = std::ranges::lower_bound(locks_, mark.lock.stamp, {}, stamp_of);
    return found != locks_.end() && found->lock == mark.lock;
}

// ---- what it wants of an item --------------------------------------------------------------------------------

any_request coordinator::lock_request(std::size_t index) const {
    const auto& what = plan_->items[index];
    const auto& held = items_[index];
    const auto& write = what.writes[held.written];
    const auto number = held.first + static_cast<std::int64_t>(held.written);
    const marking_requests requests(what.on, plan_->name);
    if (held.mark) return requests.lock_item_again(what.key, write, number, *held.mark);
    return requests.lock_item(what.key, write, number, what.seen);
}

std::optional<errand> coordinator::next_for_item(std::size_t index) {
    const auto slot = index + 1;
    auto& held = items_[index];
    const auto& what = plan_->items[index];
    if (slots_[slot].what != asked::nothing) return std::nullopt;
    if (phase_ == phase::closing) {
        if (held.closed) return std::nullopt;
        if (!held.mark) return leave(slot, asked::look, look_at_item(what.place()));
        const bool keeps = verdict_ == verdict::committed && in_map(*held.mark);
        return leave(slot, asked::end,
                     widened(keeps ? unlock(what.place(), *held.mark) : undo(what.place(), *held.mark)));
    }
    if (phase_ != phase::locking) return std::nullopt;
    if (held.rival) {
        auto wanted = held.rival->next();
        occupy(slot, asked::rival);
        wanted.slot = slot;
        return wanted;
    }
    // Inserts go together.
    if (held.written == what.writes.size() || is_insert(index)) return std::nullopt;
    if (in_turn() && index != turn_) return std::nullopt;
    held.touched = true;
    return leave(slot, asked::lock, lock_request(index));
}

// ---- what an item shows --------------------------------------------------------------------------------------

void coordinator::fail_by(std::size_t index, failure why) {
    fail(about(std::move(why), plan_->items[index].place()));
}

void coordinator::take_mark(held_item& held, std::size_t index, const item& shown) {
    auto mark = mark_of(shown);
    if (!mark) return fail_by(index, mark.error());
    const auto written = *mark ? (*mark)->write - held.first + 1 : 0;
    const bool of_this_item = written >= 1 && std::cmp_less_equal(written, plan_->items[index].writes.size());
    // Applied, or ours, and yet the item does not say so.
    if (!of_this_item) return fail_by(index, errc::bad_response);
    const auto all = plan_->items[index].writes.size();
    if (held.written < all) --unwritten_;
    held.mark = **std::move(mark);
    held.written = static_cast<std::size_t>(written);
    if (held.written < all) ++unwritten_;
    if (plan_->holds) held.sight = before_mark(shown, *held.mark);
    if (in_turn() && phase_ == phase::locking && index == turn_) next_turn();
}

void coordinator::answer_lock(std::size_t index, const errand_answer& with) {
    auto& held = items_[index];
    if (phase_ == phase::closing && with.kind != answer::applied) return;
    if (with.kind == answer::rejected) {
        // The first copy of it, and surely not applied: no look at an item that may not even exist.
        const bool first = slots_[index + 1].failures == 1;
        if (first && !held.mark) held.touched = false;
        return fail_by(index, with.why);
    }
    if (with.kind == answer::refused) return judge_lock(index, with.shown);
    if (with.kind != answer::applied) return;
    take_mark(held, index, with.shown.value_or(item{}));
    const bool void_now =
        phase_ == phase::closing && verdict_ == verdict::committed && held.mark && !in_map(*held.mark);
    if (void_now) held.mark.reset();
}

void coordinator::judge_lock(std::size_t index, const std::optional<item>& there) {
    auto& held = items_[index];
    const auto& what = plan_->items[index];
    if (phase_ != phase::locking) return;
    std::optional<item_mark> mark;
    if (there) {
        auto shown = mark_of(*there);
        if (!shown) return fail_by(index, shown.error());
        mark = *std::move(shown);
    }
    const auto next = decide_lock({.what = what,
                                   .mine = plan_->name,
                                   .number = held.first + static_cast<std::int64_t>(held.written),
                                   .held = held.mark,
                                   .shown = there,
                                   .mark = mark});
    switch (next) {
        case lock_step::held:
        case lock_step::again:
            return take_mark(held, index, *there);
        case lock_step::rival:
            held.rival.emplace(coordination_, what.place(), *std::move(mark), seniority{plan_->born, plan_->name.id},
                               rules_, held.looks);
            return;
        case lock_step::lost:
            phase_ = phase::rolling_back;
            return;
        case lock_step::missing:
            // What is not there cannot be held, and nothing says that it is to be there.
            if (!plan_->holds) break;
            held.written = what.writes.size();
            --unwritten_;
            if (in_turn()) next_turn();
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
    fail_by(index, refused_lock(next, what, held.written + 1, there));
}

void coordinator::answer_rival(std::size_t index, errand_answer with) {
    auto& held = items_[index];
    if (!held.rival) return;
    held.rival->answer(std::move(with));
    switch (held.rival->ended()) {
        case resolver::end::none:
            return;
        case resolver::end::freed:
            held.looks = held.rival->looks();
            held.rival.reset();
            if (is_insert(index)) inserts_.push_back(index);
            return;
        case resolver::end::gave_up:
        case resolver::end::failed:
            return fail_by(index, held.rival->why());
    }
}

void coordinator::close(held_item& held) {
    if (!std::exchange(held.closed, true)) --unclosed_;
}

bool coordinator::freed_some() const noexcept {
    return std::ranges::any_of(items_, [](const held_item& each) { return each.closed && each.mark; });
}

/// It cannot be freed from here: its mark, and the row, tell others what to do.
void coordinator::leave_item(std::size_t index, const failure& why) {
    close(items_[index]);
    leaves_some_ = true;
    if (!why_.code) why_ = about(why, plan_->items[index].place());
}

void coordinator::answer_end(std::size_t index, const errand_answer& with) {
    if (with.kind == answer::refused) {
        // Somebody else has done it; or another lock of this run stands there now.
        items_[index].mark.reset();
        return answer_look(index, with);
    }
    if (with.kind == answer::applied) close(items_[index]);
    if (with.kind == answer::rejected) leave_item(index, with.why);
}

void coordinator::answer_look(std::size_t index, const errand_answer& with) {
    auto& held = items_[index];
    if (with.kind == answer::rejected) return leave_item(index, with.why);
    if (!detail::was_answered(with.kind)) return;
    if (!with.shown) {
        close(held);
        return;
    }
    auto mark = mark_of(*with.shown);
    if (!mark) return leave_item(index, mark.error());
    if (!*mark || (*mark)->owner != plan_->name) {
        close(held);
    } else {
        held.mark = **std::move(mark);
    }
}

}  // namespace dynalease::protocol
