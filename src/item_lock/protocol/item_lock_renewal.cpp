// A plain session's grant: kept alive by writes to its own item, and over when they stay without answer.
// SPDX-License-Identifier: BSL-1.0
#include "item_lock/item_lock_impl.hpp"

#include "database/protocol/backoff.hpp"
#include "runtime/cancellation.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace dynalease::detail {

using protocol::item_access;

void item_lock_impl::kept(dynalease::time_point sent) {
    if (!core_.plain()) return;
    kept_since_ = sent;
    for (const auto& each : holds_) {
        if (const auto hold = each.lock()) tell_end(*hold);
    }
}

void item_lock_impl::kept_on(dynalease::time_point sent) {
    if (grant_lives()) kept(sent);
}

void item_lock_impl::tell_end(item_hold& hold) const {
    const auto& [times, renew] = *core_.plain();
    hold.keep(grant_.id.attempt, renew ? kept_since_ + times.jeopardy : grant_end(), grant_end());
}

/// Not beside a write of the guard's owner, which does as much for the grant, or which must first be resolved.
bool item_lock_impl::may_renew() const {
    bool held = false;
    for (const auto& each : holds_) {
        const auto hold = each.lock();
        // One that has been let go and is still here is being committed with others, by what the item shows now.
        if (hold && hold->state() == guard_state::released) return false;
        if (!hold || !hold->valid()) continue;
        if (hold->write != item_hold::writing::nothing) return false;
        held = true;
    }
    return held;
}

bool item_lock_impl::holds(const protocol::item_grant& held) const {
    return phase_ == phase::held && grant_.id == held.id && grant_.access == held.access;
}

boost::asio::awaitable<void> item_lock_impl::keep([[maybe_unused]] item_target self) {
    // Whoever made the grant serves it after the call.
    co_await boost::asio::post(core_.world().executor, boost::asio::deferred);
    const auto& [times, renews] = *core_.plain();
    keeper_.emplace(core_.world());
    while (phase_ == phase::held && core_.may_write()) {
        if (!grant_lives()) {
            run_out();
            break;
        }
        auto next = grant_end();
        if (renews) {
            const auto due = kept_since_ + times.period;
            const bool is_due = core_.now() >= due;
            if (is_due && may_renew()) {
                co_await renew();
                continue;
            }
            next = std::min(next, is_due ? core_.now() + times.beat_limit : due);
        }
        co_await keeper_->wait_until(next);
    }
    keeper_.reset();
    kept_ = false;
}

boost::asio::awaitable<void> item_lock_impl::renew() {
    renewing_ = true;
    const auto held = grant_;
    bool ours = true;
    if (held.access == item_access::exclusive) {
        ours = co_await extend(held);
    } else {
        ours = co_await succeed(held);
    }
    renewing_ = false;
    renewed_.complete_all({});
    if (ours) co_return;
    lose_holds();
    end_grant();
    rest();
    if (phase_ == phase::wanting) drive();
}

/// @returns false if the grant is lost.
boost::asio::awaitable<bool> item_lock_impl::extend(const protocol::item_grant& held) {
    const auto sent = core_.now();
    auto request = requests().extend(held);
    auto seen = co_await send_while_held(std::move(request), held);
    if (!holds(held) || !was_answered(seen.kind)) co_return true;
    if (seen.kind == answer::refused) {
        const auto step = protocol::decide_guarded(seen.lock, core_.id(), held);
        if (step != protocol::guarded_step::applied) co_return false;
    }
    ++grant_.step;
    kept_on(sent);
    co_return true;
}

/// @returns false if the grant is lost.
boost::asio::awaitable<bool> item_lock_impl::succeed(const protocol::item_grant& held) {
    const auto sent = core_.now();
    const auto attempt = core_.next_attempt();
    const auto former = protocol::reader_text(core_.id(), held.id.attempt);
    // Whatever becomes of the request, a release takes both entries away.
    grant_.ghosts.push_back(protocol::reader_text(core_.id(), attempt));
    auto request = requests().succeed(held, attempt);
    auto seen = co_await send_while_held(std::move(request), held);
    if (!holds(held) || !was_answered(seen.kind)) co_return true;
    if (seen.kind == answer::refused && !seen.lock.held_by(core_.id(), attempt)) co_return false;
    grant_.id.attempt = attempt;
    grant_.ghosts.pop_back();
    grant_.ghosts.insert(grant_.ghosts.begin(), former);
    kept_on(sent);

    const auto now_held = grant_;
    request = requests().reap(now_held.ghosts);
    seen = co_await send_while_held(std::move(request), now_held);
    if (was_answered(seen.kind) && holds(now_held)) grant_.ghosts.clear();
    co_return true;
}

/// Copies of one request until one is answered, or the grant is over: then the answer is `delayed`.
boost::asio::awaitable<item_lock_impl::sighting> item_lock_impl::send_while_held(update_item_request request,
                                                                                 const protocol::item_grant& held) {
    for (unsigned failures = 0; core_.may_write() && holds(held) && grant_lives(); ++failures) {
        // The end of the grant is told when it comes, whether or not an answer is still awaited.
        const std::chrono::nanoseconds left = grant_end() - core_.now();
        const auto limit = std::min<std::chrono::nanoseconds>(core_.plain()->times.beat_limit, left);
        auto copy = request;
        const call_options lane{.timeout = limit, .attempt_timeout = limit, .attempts = 1, .lane = lane::heartbeat};
        ++core_.counters().heartbeats_sent;
        auto seen = co_await send(std::move(copy), lane);
        if (was_answered(seen.kind)) {
            ++core_.counters().heartbeats_acknowledged;
            co_return seen;
        }
        ++core_.counters().heartbeats_unanswered;
        core_.log(severity::warning, "item '" + name_ + "': a renewal failed: " + seen.why->code.message());
        co_await keeper_->wait_until(std::min(grant_end(), core_.now() + retry_pause(failures)));
    }
    co_return sighting{};
}

boost::asio::awaitable<bool> item_lock_impl::between_renewals(std::shared_ptr<item_hold> hold) {
    for (;;) {
        // Then the write that follows is not sent.
        const bool cancelled = co_await runtime::cancellation_requested();
        if (!renewing_ || cancelled) break;
        co_await renewed_.async_wait(boost::asio::as_tuple(boost::asio::deferred));
    }
    co_return !core_.plain() || std::ranges::any_of(holds_, [&](const auto& each) { return each.lock() == hold; });
}

/// The intent of a writer that waits lives by its text, as a grant does.
bool item_lock_impl::intent_must_show_life(const protocol::item_lock_state& lock) const {
    return core_.plain() && lock.intended_by(core_.id()) &&
           core_.now() >= claim_->intended_at + core_.plain()->times.period;
}

void item_lock_impl::lose_holds() {
    for (const auto& each : std::exchange(holds_, {})) {
        --core_.counters().leases_held;
        const auto hold = each.lock();
        if (hold && hold->lose()) ++core_.counters().lost;
    }
}

/// The grant's own time is up. What stands in the item is given back all the same: others would have to wait for it.
void item_lock_impl::run_out() {
    core_.log(severity::error, "item '" + name_ + "': lost: no write under it was acknowledged for a whole lease");
    lose_holds();
    end_grant();
    phase_ = phase::giving_back;
    drive();
}

}  // namespace dynalease::detail
