// The public handles of a lock by the wall clock.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/wall_clock_lock.hpp>

#include "database/called_verb.hpp"
#include "database/protocol/backoff.hpp"
#include "runtime/alarm.hpp"
#include "runtime/cancellation.hpp"
#include "session/asking.hpp"
#include "session/guard_verbs.hpp"
#include "wall_clock_lock/wall_clock_hold.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dynalease {

namespace {

using boost::asio::awaitable;
using detail::answer;
using detail::wall_clock_hold;
using detail::wall_clock_impl;

struct wall_clock_wish {
    std::shared_ptr<wall_clock_impl> core;
    item_acquire_options options;
    bool tries;
    const runtime::own_process process{};  ///< in which it was asked for
    std::vector<protocol::wall_clock_claim> unanswered{};
    bool doubtful = false;  ///< one of them may have landed since the item was last seen
    /// The moment of a claim that was refused for this very moment, as long as it stands in the item: another may have
    /// drawn the same, or the network has repeated the claim, and told how the copy fared.
    std::string perhaps_ours{};

    bool in_doubt() const { return doubtful || !perhaps_ours.empty(); }
};

struct wall_clock_try {
    answer met = answer::delayed;
    wall_clock_guard guard{};
    std::optional<failure> why{};
    std::string others_since{};  ///< as the item says
};

void remember_claim(wall_clock_wish& wish, const protocol::wall_clock_claim& claim) {
    constexpr std::size_t most = 100;  // what a condition takes
    if (wish.unanswered.size() == most) wish.unanswered.erase(wish.unanswered.begin());
    wish.unanswered.push_back(claim);
    wish.doubtful = true;
}

/// One copy of the write, with a moment of its own.
awaitable<wall_clock_try> try_once(std::shared_ptr<wall_clock_wish> wish, time_point limit) {
    const auto core = wish->core;
    const auto& world = core->world();
    // Before the moment: should the process stand still between the two, we believe for a shorter time, not a longer.
    const auto sent = core->now();
    const auto wall = core->wall();
    const protocol::wall_clock_claim claim{.mine = protocol::wall_moment_of(wall, world.random->unit()), .sent = sent};
    const auto overdue = wall - std::chrono::duration_cast<std::chrono::microseconds>(core->times().overdue);
    auto request = protocol::wall_clock_take(core->place(), claim.mine, overdue);
    auto seen = co_await core->send(std::move(request), {limit, wish->process});

    wall_clock_try done{.met = seen.kind};
    // Refused in doubt: a copy that the client itself had sent before may be what locked the item, or may do it yet.
    if (seen.kind == answer::unanswered || seen.doubtful) remember_claim(*wish, claim);
    if (detail::was_answered(seen.kind) && !seen.doubtful) wish->doubtful = false;
    const bool repeated = seen.kind == answer::refused && seen.lock.text == protocol::wall_text(claim.mine);
    if (repeated && !seen.doubtful) wish->perhaps_ours = seen.lock.text;
    if (detail::was_answered(seen.kind) && seen.lock.text != wish->perhaps_ours) wish->perhaps_ours.clear();
    if (seen.kind == answer::applied) {
        auto hold = std::make_shared<wall_clock_hold>(core, claim);
        hold->known = std::move(seen.whole);
        done.guard = wall_clock_hold::make_guard(std::move(hold));
    } else if (seen.kind == answer::refused) {
        const auto landed = protocol::wall_clock_claim_in(seen.lock, wish->unanswered);
        if (landed) {
            auto hold = std::make_shared<wall_clock_hold>(core, *landed);
            hold->known = *std::move(seen.why.current);
            done.guard = wall_clock_hold::make_guard(std::move(hold));
        } else if (!seen.lock.exists) {
            done.why = failure(errc::missing);
            done.why->details.message = "there is no item of that key to lock";
        } else {
            done.others_since = seen.lock.text;
        }
    } else {
        done.why = std::move(seen.why);
    }
    co_return done;
}

awaitable<runtime::completion<wall_clock_guard>> run_wall_acquire(std::shared_ptr<wall_clock_wish> wish,
                                                                  detail::asked_by by) {
    auto& core = *wish->core;
    runtime::completion<wall_clock_guard> done;
    if (wish->options.wait == until_known) {
        failure fault(errc::invalid_option);
        fault.details.message = "until_known is no time to wait here: nothing shows whether the holder lives";
        done.code = detail::report(fault, by.details);
        co_return done;
    }
    const auto begun = core.now();
    const bool once = wish->tries || (wish->options.wait && wish->options.wait->count() <= 0);
    const auto longest = time_point::max() - begun;
    auto deadline = wish->options.wait ? begun + std::min(*wish->options.wait, longest) : time_point::max();
    if (once) deadline = begun + core.times().hold;
    auto interval = core.options().poll_interval;
    unsigned failures = 0;
    unsigned requests = 0;
    for (;;) {
        // An answer that took longer than the lock lasts leaves nothing to hold; the guard's end gives it back.
        auto tried = co_await try_once(wish, std::min(deadline, core.now() + core.times().hold));
        by.note_requests(++requests);
        if (tried.guard.held()) {
            done.value = std::move(tried.guard);
            co_return done;
        }
        const bool too_late = static_cast<bool>(tried.guard);
        tried.guard = {};
        const bool answered = detail::was_answered(tried.met);
        if (wish->tries && answered && !tried.why && !too_late && !wish->in_doubt()) {
            failure others(errc::wait_timeout);
            others.details.attempts = requests;
            others.details.message = "others hold it";
            if (!tried.others_since.empty()) others.details.message += ", as the item says since " + tried.others_since;
            detail::report(others, by.details);
            co_return done;
        }
        auto why = std::move(tried.why);
        const bool passes = tried.met == answer::unanswered || tried.met == answer::delayed;
        if (passes && core.now() < deadline) why.reset();
        if (!why && once && answered) why = failure(errc::wait_timeout);
        if (!why) {
            // Not in step with the others that wait.
            const auto spread = interval * (0.8 + 0.4 * core.world().random->unit());
            auto next = core.now() + std::chrono::duration_cast<std::chrono::nanoseconds>(spread);
            if (answered) {
                interval = std::min(core.options().longest_poll_interval, interval * 3 / 2);
                failures = 0;
            } else {
                next = core.now() + detail::retry_pause(failures++, core.world().random->unit());
            }
            runtime::alarm pause(core.world());
            co_await pause.wait_until(std::min(deadline, next));
            const bool cancelled = co_await runtime::cancellation_requested();
            // A last claim that has no time for its answer would but leave doubt.
            if (core.now() >= deadline) why = failure(errc::wait_timeout);
            if (cancelled) why = failure(errc::cancelled);
        }
        // The lock is the parent's, or nobody's yet.
        const bool in_child = wish->process.in_child();
        if (in_child) {
            done.code = make_error_code(errc::shut_down);
            co_return done;
        }
        if (why) {
            // What only may be ours is not taken back: it would be another's lock that we free.
            if (wish->doubtful) core.take_back_in_background(wish->unanswered, wish->process);
            if (wish->in_doubt()) why = failure(errc::in_doubt);
            if (why->details.attempts == 0) why->details.attempts = requests;
            done.code = detail::report(*why, by.details);
            co_return done;
        }
    }
}

struct wall_clock_update {
    std::shared_ptr<wall_clock_hold> hold;
    update_expression change;
    condition_expression condition;
};

awaitable<runtime::completion<dynalease::item>> run_wall_update(wall_clock_update what, diagnostics* details) {
    auto end = co_await what.hold->change(std::move(what.change), std::move(what.condition));
    runtime::completion<dynalease::item> done;
    if (end.why) {
        done.code = detail::report(*end.why, details);
    } else {
        done.value = std::move(end.left);
    }
    co_return done;
}

awaitable<runtime::completion<void>> run_wall_release(std::shared_ptr<wall_clock_hold> hold) {
    const auto code = co_await hold->wait_given_back();
    co_return runtime::completion<void>{code};
}

}  // namespace

