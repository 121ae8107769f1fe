// Processes that want one lock, over a network that delays, doubles and loses their requests.
// SPDX-License-Identifier: BSL-1.0
#include "lock_walk.hpp"

#include <algorithm>

namespace dynalease::protocol::test {

lock_walk::lock_walk(const walk_rules& rules, std::uint64_t seed)
    : rules_(rules), random_(seed), fronts_(2 + seed % 2) {
    for (auto& each : fronts_) renew(each);
}

void lock_walk::renew(front& who) {
    who = front{};
    who.id = "session-" + std::to_string(++sessions_);
}

claim lock_walk::new_claim(front& who) {
    // Clocks that stand still or run far ahead: tokens must rise all the same.
    const wall_time wall(std::chrono::milliseconds(chance(2) ? random_() % 3000 : 0));
    who.last_token = choose_token(wall, who.last_token, who.row.floor);
    return {++who.attempts, who.last_token};
}

bool lock_walk::in_flight(const front& who) const {
    return std::any_of(flight_.begin(), flight_.end(), [&](const copy& c) { return c.session == who.id; });
}

void lock_walk::send(std::size_t index, update_item_request request) {
    rules_.change(request);
    fronts_[index].awaited = ++last_serial_;
    flight_.push_back({std::move(request), index, fronts_[index].id, last_serial_});
}

void lock_walk::deliver(std::size_t index, bool lose_answer, bool keep_copy) {
    const auto what = flight_[index];
    if (!keep_copy) flight_.erase(flight_.begin() + static_cast<std::ptrdiff_t>(index));
    const auto before = world_.lock(name_);
    const bool applied = world_.applies(what.request);
    const auto after = world_.find(lock_key(name_));
    if (applied) check(what, before, after);
    auto& who = fronts_[what.owner];
    if (who.id != what.session || who.awaited != what.serial) return;
    who.awaited.reset();
    if (lose_answer) {
        unanswered(who);
    } else {
        answered(who, applied, world_.lock(name_));
    }
}

void lock_walk::check(const copy& what, const lock_row& before, const std::optional<item>& after) {
    const auto row = parse_lock_row(after ? &*after : nullptr).value();
    if (row.floor < before.floor) wrong_ = "the floor fell";
    if (row.holder && find(*after, attribute::time_to_live)) wrong_ = "a held row has a ttl";
    if (!row.holder || row.holder == before.holder) return;
    ++grants;
    if (before.holder && before.holder->session != row.holder->session) ++take_overs;
    if (row.token <= highest_token_) wrong_ = "a token did not rise";
    highest_token_ = std::max(highest_token_, row.token);
    const bool handed = before.holder && before.holder->session == row.holder->session;
    const bool dropped_head = what.request.values.contains(":head");
    if (!handed && !dropped_head && !before.line.empty() && !before.place_of(row.holder->session)) {
        wrong_ = "a newcomer went before the line";
    }
}

void lock_walk::check_holders() {
    const auto row = world_.lock(name_);
    for (const auto& who : fronts_) {
        if (who.now == phase::held && !row.held_by(who.id, who.held.attempt))
            wrong_ = "a valid holder is not in the row";
        if (row.holder && row.holder->session == who.id && who.over.contains(row.holder->attempt)) {
            wrong_ = "a closed claim holds the lock";
        }
    }
}

void lock_walk::answered(front& who, bool applied, const lock_row& row) {
    who.row = row;
    if (who.now == phase::want && applied && row.held_by(who.id, who.open->attempt)) {
        who.held = *who.open;
        who.open.reset();
        who.now = phase::held;
    } else if (who.now == phase::handing) {
        const auto next = applied ? hand_over_step::handed : decide_hand_over(row, who.id, who.held, *who.next);
        if (next == hand_over_step::handed) {
            who.over.insert(who.held.attempt);
            who.held = *who.next;
            who.now = phase::held;
        } else if (next == hand_over_step::claim_closed) {
            who.over.insert(who.next->attempt);
            who.next = new_claim(who);
        } else if (next == hand_over_step::lost) {
            wrong_ = "a held lock was lost";
        }
    } else if (who.now == phase::releasing) {
        who.over.insert(who.held.attempt);
        if (who.next) who.over.insert(who.next->attempt);
        who.next.reset();
        who.now = who.wants || row.place_of(who.id) ? phase::want : phase::idle;
    } else if (who.now == phase::resolving && applied) {
        who.closed = true;
    }
}

void lock_walk::unanswered(front& who) {
    who.unanswered = true;
    // What it may do next it must not decide by a row of before.
    if (who.now == phase::want) who.row = world_.lock(name_);
    if (who.now == phase::handing && !rules_.one_hand_over) who.next = new_claim(who);
}

void lock_walk::give_up(front& who) {
    const auto done = [&] {
        who.over.insert(who.open->attempt);
        who.open.reset();
        who.now = phase::idle;
    };
    auto next = decide_give_up({who.row, who.id, *who.open, who.sent, who.unanswered});
    if (next == give_up_step::resolve && !who.row.place_of(who.id)) {
        const bool other = who.row.holder && who.row.holder->session != who.id;
        if (!rules_.voids || (!rules_.voids_under_holder && other)) next = give_up_step::done;
    }
    if (next == give_up_step::audit && !rules_.audits) next = give_up_step::done;
    if (next == give_up_step::resolve) {
        who.closed = false;
        who.now = phase::resolving;
    } else if (next == give_up_step::done) {
        done();
    } else {
        who.now = phase::idle;  // the claim stays open, for the next to use
    }
}

void lock_walk::want(std::size_t index) {
    auto& who = fronts_[index];
    if (!who.open) {
        who.open = new_claim(who);
        who.sent = who.unanswered = false;
    }
    if (!who.wants) return give_up(who);
    if (!rules_.one_claim && chance(4)) {
        who.open = new_claim(who);
    }
    if (chance(2)) who.row = world_.lock(name_);
    auto holder = holder_is::alive;
    if (who.row.holder && over_sessions_.contains(who.row.holder->session)) holder = holder_is::over;
    auto next = decide_acquire({who.row, who.id, *who.open, who.waits, holder, chance(6)});
    if (next.step == acquire_step::granted) {
        who.held = *who.open;
        who.open.reset();
        who.now = phase::held;
        who.row = world_.lock(name_);
    } else if (next.step == acquire_step::claim_closed) {
        who.over.insert(who.open->attempt);
        who.open.reset();
    } else if (next.step == acquire_step::take || next.step == acquire_step::join) {
        who.sent = true;
        const auto requests = requests_of(who);
        send(index,
             next.step == acquire_step::take ? requests.take(*who.open, next.form, {}) : requests.join(*who.open));
    } else {
        who.row = world_.lock(name_);
        if (!who.waits) who.wants = false;
    }
}

void lock_walk::resolve(std::size_t index) {
    auto& who = fronts_[index];
    if (!who.closed && who.wants) {
        who.now = phase::want;
        return;
    }
    const auto requests = requests_of(who);
    const auto next = decide_resolve(who.row, who.id, *who.open, who.closed);
    switch (next.step) {
        case resolve_step::done:
            who.over.insert(who.open->attempt);
            who.open.reset();
            who.now = phase::idle;
            break;
        case resolve_step::release:
            who.held = *who.open;
            who.open.reset();
            who.now = phase::releasing;
            break;
        case resolve_step::leave_closed:
            send(index, requests.leave_closed(next.place));
            break;
        case resolve_step::leave:
            send(index, requests.leave(*who.open, next.place));
            break;
        case resolve_step::void_free:
            send(index, requests.void_free(*who.open, 4'000'000'000));
            break;
        case resolve_step::void_held:
            send(index, requests.void_held(*who.open));
            break;
    }
}

void lock_walk::step(std::size_t index) {
    auto& who = fronts_[index];
    if (who.awaited) {
        if (!calm_ && chance(4)) {  // no answer in time, though the request may still arrive
            who.awaited.reset();
            unanswered(who);
        }
        return;
    }
    if (calm_) who.wants = false;
    switch (who.now) {
        case phase::idle:
            if (!calm_ && chance(2)) {
                who.wants = true;
                who.waits = chance(2);
                who.now = phase::want;
            } else if (who.open && !in_flight(who)) {
                // The audit: no copy can land any more, so one look tells for good.
                who.row = world_.lock(name_);
                const bool mine = who.row.held_by(who.id, who.open->attempt);
                if (mine) who.held = *who.open;
                if (!mine && who.row.place_of(who.id)) {
                    // A late copy of a join landed.
                    who.closed = false;
                    who.now = phase::resolving;
                    break;
                }
                if (!mine) who.over.insert(who.open->attempt);
                who.open.reset();
                if (mine) who.now = phase::releasing;
            }
            break;
        case phase::want:
            if (chance(5)) who.wants = false;
            want(index);
            break;
        case phase::held:
            who.wants = chance(2) && !calm_;
            who.waits = true;
            who.hand_sent = false;
            who.next.reset();
            if (who.wants) who.next = new_claim(who);
            who.now = who.wants ? phase::handing : phase::releasing;
            break;
        case phase::handing:
            if (calm_ || chance(4)) {
                if (!who.hand_sent || !rules_.names_both) {
                    who.over.insert(who.next->attempt);
                    who.next.reset();
                }
                who.wants = false;
                who.now = phase::releasing;
            } else {
                who.hand_sent = true;
                send(index, requests_of(who).hand_over(who.held, *who.next, {}));
            }
            break;
        case phase::releasing: {
            const bool rejoin = who.wants && who.waits && !who.row.line.empty();
            send(index, requests_of(who).release(who.held, who.next, rejoin, 4'000'000'000));
            break;
        }
        case phase::resolving:
            resolve(index);
            break;
    }
}

void lock_walk::come_to_rest() {
    calm_ = true;
    const auto busy = [&] {
        return !flight_.empty() || std::any_of(fronts_.begin(), fronts_.end(), [](const front& f) {
            return f.now != phase::idle || f.open || f.awaited;
        });
    };
    for (unsigned round = 0; round < 200 && busy() && wrong_.empty(); ++round) {
        while (!flight_.empty()) deliver(random_() % flight_.size(), false, false);
        for (std::size_t i = 0; i < fronts_.size(); ++i) step(i);
        check_holders();
    }
    if (!wrong_.empty()) return;
    if (busy()) wrong_ = "it does not come to rest";
    const auto row = world_.lock(name_);
    for (const auto& who : fronts_) {
        if (row.place_of(who.id)) wrong_ = "a ghost stands in the line";
        if (row.holder && row.holder->session == who.id) wrong_ = "a ghost holds the lock";
    }
}

std::string lock_walk::run(unsigned steps) {
    for (unsigned i = 0; i < steps && wrong_.empty(); ++i) {
        if (!flight_.empty() && chance(3)) {
            deliver(random_() % flight_.size(), chance(4), chance(3));
            if (flight_.size() > 10) {
                const auto victim = random_() % flight_.size();
                auto& owner = fronts_[flight_[victim].owner];
                if (owner.awaited == flight_[victim].serial) {
                    owner.awaited.reset();
                    unanswered(owner);
                }
                flight_.erase(flight_.begin() + static_cast<std::ptrdiff_t>(victim));
            }
        } else if (chance(60)) {
            auto& lost = fronts_[random_() % fronts_.size()];
            over_sessions_.insert(lost.id);
            renew(lost);
        } else {
            step(random_() % fronts_.size());
        }
        check_holders();
    }
    if (wrong_.empty()) come_to_rest();
    return wrong_;
}

}  // namespace dynalease::protocol::test
