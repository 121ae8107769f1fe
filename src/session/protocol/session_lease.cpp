// From one state of a session to the next.
// SPDX-License-Identifier: BSL-1.0
#include "session/protocol/session_lease.hpp"

#include <algorithm>

namespace dynalease::protocol {

session_lease::phase session_lease::at(time_point now) const {
    if (phase_ != phase::live) return phase_;
    if (now >= deadline()) return phase::lost;
    return now >= jeopardy() ? phase::jeopardy : phase::live;
}

bool session_lease::live_at(time_point now) const {
    return phase_ == phase::live && now < deadline();
}

void session_lease::open() {
    phase_ = phase::opening;
}

void session_lease::abandon() {
    if (phase_ == phase::opening) phase_ = phase::idle;
}

void session_lease::close() {
    if (phase_ != phase::lost) phase_ = phase::closed;
}

void session_lease::lose() {
    if (phase_ != phase::closed) phase_ = phase::lost;
}

bool session_lease::acknowledge(time_point sent, time_point now) {
    if (phase_ == phase::opening) {
        if (now >= sent + times_.hold) return false;
        phase_ = phase::live;
        last_acknowledged_send_ = sent;
        return true;
    }
    if (!live_at(now)) {
        if (phase_ == phase::live) phase_ = phase::lost;
        return false;
    }
    last_acknowledged_send_ = std::max(last_acknowledged_send_, sent);
    return true;
}

beat_ledger::beat beat_ledger::next(time_point now) {
    if (sent_.size() == remembered) sent_.erase(sent_.begin());
    return sent_.emplace_back(beat{++last_, now});
}

const beat_ledger::beat* beat_ledger::find(std::int64_t number) const {
    const auto at = std::find_if(sent_.begin(), sent_.end(), [&](const beat& b) { return b.number == number; });
    return at == sent_.end() ? nullptr : &*at;
}

}  // namespace dynalease::protocol