// ---- guard -------------------------------------------------------------------------------------------------------

bool wall_clock_guard::held() const noexcept {
    return state() == guard_state::held;
}
guard_state wall_clock_guard::state() const noexcept {
    return hold_ ? hold_->state() : guard_state::empty;
}
std::chrono::nanoseconds wall_clock_guard::time_left() const noexcept {
    return hold_ ? hold_->time_left() : std::chrono::nanoseconds::zero();
}
const dynalease::item& wall_clock_guard::item() const noexcept {
    static const dynalease::item none;
    return hold_ ? hold_->known : none;
}

boost::asio::any_io_executor wall_clock_guard::executor() const {
    return detail::executor_of(hold_.share());
}

void wall_clock_guard::update_verb::operator()(diagnostics* details, detail::handler_for<dynalease::item> handler) && {
    wall_clock_update what{hold, std::move(change), std::move(condition)};
    detail::start_guard_verb<dynalease::item>(hold, {details, "wall_clock_guard.update"},
                                              run_wall_update(std::move(what), details), std::move(handler));
}

void wall_clock_guard::release_verb::operator()(diagnostics* details, detail::handler_for<void> handler) && {
    detail::called_verb called{details, "wall_clock_guard.release"};
    if (!hold) {
        detail::answer_at_once<void>(called, detail::empty_guard(), std::move(handler));
        return;
    }
    // Invalid from the call on, on whatever thread that is.
    const bool was_lost = hold->state() == guard_state::lost;
    if (hold->let_go()) {
        hold->give_back_soon();
        called.given_up = errc::in_doubt;  // it goes on
        detail::start_guard_verb<void>(hold, std::move(called), run_wall_release(hold), std::move(handler));
    } else {
        const auto code = was_lost ? errc::lock_lost : errc::not_held;
        detail::start_guard_verb<void>(hold, std::move(called), detail::answer_with(code), std::move(handler));
    }
}

