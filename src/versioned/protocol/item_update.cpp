// The tries of an update, and what it waits for between them.
// SPDX-License-Identifier: BSL-1.0
#include "versioned/protocol/item_update.hpp"

#include "database/protocol/backoff.hpp"
#include "database/protocol/reply.hpp"
#include "item/protocol/item_state.hpp"

#include <string>
#include <utility>

namespace dynalease::protocol {

namespace {

bool is_overtaken(const failure& why, bool creates) {
    return why.code == errc::conflict || why.code == errc::exists || (why.code == errc::missing && creates);
}

/// Who is in the way of the update; empty: nobody.
std::string holder_of(const update_terms& terms, const std::optional<visible_item>& seen) {
    const bool held = seen && !seen->gone && (!terms.ignore_lock || seen->mark);
    return held ? seen->holder : std::string();
}

/// For an update that gives up.
std::string advice_of_overtaken(unsigned tries) {
    return "the update was overtaken at each of its " + std::to_string(tries) +
           " tries; allow it more tries or a longer wait, or the item's lock (update_options::promote)";
}

}  // namespace

sequence<void> item_update::run() {
    auto seen = co_await look(terms_.consistent);
    // An eventually consistent read may not know yet of an item that is there.
    const bool unknown = seen && (!*seen || (*seen)->missing());
    if (unknown && !terms_.consistent) seen = co_await look(true);
    if (!seen) {
        end_.why = std::move(seen).error();
        co_return;
    }
    end_.facts.holder = holder_of(terms_, *seen);
    stored_ = stored_in(*std::move(seen));
    mine_ = process_.new_stamp();
    // Whether there is an item will be known when the transaction that inserts it is over.
    if (!stored_ && !end_.facts.holder.empty()) {
        co_await wait_behind_lock();
        if (given_up_) {
            give_up(*std::move(given_up_));
            co_return;
        }
        stored_ = std::move(end_.facts.current);
    }
    co_await try_on();
}

sequence<void> item_update::run_without_item() {
    promotes_ = false;
    stored_.reset();
    return try_on();
}

sequence<void> item_update::try_on() {
    for (;;) {
        end_ = {};
        if (!stored_ && !terms_.create) {
            end_.why = failure(errc::missing);
            co_return;
        }
        auto next = change_(stored_, mine_);
        if (!next.write) {
            end_ = std::move(next.end);
            co_return;
        }
        last_ = std::move(next.write);
        co_await write_item(process_, steps_, terms_.patience, *last_, end_);
        if (!end_.why) co_return;
        const bool held = end_.why->code == errc::locked;
        const bool overtaken = is_overtaken(*end_.why, terms_.create);
        if (!held && !overtaken) co_return;
        // Behind a lock the state stays, and with it the stamp: should a copy that the network made of the refused
        // write land when the lock goes, the next try knows it for its own. So it is where a map is gone.
        const bool same = stored_ && end_.facts.current && end_.facts.current->state == stored_->state;
        if (overtaken && !same) mine_ = process_.new_stamp();
        // Only what is there can be locked.
        promotes_ = terms_.promotes_after > 0 && end_.facts.current && (held || tries_ >= terms_.promotes_after);
        if (promotes_) co_return;
        if (overtaken) end_.why->details.advice = advice_of_overtaken(tries_);
        if (overtaken && tries_ >= terms_.tries) co_return;

        if (held) {
            co_await behind_lock();
            if (!end_.why) co_return;
        } else {
            // From nothing on: rivals part soonest.
            const auto pause = conflict_pause(++tries_) * process_.unit();
            const auto when = process_.now() + std::chrono::duration_cast<std::chrono::nanoseconds>(pause);
            co_await sleep_until(when, *end_.why);
        }
        if (given_up_) {
            give_up(*std::move(given_up_));
            co_return;
        }
        // What a conflict has brought, or the last look.
        stored_ = std::move(end_.facts.current);
    }
}

/// Until the next try; or it has ended, for a copy of the refused write, made by the network, has landed when the lock
/// went.
sequence<void> item_update::behind_lock() {
    const auto met = end_.facts.current;
    co_await wait_behind_lock();
    const auto& now = end_.facts.current;
    if (!given_up_ && now && remembers(now->state, mine_)) {
        write_outcome landed;
        landed.facts.superseded = now->state.stamp != mine_;
        landed.facts.saved = now;
        end_ = std::move(landed);
        co_return;
    }
    const bool same = met && now ? now->state == met->state : !met && !now;
    if (!same) mine_ = process_.new_stamp();
}

/// Behind a lock, or a transaction. It looks: a write that is refused costs as much as one that is done, and is in the
/// holder's way. What is there once nobody holds it, or the item shows our write, is told as the end of that one.
sequence<void> item_update::wait_behind_lock() {
    auto& met = end_.facts;
    for (unsigned looks = 0;;) {
        const auto next = process_.now() + detail::retry_pause(looks++, process_.unit());
        auto locked = held_by(met.holder);
        locked.details.message += ", for as long as the update may wait (update_options::wait)";
        co_await sleep_until(next, std::move(locked));
        if (given_up_) co_return;
        auto seen = co_await look(true);
        if (!seen) {
            if (detail::classify(seen.error()) != detail::answer::rejected) continue;
            given_up_ = std::move(seen).error();
            co_return;
        }
        met.holder = holder_of(terms_, *seen);
        met.current = stored_in(*std::move(seen));
        met.found.reset();
        if (met.current) met.found = met.current->state.version;
        if (met.current && remembers(met.current->state, mine_)) co_return;
        if (met.holder.empty()) co_return;
    }
}

/// Gives up where that is beyond the deadline, or the caller goes.
sequence<void> item_update::sleep_until(time_point when, failure late) {
    if (process_.cancelled()) {
        given_up_ = failure(errc::cancelled);
    } else if (when > terms_.deadline) {
        given_up_ = std::move(late);
    } else {
        pause_step rest{when - process_.now()};
        co_await asking<pause_step>(steps_, rest);
        if (process_.cancelled()) given_up_ = failure(errc::cancelled);
    }
}

sequence<result<std::optional<visible_item>>> item_update::look(bool consistent) {
    read_step looks{.request = version_requests(layout_).look(terms_.key, consistent)};
    auto read = co_await asking<read_step>(steps_, std::move(looks));
    if (!read.answer) co_return std::move(read.answer).error();
    co_return visible_in(layout_, std::move(read.answer->found));
}

void item_update::give_up(failure why) {
    if (why.code == errc::cancelled) end_ = {};
    end_.why = std::move(why);
}

}  // namespace dynalease::protocol
