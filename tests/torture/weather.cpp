// The forecast.
// SPDX-License-Identifier: BSL-1.0
#include "torture/weather.hpp"

#include <array>

namespace torture {

using namespace std::chrono_literals;

std::string_view to_string(request_fault fault) noexcept {
    constexpr std::array<std::string_view, kinds_of_request_fault + 1> names{
        "none",        "lost_requests", "held_requests", "repeated",     "lost_answers",
        "cut_answers", "slow_answers",  "errors_before", "errors_after", "throttled"};
    return names[static_cast<std::size_t>(fault)];
}

void weather::calm() noexcept {
    per_mille_ = 10;
    aim_.reset();
}

void weather::turn() {
    constexpr std::array<std::uint64_t, 4> strengths{10, 50, 150, 400};
    per_mille_ = strengths[chance_.below(strengths.size())];
    aim_.reset();
    if (chance_.chance(500)) aim_ = static_cast<traffic>(chance_.below(3));
}

strike weather::next(traffic kind) {
    const bool struck = chance_.chance(per_mille_) && (!aim_ || *aim_ == kind);
    if (!struck) return {};
    strike next{.fault = static_cast<request_fault>(1 + chance_.below(kinds_of_request_fault))};
    // Some are over before anybody has lost patience, and some long after.
    if (chance_.chance(700))
        next.delay = chance_.chance(500) ? chance_.between(1ms, 200ms) : chance_.between(200ms, 4s);
    return next;
}

}  // namespace torture