boost::asio::awaitable<dynalease::item> wall_clock_guard::update(update_expression change,
                                                                 condition_expression condition) {
    return detail::await_verb<dynalease::item>(executor(),
                                               update_verb{hold_.share(), std::move(change), std::move(condition)});
}

boost::asio::awaitable<void> wall_clock_guard::release() {
    return detail::await_verb<void>(executor(), release_verb{hold_.share()});
}

// ---- lock --------------------------------------------------------------------------------------------------------

wall_clock_lock::wall_clock_lock(database where, item_ref target, wall_clock_options options)
    : core_(std::make_shared<wall_clock_impl>(std::move(where), std::move(target), std::move(options))) {}

wall_clock_lock::executor_type wall_clock_lock::get_executor() const noexcept {
    return core_->world().executor;
}
const std::string& wall_clock_lock::name() const noexcept {
    return core_->name();
}

void wall_clock_lock::acquire_verb::operator()(diagnostics* details, detail::handler_for<wall_clock_guard> handler) && {
    const auto executor = core->world().executor;
    auto wish =
        std::make_shared<wall_clock_wish>(wall_clock_wish{.core = std::move(core), .options = options, .tries = tries});
    const auto verb = wish->tries ? "wall_clock_lock.try_acquire" : "wall_clock_lock.acquire";
    const auto& asked = *wish->core;
    detail::asking<wall_clock_hold> asks(asked.world().clock, {details, verb, asked.name(), asked.place().table});
    asks.expect(hooks, asked.name(), asked.place().table);
    detail::start_asking<wall_clock_guard>(
        executor, std::move(asks),
        [&](detail::asked_by by) { return run_wall_acquire(std::move(wish), std::move(by)); }, std::move(handler));
}

wall_clock_lock observed(wall_clock_lock inner, grant_hook hook) {
    inner.hooks_ = detail::with_hook(std::move(hook), std::move(inner.hooks_));
    return inner;
}

boost::asio::awaitable<wall_clock_guard> wall_clock_lock::acquire(item_acquire_options options) const {
    return detail::await_verb<wall_clock_guard>(get_executor(), acquire_verb{core_, hooks_, options, false});
}

boost::asio::awaitable<wall_clock_guard> wall_clock_lock::try_acquire() const {
    return detail::await_verb<wall_clock_guard>(get_executor(), acquire_verb{core_, hooks_, {}, true});
}

}  // namespace dynalease
