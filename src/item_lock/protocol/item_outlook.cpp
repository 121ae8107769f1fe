// What a process knows of the others who want an item, and when it pays to look again.
// SPDX-License-Identifier: BSL-1.0
#include "item_lock/protocol/item_outlook.hpp"

#include "item_lock/protocol/item_lock_decisions.hpp"
#include "session/protocol/plain_identity.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace dynalease::protocol {

void item_outlook::begin_wait() {
    looks_ = 0;
    passed_over_ = 0;
    last_writer_.clear();
}

void item_outlook::note(const item_lock_state& lock, time_point sent) {
    if (!lock.exists) return;
    others_intend_ = lock.intent && lock.intent->session != session_.id();
    if (!others_intend_) open_at_ = std::max(open_at_, sent);
}

void item_outlook::note_holder(const item_lock_state& lock) {
    const auto* first = lock.writer ? &*lock.writer : nullptr;
    if (!first && !lock.readers.empty()) first = &lock.readers.front();
    if (!first) {
        holder_.reset();
        return;
    }
    const bool same = holder_ && holder_->session == first->session && (holder_->readers == 0) == bool(lock.writer);
    if (!same) holder_ = item_holder{.session = first->session, .since = session_.now()};
    holder_->readers = lock.readers.size();
    holder_->last_seen = session_.now();
}

void item_outlook::study(const item_lock_state& lock) {
    claimants_.sight(lock, session_.now());
    in_transaction_ = lock.in_transaction;
    note_holder(lock);
    if (lock.writer) {
        auto writer = reader_text(lock.writer->session, lock.writer->attempt);
        if (!last_writer_.empty() && writer != last_writer_) ++passed_over_;
        last_writer_ = std::move(writer);
    }
    std::string shown = lock.writer ? lock.writer->text : std::string();
    for (const auto& reader : lock.readers) shown += " " + reader.text;
    if (lock.intent) shown += "|" + lock.intent->text;
    if (shown == shown_) return;
    shown_ = std::move(shown);
    shown_since_ = session_.now();
    looks_ = 0;
}

void item_outlook::forget_intent(time_point sent) {
    others_intend_ = false;
    open_at_ = std::max(open_at_, sent);
}

bool item_outlook::insists() const noexcept {
    return passed_over_ >= passed_over_often;
}

bool item_outlook::readers_may_join() const {
    return !others_intend_ && session_.now() < open_at_ + std::max(join_unseen, affordable_rest());
}

holder_is item_outlook::judge(const item_claimant& who, bool waits, std::optional<time_point> asked_since) {
    if (is_plain(who.session)) return claimants_.judge(who, session_.now());
    // Which table would tell of a session that has a row?
    if (session_.plain()) return holder_is::alive;
    const auto& watch = session_.watch(who.session);
    if (watch.over()) return holder_is::over;
    if (!waits && !watch.looked_at()) return holder_is::not_known;
    if (asked_since && watch.last_look() < *asked_since) return holder_is::not_known;
    const bool due = session_.now() >= watch.next_look(shown_since_, 1);
    return due ? holder_is::not_known : holder_is::alive;
}

std::chrono::nanoseconds item_outlook::time_to_next_look(const item_lock_state& lock) {
    constexpr double spread = 0.2;
    const auto longest = std::chrono::duration<double>(longest_);
    const std::chrono::duration<double> first = shortest_;
    const auto grown = std::min(longest, first * std::pow(1.5, std::min(looks_++, 32U)));
    auto interval =
        std::chrono::duration_cast<std::chrono::nanoseconds>(grown * (1 - spread + 2 * spread * session_.unit()));
    interval = std::max(interval, affordable_rest());
    const auto until = [&](time_point end) {
        const auto left = end - session_.now();
        if (left > std::chrono::nanoseconds::zero()) interval = std::min(interval, left);
    };
    // The intent of a plain session lives by its text.
    if (const auto* plain = session_.plain(); plain && lock.intended_by(session_.id())) {
        interval = std::min(interval, plain->times.period);
    }
    const auto plain_end = claimants_.next_end();
    if (plain_end) until(*plain_end);
    if (lock.writer && !lock.writer->session.empty() && !is_plain(lock.writer->session)) {
        const auto& watch = session_.watch(lock.writer->session);
        if (watch.looked_at()) until(watch.lease_end());
    }
    return interval;
}

bool item_outlook::lives(const item_claimant& who, time_point since) {
    // Of another make, or beyond what we can look at: they are never taken over.
    if (who.session.empty() || (session_.plain() && !is_plain(who.session))) return true;
    // A plain session's text would have changed.
    if (is_plain(who.session)) return !plain_lease(who.session);
    const auto seen = session_.watch(who.session).seen_alive();
    return seen && *seen >= since;
}

item_fate item_outlook::fate(const item_lock_state& lock, const item_question& asked) {
    const auto others = in_the_way(lock, session_.id(), asked.access, asked.most_readers);
    if (!inquiry_ || !inquiry_->is_of(asked)) inquiry_.emplace(asked, others);
    if (inquiry_->acted(lock, others)) return item_fate::settled;
    for (const auto& who : others) {
        if (judge(who, false, asked.since) == holder_is::over) {
            inquiry_->note_over(who);
        } else if (lives(who, asked.since)) {
            return item_fate::settled;
        }
    }
    return item_fate::unknown;
}

std::chrono::nanoseconds item_outlook::time_to_next_look(const item_lock_state& lock,
                                                         const std::optional<item_question>& asked) {
    if (!asked) return time_to_next_look(lock);
    std::optional<time_point> next;
    for (const auto& who : in_the_way(lock, session_.id(), asked->access, asked->most_readers)) {
        auto due = claimants_.next_look(who, session_.now());
        if (!is_plain(who.session)) {
            const auto& watch = session_.watch(who.session);
            if (!watch.over()) due = watch.next_look(shown_since_, 1);
        }
        if (due) next = next ? std::min(*next, *due) : *due;
    }
    return next ? std::max(*next - session_.now(), affordable_rest()) : time_to_next_look(lock);
}

std::chrono::nanoseconds item_outlook::affordable_rest() const {
    const std::chrono::duration<double> rest(look_units_ / read_units_per_second);
    return std::chrono::duration_cast<std::chrono::nanoseconds>(rest);
}

}  // namespace dynalease::protocol
