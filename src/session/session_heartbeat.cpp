// What keeps a life of a session alive, and tells in time when that does not succeed.
// SPDX-License-Identifier: BSL-1.0
#include "session/session_heartbeat.hpp"

#include "runtime/spawn.hpp"
#include "session/protocol/session_requests.hpp"
#include "session/session_impl.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::detail {

namespace {

constexpr std::chrono::milliseconds longest_jitter{100};
constexpr std::chrono::seconds miss_retold{1};

}  // namespace

session_heartbeat::session_heartbeat(session_impl& core) : core_(core), next_(core.world()), deadline_(core.world()) {}

void session_heartbeat::begin() {
    const auto& executor = core_.world().executor;
    runtime::spawn_background(executor, core_.life(), beat(core_.shared_from_this()));
    runtime::spawn_background(executor, core_.life(), watch_deadline(core_.shared_from_this()));
}

void session_heartbeat::stop() noexcept {
    stopped_ = true;
    next_.wake();
}

void session_heartbeat::session_ends() {
    next_.wake();
    deadline_.wake();
}

std::string session_heartbeat::words_of_silence(dynalease::time_point due) const {
    const auto& status = core_.status();
    return protocol::words_of_silence(silence_, status.deadline() - status.times().hold, due, core_.now());
}

boost::asio::awaitable<void> session_heartbeat::beat([[maybe_unused]] std::shared_ptr<session_impl> self) {
    const auto& times = core_.status().times();
    // The answer of the creation may have taken most of the lease: its send counts. That makes no heartbeat late.
    auto next = std::max(core_.now(), core_.status().deadline() - times.hold + times.period);
    const auto goes_on = [this] { return !stopped_ && core_.may_write(); };
    while (goes_on()) {
        co_await next_.wait_until(next);
        // One that is too late to be sent counts all the more.
        const auto late = core_.now() - next;
        if (!stopped_ && late >= late.zero()) {
            core_.counters().worst_heartbeat_delay.raise_to(static_cast<std::uint64_t>(late.count()));
            core_.counters().heartbeat_delays.observe(late);
        }
        if (!goes_on()) break;
        core_.members().tell_long_waits();
        const auto sent = core_.now();
        const bool acknowledged = co_await beat_once();
        if (acknowledged) {
            next = sent + times.period;
        } else {
            // After the time that one may take: a refusal that came sooner is no reason to ask sooner. And not in step
            // with all the others that the same trouble has struck.
            const auto jitter = core_.world().random->below(
                static_cast<std::uint64_t>(std::chrono::nanoseconds(longest_jitter).count()));
            next = std::max(core_.now(), sent + times.beat_limit) +
                   std::chrono::nanoseconds(static_cast<std::int64_t>(jitter));
        }
    }
}

boost::asio::awaitable<bool> session_heartbeat::beat_once() {
    const auto limit = core_.status().times().beat_limit;
    const auto sending = beats_.next(core_.now());
    auto request = protocol::beat_session(core_.table(), core_.id(), sending.number, core_.wall());
    ++core_.counters().heartbeats_sent;
    ++silence_.sent;
    silence_.last_sent = sending.sent;
    const call_options lane{.timeout = limit, .attempt_timeout = limit, .attempts = 1, .lane = lane::heartbeat};
    auto beaten = co_await core_.target().call(std::move(request), lane);
    const auto why = beaten ? failure() : std::move(beaten).error();
    if (stopped_) co_return false;
    const auto seen = beaten
                          ? beats_.judge_applied(sending, find_integer(beaten->attributes, protocol::attribute::beat))
                          : beats_.judge_failed(why);
    if (!seen.missed) core_.counters().heartbeat_answers.observe(core_.now() - sending.sent);
    if (!seen.over.empty()) core_.end_by_row(seen.over, seen.row_stands);
    if (seen.missed) {
        ++core_.counters().heartbeats_unanswered;
        silence_.last_failure = protocol::words_of_failure(why);
        silence_.failed_at = core_.now();
        if (!core_.status().ended()) tell_miss(why);
        core_.heed(why);
    }
    if (!seen.landed || !core_.status().acknowledge(*seen.landed)) co_return false;
    miss_told_.reset();
    silence_ = {};
    ++core_.counters().heartbeats_acknowledged;
    deadline_.wake();
    co_return true;
}

/// Of short leases many go unanswered in a second.
void session_heartbeat::tell_miss(const failure& why) {
    const bool in_jeopardy = core_.status().now_in() == session_state::jeopardy;
    const auto now = core_.now();
    const bool told = miss_told_ && miss_told_->in_jeopardy == in_jeopardy && now - miss_told_->at < miss_retold;
    if (told) return;
    miss_told_ = told_miss{now, in_jeopardy};
    const auto words = protocol::words_of_miss("a heartbeat", why, core_.status().deadline() - now);
    core_.log(severity::warning, (in_jeopardy ? "in jeopardy: " : "") + words);
}

boost::asio::awaitable<void> session_heartbeat::watch_deadline([[maybe_unused]] std::shared_ptr<session_impl> self) {
    auto& status = core_.status();
    bool in_jeopardy = false;
    while (!status.ended()) {
        core_.notice_loss();
        const auto current = status.now_in();
        if (current == session_state::lost || current == session_state::closed) co_return;
        if (current == session_state::jeopardy && !in_jeopardy) {
            ++core_.counters().jeopardies;
            if (!miss_told_) core_.log(severity::warning, "in jeopardy: " + words_of_silence(status.jeopardy()));
        }
        const bool recovered = in_jeopardy && current == session_state::live;
        if (recovered) core_.log(severity::info, "out of jeopardy: a heartbeat was answered");
        in_jeopardy = current == session_state::jeopardy;
        core_.tell(in_jeopardy ? session_state::jeopardy : session_state::live);
        co_await deadline_.wait_until(in_jeopardy ? status.deadline() : status.jeopardy());
    }
}

}  // namespace dynalease::detail
