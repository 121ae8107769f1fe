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

}  // namespace dynalease::protocol
