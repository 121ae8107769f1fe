// The states of a grant, and who waits for them to change.
// SPDX-License-Identifier: BSL-1.0
#include "session/hold.hpp"

#include "session/session_impl.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/post.hpp>

#include <tuple>
#include <utility>

namespace dynalease::detail {

hold::hold(std::shared_ptr<session_impl> core, bool wanted) noexcept
    : core_(std::move(core)), granted_at_(core_->now()), wanted_(wanted) {}

hold::~hold() = default;

bool hold::held() const noexcept {
    return kept() && !expired() && (core_->status().valid() || core_->status().keeps_while_closing(in_use_));
}

void hold::note_work_ended() noexcept {
    if (state() == guard_state::lost) lost_under_work_ = true;
}

bool hold::may_have_run_out() const noexcept {
    return expired() || core_->status().by_lease() == session_state::lost;
}

bool hold::in_use() const noexcept {
    // Work that has given it back, or lost it, may go on without it.
    return in_use_ && state_ == guard_state::held;
}

guard_state hold::state() const noexcept {
    const auto now = standing();
    const bool ours = now == guard_state::held || now == guard_state::jeopardy;
    return ours && handed_in_ ? guard_state::released : now;
}

guard_state hold::standing() const noexcept {
    const auto own = state_.load();
    if (own != guard_state::held) return own;
    const auto& session = core_->status();
    const auto said = session.state();
    switch (said == session_state::closed && session.keeps_while_closing(in_use_) ? session.by_lease() : said) {
        case session_state::live:
            if (expired()) return guard_state::lost;
            return overdue() ? guard_state::jeopardy : guard_state::held;
        case session_state::jeopardy:
            return expired() ? guard_state::lost : guard_state::jeopardy;
        case session_state::closed:
            // Whose work goes on loses it by its lease, like all others.
            return in_use_ ? guard_state::lost : guard_state::released;
        default:
            return guard_state::lost;
    }
}

error_code hold::why_over() const noexcept {
    if (state() != guard_state::lost) return errc::not_held;
    return core_->status().valid() ? errc::lock_lost : errc::session_lost;
}

const std::string& hold::table() const noexcept {
    return core_->options().table;
}

std::string hold::why_lost() const {
    if (state_ == guard_state::lost && about_) return about_->message;
    return core_->status().why_lost();
}

bool hold::hand_in() noexcept {
    return state_ == guard_state::held && !handed_in_.exchange(true);
}

void hold::hand_back() noexcept {
    handed_in_ = false;
    // Whichever of the two comes second sees the other.
    if (abandoned_) abandon();
}

bool hold::let_go() noexcept {
    // Its guard may end in the middle of the work; nobody is told of the loss then but the work itself.
    if (in_use_) note_work_ended();
    auto expected = guard_state::held;
    if (!state_.compare_exchange_strong(expected, guard_state::released)) return false;
    // Nobody reads it before what this has begun is on the database's executor.
    let_go_at_ = core_->now();
    return true;
}

void hold::give_back_soon() noexcept {
    if (core_->context_ended()) return;
    // Not in a coroutine: one that is cancelled before its first step never runs.
    boost::asio::post(core_->world().executor, [self = shared_from_this()] { self->give_back(); });
}

void hold::abandon() noexcept {
    abandoned_ = true;
    if (!handed_in_ && let_go()) give_back_soon();
}

void hold::report_to(std::unique_ptr<grant_reporter> listener) {
    listener->granted(granted_at_, token());
    listener_ = std::move(listener);
    if (ended_) report_end();
}

void hold::end() {
    if (std::exchange(ended_, true)) return;
    if (finished_ == errc::lock_lost || finished_ == errc::session_lost) end_ = grant_event::lost;
    if (!wanted_) return;
    if (end_ == grant_event::lost) ++core_->counters().lost;
    core_->counters().holds.observe(let_go_at_ - granted_at_);
    if (listener_) report_end();
}

void hold::report_end() {
    const error_code why_lost = core_->status().valid() ? errc::lock_lost : errc::session_lost;
    std::exchange(listener_, nullptr)
        ->ended({.began = granted_at_, .end = let_go_at_, .how = end_, .code = finished_.value_or(why_lost)});
}

bool hold::lose(std::string_view why) {
    auto expected = guard_state::held;
    if (state_ != expected) return false;
    if (!why.empty()) {
        diagnostics about;
        about.message = why;
        about_ = std::make_unique<const diagnostics>(std::move(about));
    }
    if (!state_.compare_exchange_strong(expected, guard_state::lost)) return false;
    let_go_at_ = core_->now();
    end_ = grant_event::lost;
    end();
    tell_who_waits();
    return true;
}

void hold::tell(const failure& how) {
    if (finished_) return;
    finished_ = how.code;
    if (how.code) about_ = std::make_unique<const diagnostics>(how.details);
    end();
    tell_who_waits();
}

void hold::finish(const failure& how) {
    if (!how.code) returned_ = true;
    settled_ = true;
    if (finished_) {
        tell_who_waits();
    } else {
        tell(how);
    }
}

void hold::stay_until_finished() {
    waited_for().async_wait([self = shared_from_this()](const error_code& over, runtime::unit) {
        if (!over && !self->settled_) self->stay_until_finished();
    });
}

hold::news& hold::waited_for() {
    if (!news_) news_ = std::make_unique<news>(core_->world().executor);
    return *news_;
}

void hold::tell_who_waits() {
    if (news_) news_->complete_all({});
}

boost::asio::awaitable<error_code> hold::wait_finished(diagnostics* told) {
    if (!finished_) {
        auto done = co_await waited_for().async_wait(boost::asio::as_tuple(boost::asio::deferred));
        if (!finished_) co_return std::get<0>(done);
    }
    if (told && about_) *told = *about_;
    co_return *finished_;
}

boost::asio::awaitable<void> hold::wait_finished_until(dynalease::time_point until) {
    if (finished_ || state_ == guard_state::lost) co_return;
    auto& clock = *core_->world().clock;
    co_await waited_for().async_wait_until(clock, until, boost::asio::as_tuple(boost::asio::deferred));
}

boost::asio::awaitable<error_code> hold::wait_lost() {
    // A guard whose deadline has passed is lost, even before anybody has said so.
    auto now = state();
    if (now == guard_state::held || now == guard_state::jeopardy) {
        auto done = co_await waited_for().async_wait(boost::asio::as_tuple(boost::asio::deferred));
        now = state();
        if (std::get<0>(done)) co_return std::get<0>(done);
    }
    co_return now == guard_state::lost ? error_code() : make_error_code(errc::not_held);
}

}  // namespace dynalease::detail
