// A plain session's grant: kept alive by writes to its own item, and over when they stay without answer.
// SPDX-License-Identifier: BSL-1.0
#include "database/protocol/backoff.hpp"
#include "item_lock/protocol/item_lock_sequences.hpp"
#include "session/protocol/session_words.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace dynalease::protocol {

using detail::answer;
using phase = item_lock_claimant::phase;

namespace {

asking<pause_step> pause_until(item_lock_claimant& lock, stepper& steps, time_point when) {
    return lock.pause(steps, when - lock.session.now());
}

/// Copies of one request until one is answered, or the grant is over: then the answer is `delayed`.
sequence<item_reply> send_while_held(item_lock_claimant& lock, stepper& steps, update_item_request request,
                                     const item_grant& held) {
    auto& session = lock.session;
    for (unsigned failures = 0; session.may_write() && lock.holds(held) && lock.grant_lives(); ++failures) {
        // The end of the grant is told when it comes, whether or not an answer is still awaited.
        const std::chrono::nanoseconds left = lock.grant_end() - session.now();
        auto copy = request;
        ++session.counters().heartbeats_sent;
        auto seen = co_await lock.send(steps, std::move(copy), std::min(session.plain()->times.beat_limit, left));
        if (was_answered(seen.kind)) {
            ++session.counters().heartbeats_acknowledged;
            co_return seen;
        }
        ++session.counters().heartbeats_unanswered;
        if (failures == 0) {
            const auto miss = words_of_miss("a renewal", *seen.why, lock.grant_end() - session.now());
            session.log(severity::warning, "item '" + lock.name + "': " + miss);
        }
        const auto next = std::min(lock.grant_end(), session.now() + detail::retry_pause(failures, session.unit()));
        co_await pause_until(lock, steps, next);
    }
    co_return item_reply{};
}

/// @returns false if the grant is lost.
sequence<bool> extend(item_lock_claimant& lock, stepper& steps, item_grant held) {
    const auto sent = lock.session.now();
    auto request = lock.requests().extend(held);
    auto seen = co_await send_while_held(lock, steps, std::move(request), held);
    if (!lock.holds(held) || !was_answered(seen.kind)) co_return true;
    if (seen.kind == answer::refused) {
        const auto is = decide_guarded(seen.lock, lock.session.id(), held);
        if (is != guarded_step::applied) co_return false;
    }
    ++lock.grant.held.step;
    lock.kept_on(sent);
    co_return true;
}

/// @returns false if the grant is lost.
sequence<bool> succeed(item_lock_claimant& lock, stepper& steps, item_grant held) {
    auto& session = lock.session;
    auto& ghosts = lock.grant.held.ghosts;
    const auto sent = session.now();
    const auto attempt = session.next_attempt();
    const auto former = reader_text(session.id(), held.id.attempt);
    // Whatever becomes of the request, a release takes both entries away.
    ghosts.push_back(reader_text(session.id(), attempt));
    auto request = lock.requests().succeed(held, attempt);
    auto seen = co_await send_while_held(lock, steps, std::move(request), held);
    if (!lock.holds(held) || !was_answered(seen.kind)) co_return true;
    if (seen.kind == answer::refused && !seen.lock.held_by(session.id(), attempt)) co_return false;
    lock.grant.held.id.attempt = attempt;
    ghosts.pop_back();
    ghosts.insert(ghosts.begin(), former);
    lock.kept_on(sent);

    const auto now_held = lock.grant.held;
    request = lock.requests().reap(now_held.ghosts);
    seen = co_await send_while_held(lock, steps, std::move(request), now_held);
    if (was_answered(seen.kind) && lock.holds(now_held)) ghosts.clear();
    co_return true;
}

sequence<void> renew(item_lock_claimant& lock, stepper& steps) {
    bool ours = true;
    if (lock.grant.held.access == item_access::exclusive) {
        ours = co_await extend(lock, steps, lock.grant.held);
    } else {
        ours = co_await succeed(lock, steps, lock.grant.held);
    }
    lock.callers.end_renewal();
    if (ours) co_return;
    lock.lose_grant();
    lock.rest();
}

/// The grant's own time is up. What stands in the item is given back all the same: others would have to wait for it.
void run_out(item_lock_claimant& lock) {
    lock.session.log(severity::error,
                     "item '" + lock.name + "': lost: no write under it was acknowledged for a whole lease");
    lock.lose_grant();
    lock.now = phase::giving_back;
}

}  // namespace

sequence<void> keep_grant(item_lock_claimant& lock, stepper& steps) {
    auto& session = lock.session;
    const auto& [times, renews] = *session.plain();
    while (lock.now == phase::held && session.may_write()) {
        if (!lock.grant_lives()) {
            run_out(lock);
            break;
        }
        auto next = lock.grant_end();
        if (renews) {
            const auto due = lock.grant.kept_since + times.period;
            const bool is_due = session.now() >= due;
            if (is_due && lock.callers.begin_renewal()) {
                co_await renew(lock, steps);
                continue;
            }
            next = std::min(next, is_due ? session.now() + times.beat_limit : due);
        }
        co_await pause_until(lock, steps, next);
    }
}

}  // namespace dynalease::protocol
