// Durations as numbers of seconds and back.
// SPDX-License-Identifier: BSL-1.0
#include "dynamodb/decimal.hpp"
#include "dynamodb/time_ticks.hpp"

#include <dynalease/mapping/scalars.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

namespace dynalease::mapping {

namespace {

constexpr std::size_t exact_digits = 9;

[[noreturn]] void refuse(const number& seconds, const mapping_place& place) {
    place.fail("is " + seconds.text() + " s, and lies beyond what its type can hold");
}

[[noreturn]] void refuse_inexact(const number& seconds, time_unit unit, const mapping_place& place) {
    const auto parts = unit.parts > 1 ? "/" + std::to_string(unit.parts) : std::string();
    place.fail("is " + seconds.text() + " s, and no whole number of its ticks of " + std::to_string(unit.seconds) +
               parts + " s; make it a finer duration");
}

/// Both with the sign of the whole.
struct split_seconds {
    std::int64_t whole;
    std::int64_t nanoseconds;
    bool is_exact;  ///< there is nothing finer
};

split_seconds split(const number& seconds, const mapping_place& place) {
    const auto text = decimal::of(seconds).to_string();
    const auto point = std::min(text.find('.'), text.size());
    split_seconds out{};
    const auto [stop, fault] = std::from_chars(text.data(), text.data() + point, out.whole);
    if (fault != std::errc{} || stop != text.data() + point) refuse(seconds, place);
    auto fraction = point == text.size() ? std::string() : text.substr(point + 1);
    out.is_exact = fraction.find_first_not_of('0', std::min(exact_digits, fraction.size())) == fraction.npos;
    fraction.resize(exact_digits, '0');
    std::from_chars(fraction.data(), fraction.data() + fraction.size(), out.nanoseconds);
    if (text.starts_with('-')) out.nanoseconds = -out.nanoseconds;
    return out;
}

}  // namespace

attribute_value from_duration(std::int64_t ticks, time_unit unit, const mapping_place& place) {
    using all = std::numeric_limits<std::int64_t>;
    if (ticks > all::max() / unit.seconds || ticks < all::min() / unit.seconds) {
        place.fail("is more seconds than can be stored");
    }
    // The magnitude of the least of all ticks is no number of theirs.
    const auto magnitude = ticks < 0 ? 0 - static_cast<std::uint64_t>(ticks) : static_cast<std::uint64_t>(ticks);
    const auto parts = static_cast<std::uint64_t>(unit.parts);
    const auto nanoseconds = magnitude % parts * static_cast<std::uint64_t>(nanoseconds_of_second / unit.parts);
    const auto whole = magnitude / parts * static_cast<std::uint64_t>(unit.seconds);
    const auto text = (ticks < 0 ? "-" : "") + std::to_string(whole) + "." +
                      padded(static_cast<std::int64_t>(nanoseconds), exact_digits);
    return number(number(text).canonical_text());
}

std::int64_t to_duration(const number& seconds, time_unit unit, std::int64_t lowest, std::int64_t highest,
                         const mapping_place& place) {
    const auto [whole, nanoseconds, is_exact] = split(seconds, place);
    const auto nanoseconds_of_part = nanoseconds_of_second / unit.parts;
    const auto part = nanoseconds / nanoseconds_of_part;
    const auto ticks = ticks_of(whole / unit.seconds, part, unit, lowest, highest);
    if (!ticks) refuse(seconds, place);
    const bool is_whole = is_exact && nanoseconds % nanoseconds_of_part == 0 && whole % unit.seconds == 0;
    if (!is_whole) refuse_inexact(seconds, unit, place);
    return *ticks;
}

}  // namespace dynalease::mapping
