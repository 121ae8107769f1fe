// A grant by the wall clock: what is written under it, and its end.
// SPDX-License-Identifier: BSL-1.0
#include "wall_clock_lock/wall_clock_hold.hpp"

#include "database/argument_check.hpp"
#include "database/protocol/backoff.hpp"
#include "item/item_names.hpp"
#include "item/protocol/item_attributes.hpp"
#include "runtime/alarm.hpp"
#include "runtime/spawn.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace dynalease::detail {

namespace {

using namespace std::chrono_literals;

constexpr auto resolve_change_within = 10s;
constexpr auto longest_call = 10s;

constexpr argument_check require("wall_clock_lock");

void check_wall_clock(const item_ref& target, const wall_clock_options& options) {
    check_item(target, "wall_clock_lock");
    std::set<std::string> taken;
    for (const auto& [name, value] : target.key) taken.insert(name);
    require.attribute_name("attribute", options.attribute, taken);
    require(options.timeout >= 1s && options.timeout <= 24h, errc::invalid_option,
            "timeout must be between 1 s and 24 h");
    require(options.skew >= 0ms && options.skew < options.timeout / 4, errc::invalid_option,
            "skew must be less than a quarter of timeout");
    require(options.clock_drift_ppm <= 100'000, errc::invalid_option, "clock_drift_ppm must be at most 100,000");
    require(options.poll_interval >= 10ms && options.poll_interval <= options.longest_poll_interval &&
                options.longest_poll_interval <= 1min,
            errc::invalid_option, "poll_interval and longest_poll_interval must rise from 10 ms to 1 min");
}

}  // namespace

// ---- what all handles of one lock share ----------------------------------------------------------------------

wall_clock_impl::wall_clock_impl(database where, item_ref target, wall_clock_options options)
    : database_(std::move(where)), work_(world().executor) {
    check_wall_clock(target, options);
    name_ = item_name(target);
    times_ = protocol::wall_clock_times_for(options.timeout, options.skew, options.clock_drift_ppm);
    place_ = {.table = std::move(target.table), .key = std::move(target.key), .attribute = options.attribute};
    options_ = std::move(options);
}

boost::asio::awaitable<wall_clock_impl::answered> wall_clock_impl::send(update_item_request request, course within) {
    const auto left = within.limit - now();
    const call_options patience{.timeout = std::clamp<std::chrono::nanoseconds>(left, 1ms, longest_call)};
    result<update_item_response> done = failure(errc::shut_down);
    if (!within.process.in_child()) done = co_await database_.call(std::move(request), patience);
    answered seen;
    if (within.process.in_child()) {
        seen.kind = answer::rejected;
        seen.why = failure(errc::shut_down);
        co_return seen;
    }
    if (done) {
        seen.kind = answer::applied;
        seen.whole = std::move(done->attributes);
        co_return seen;
    }
    seen.why = std::move(done).error();
    seen.kind = classify(seen.why);
    seen.doubtful = seen.why.outcome == outcome::unknown;
    if (seen.kind != answer::refused) co_return seen;
    auto lock = protocol::wall_clock_state_of(place_, seen.why.current ? &*seen.why.current : nullptr);
    if (lock) {
        seen.lock = *std::move(lock);
    } else {
        seen.kind = answer::rejected;
        seen.why = std::move(lock).error();
    }
    co_return seen;
}

boost::asio::awaitable<wall_clock_impl::answered> wall_clock_impl::send_until_known(update_item_request request,
                                                                                    course within) {
    bool unanswered = false;
    answered seen;
    for (unsigned failures = 0;; ++failures) {
        auto copy = request;
        seen = co_await send(std::move(copy), within);
        seen.doubtful = unanswered || seen.doubtful;
        if (was_answered(seen.kind)) co_return seen;
        unanswered = unanswered || seen.kind == answer::unanswered;
        if (seen.kind == answer::rejected || now() >= within.limit) break;
        runtime::alarm pause(world());
        co_await pause.wait_until(std::min(within.limit, now() + retry_pause(failures, world().random->unit())));
    }
    if (unanswered) seen = {.kind = answer::unanswered, .why = failure(errc::in_doubt), .doubtful = true};
    co_return seen;
}

boost::asio::awaitable<void> wall_clock_impl::give_back(update_item_request request, course within,
                                                        std::function<void(error_code)> tell) {
    bool doubtful = false;
    for (unsigned failures = 0;; ++failures) {
        auto copy = request;
        const auto seen = co_await send_until_known(std::move(copy), within);
        if (within.process.in_child()) {
            tell(make_error_code(errc::shut_down));
            co_return;
        }
        doubtful = doubtful || seen.doubtful;
        auto code = seen.why.code;
        if (seen.kind == answer::refused) code = errc::lock_lost;
        // Refused after a copy without an answer: that copy did it.
        if (seen.kind == answer::applied || (seen.kind == answer::refused && doubtful)) code = {};
        tell(code);
        // What is rejected now, for credentials that have expired, may pass later.
        if (was_answered(seen.kind) || now() >= within.limit) co_return;
        runtime::alarm pause(world());
        co_await pause.wait_until(std::min(within.limit, now() + retry_pause(failures, world().random->unit())));
    }
}

boost::asio::awaitable<void> wall_clock_impl::take_back([[maybe_unused]] std::shared_ptr<wall_clock_impl> self,
                                                        std::vector<protocol::wall_clock_claim> unanswered,
                                                        runtime::own_process process) {
    const course until{unanswered.back().sent + times_.over, process};
    auto request = protocol::wall_clock_take_back(place_, unanswered);
    co_await give_back(std::move(request), until, [](error_code) {});
}

void wall_clock_impl::take_back_in_background(std::vector<protocol::wall_clock_claim> unanswered,
                                              runtime::own_process process) {
    runtime::spawn_background(world().executor, work_, take_back(shared_from_this(), std::move(unanswered), process));
}

// ---- one grant ------------------------------------------------------------------------------------------------

wall_clock_hold::wall_clock_hold(std::shared_ptr<wall_clock_impl> core, const protocol::wall_clock_claim& claim)
    : core_(std::move(core)),
      grant_(protocol::wall_clock_granted(claim, core_->times())),
      granted_at_(core_->now()),
      waiting_(core_->world().executor) {}

guard_state wall_clock_hold::state() const noexcept {
    const auto own = state_.load();
    if (own == guard_state::held && process_.in_child()) return guard_state::lost;
    return own == guard_state::held && core_->now() >= grant_.end ? guard_state::lost : own;
}

std::chrono::nanoseconds wall_clock_hold::time_left() const noexcept {
    return state() == guard_state::held ? grant_.end - core_->now() : std::chrono::nanoseconds::zero();
}

bool wall_clock_hold::let_go() noexcept {
    if (process_.in_child()) return false;
    auto expected = guard_state::held;
    if (!state_.compare_exchange_strong(expected, guard_state::released)) return false;
    // Nobody reads it before what this has begun is on the database's executor.
    let_go_at_ = core_->now();
    return true;
}

void wall_clock_hold::report_to(std::unique_ptr<grant_reporter> listener) {
    listener->granted(granted_at_, 0);
    listener_ = std::move(listener);
}

void wall_clock_hold::report_end(grant_event how, error_code code) {
    const auto listener = std::exchange(listener_, nullptr);
    if (!listener) return;
    // Whose time is over has lost it, whoever gives it back later.
    const bool ran_out = let_go_at_ >= grant_.end;
    if (ran_out || code == errc::lock_lost) how = grant_event::lost;
    if (ran_out) code = errc::lock_lost;
    listener->ended({.began = granted_at_, .end = std::min(let_go_at_, grant_.end), .how = how, .code = code});
}

void wall_clock_hold::give_back_soon() noexcept {
    if (core_->context_ended()) return;
    // Not in a coroutine: one that is cancelled before its first step never runs.
    boost::asio::post(core_->world().executor, [self = shared_from_this()] { self->give_back(); });
}

void wall_clock_hold::abandon() noexcept {
    if (let_go()) give_back_soon();
}

void abandon(wall_clock_hold& hold) noexcept {
    hold.abandon();
}

void wall_clock_hold::give_back() {
    runtime::spawn_background(core_->world().executor, core_->work(), run_give_back(shared_from_this()));
}

boost::asio::awaitable<void> wall_clock_hold::run_give_back([[maybe_unused]] std::shared_ptr<wall_clock_hold> self) {
    const auto tell = [this](error_code code) {
        if (given_back_) return;
        // Nobody who keeps to the recipe has taken it yet: either the network has repeated the release, or a stranger
        // has freed an item that was not its own.
        if (code == errc::lock_lost && core_->now() < grant_.end) code = errc::in_doubt;
        given_back_ = code;
        report_end(grant_event::released, code);
        waiting_.complete_all({});
    };
    auto request = protocol::wall_clock_release(core_->place(), grant_.held);
    co_await core_->give_back(std::move(request), {grant_.over, process_}, tell);
}

boost::asio::awaitable<error_code> wall_clock_hold::wait_given_back() {
    if (!given_back_) co_await waiting_.async_wait(boost::asio::as_tuple(boost::asio::deferred));
    // The caller went away; it goes on.
    co_return given_back_ ? *given_back_ : make_error_code(errc::in_doubt);
}

std::optional<failure> wall_clock_hold::unfit(const update_expression& change) const {
    const auto now = state();
    if (now == guard_state::released) return failure(errc::not_held);
    if (now == guard_state::lost) return failure(errc::lock_lost);
    failure why(errc::in_doubt);
    why.details.message = "an earlier write of this guard has had no answer; release it to resolve that";
    if (write_ == writing::in_doubt) return why;
    why.code = errc::invalid_option;
    why.details.message = "another write of this guard is under way; they go one at a time";
    if (write_ == writing::under_way) return why;
    const protocol::item_layout layout{.table = {}, .key = {}, .version = {}, .stamp = core_->place().attribute};
    const auto name = protocol::reserved_name_in(layout, change);
    if (name.empty()) return std::nullopt;
    why.code = errc::reserved_name;
    why.details.message = "attribute \"" + name + "\" belongs to the library";
    return why;
}

void wall_clock_hold::lose() noexcept {
    auto expected = guard_state::held;
    if (!state_.compare_exchange_strong(expected, guard_state::lost)) return;
    let_go_at_ = core_->now();
    report_end(grant_event::lost, errc::lock_lost);
}

boost::asio::awaitable<wall_clock_hold::change_end> wall_clock_hold::change(update_expression change,
                                                                            condition_expression condition) {
    auto unfitting = unfit(change);
    if (unfitting) co_return change_end{.why = std::move(unfitting)};
    const auto held = grant_.held;
    const auto next = protocol::next_moment(held);
    const wall_clock_impl::course within{std::min(grant_.end, core_->now() + resolve_change_within), process_};
    write_ = writing::under_way;
    auto request = protocol::wall_clock_change(core_->place(), held, change, condition);
    auto seen = co_await core_->send_until_known(std::move(request), within);
    const bool doubtful = seen.doubtful;
    if (seen.kind == answer::refused && seen.lock.text == protocol::wall_text(held)) {
        // The caller's condition was false.
        if (!doubtful) {
            write_ = writing::nothing;
            co_return change_end{.why = failure(errc::condition_failed)};
        }
        // The unanswered copy may yet find it true: an empty step closes it.
        request = protocol::wall_clock_change(core_->place(), held, {}, {});
        seen = co_await core_->send_until_known(std::move(request), within);
        // The change or the empty step: nothing in the item tells which.
        const bool either = seen.kind == answer::refused && seen.lock.text == protocol::wall_text(next);
        if (seen.kind == answer::applied || either) grant_.held = next;
        write_ = was_answered(seen.kind) ? writing::nothing : writing::in_doubt;
        if (seen.kind == answer::applied) co_return change_end{.why = failure(errc::condition_failed)};
        if (either || seen.kind != answer::refused) co_return change_end{.why = failure(errc::in_doubt)};
    }
    write_ = seen.kind == answer::unanswered ? writing::in_doubt : writing::nothing;
    // Only this change moves our moment on: an earlier copy of it, whoever made that one.
    const bool landed = seen.kind == answer::refused && seen.lock.text == protocol::wall_text(next);
    if (seen.kind == answer::refused && !landed) {
        lose();
        // It may have been applied before the item was lost: where a copy had no answer, or the network has made one
        // more. Nothing in the item tells.
        co_return change_end{.why = failure(errc::in_doubt)};
    }
    if (seen.kind != answer::applied && !landed) co_return change_end{.why = std::move(seen.why)};
    grant_.held = next;
    known = landed ? *std::move(seen.why.current) : std::move(seen.whole);
    co_return change_end{.left = known};
}

}  // namespace dynalease::detail
