// Seconds and parts of a second as ticks of a clock.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/mapping/scalars.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace dynalease::mapping {

/// What nine digits tell.
inline constexpr std::int64_t nanoseconds_of_second = 1'000'000'000;

/// @param part of `unit.parts` @returns empty if the sum lies outside of the ticks' range
inline std::optional<std::int64_t> ticks_of(std::int64_t whole, std::int64_t part, time_unit unit, std::int64_t lowest,
                                            std::int64_t highest) {
    using all = std::numeric_limits<std::int64_t>;
    const bool can_be_counted = whole <= (all::max() - std::max<std::int64_t>(part, 0)) / unit.parts &&
                                whole >= (all::min() - std::min<std::int64_t>(part, 0)) / unit.parts;
    if (!can_be_counted) return std::nullopt;
    const auto ticks = whole * unit.parts + part;
    return ticks < lowest || ticks > highest ? std::nullopt : std::optional(ticks);
}

/// With zeros in front, up to the width. @param value not negative
inline std::string padded(std::int64_t value, std::size_t width) {
    auto digits = std::to_string(value);
    if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
    return digits;
}

}  // namespace dynalease::mapping
