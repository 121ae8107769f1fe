// What any thread is told of a life of a session.
// SPDX-License-Identifier: BSL-1.0
#include "session/session_status.hpp"

#include <utility>

namespace dynalease::detail {

session_status::session_status(std::shared_ptr<clock> clock, const protocol::lease_times& times, bool begins_anew)
    : clock_(std::move(clock)), begins_anew_(begins_anew), lease_(times) {}

// ---- any thread --------------------------------------------------------------------------------------------

session_state session_status::state() const noexcept {
    auto said = published_.load();
    if (close_announced_ && said != session_state::lost) said = session_state::closed;
    return said == session_state::live ? by_lease() : said;
}

bool session_status::valid() const noexcept {
    const auto current = state();
    return current == session_state::live || current == session_state::jeopardy;
}

session_state session_status::by_lease() const noexcept {
    const auto now = clock_->now().time_since_epoch().count();
    if (in_child() || now >= deadline_) return session_state::lost;
    return now >= jeopardy_ ? session_state::jeopardy : session_state::live;
}

bool session_status::keeps_while_closing(bool in_use) const noexcept {
    const bool closes = state() == session_state::closed && (in_use || draining_);
    return closes && by_lease() != session_state::lost;
}

void session_status::announce_close(bool drains) noexcept {
    draining_ = drains;
    close_announced_ = true;
}

// ---- the database's executor -------------------------------------------------------------------------------

bool session_status::may_write() const noexcept {
    return !ended_ && !in_child() && lease_.live_at(clock_->now());
}

bool session_status::takes_callers() const noexcept {
    return !closing_ && !close_announced_ && !ended_ && !in_child() && now_in() != session_state::lost;
}

bool session_status::is_news(session_state now) noexcept {
    // Closed from the call on, as `state` says; told at the end.
    if (closing_ && now != session_state::closed) return false;
    return std::exchange(news_, now) != now;
}

void session_status::open() {
    lease_.open();
    publish();
}

void session_status::abandon_opening() {
    lease_.abandon();
    publish();
}

bool session_status::acknowledge(time_point sent) {
    const bool live = lease_.acknowledge(sent, clock_->now());
    publish();
    return live;
}

void session_status::begin_close() {
    closing_ = true;
    if (!ended_) publish();  // lost is final
}

void session_status::close() {
    lease_.close();
    publish();
}

void session_status::lose(const std::string& why, bool for_good) {
    for_good_ = for_good;
    lease_.lose();
    loss_.why = why;
    loss_.known = true;
    publish();
}

void session_status::publish() noexcept {
    deadline_ = lease_.deadline().time_since_epoch().count();
    jeopardy_ = lease_.jeopardy().time_since_epoch().count();
    const auto now = closing_ ? session_state::closed : lease_.at(clock_->now());
    published_ = now == session_state::jeopardy ? session_state::live : now;
}

}  // namespace dynalease::detail
