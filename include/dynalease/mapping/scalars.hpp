// Numbers and times as attribute values: the compiled part of the mapping.
#pragma once

#include <dynalease/mapping/place.hpp>

#include <chrono>
#include <cstdint>
#include <string_view>

namespace dynalease::mapping {

/// The held type, or a failure that names the place.
template <class Held>
const Held& held_as(const attribute_value& value, std::string_view type, const mapping_place& place) {
    const auto* held = value.get_if<Held>();
    if (!held) place.expected(type, value);
    return *held;
}

/// @throws dynalease::error with `errc::bad_attribute` if the number is not integral or lies outside.
std::int64_t to_signed(const number& value, std::int64_t lowest, std::int64_t highest, const mapping_place& place);
std::uint64_t to_unsigned(const number& value, std::uint64_t highest, const mapping_place& place);
/// Decimal text as a number of at most 38 digits.
number to_number(std::string_view text, const mapping_place& place);
/// The shortest text that gives the same floating-point number again.
number from_floating(double value, const mapping_place& place);
number from_floating(float value, const mapping_place& place);

/// A point of time as ISO 8601 in UTC: "2026-11-21T14:55:41.250Z". It sorts as text, and tells its precision.
struct utc_time {
    std::chrono::sys_seconds seconds;
    std::chrono::nanoseconds fraction;  ///< from 0 to below a second
};
/// @param digits of the fraction, 0 to 9. Years are 0 to 9999.
std::string from_time(utc_time time, int digits, const mapping_place& place);
utc_time to_time(std::string_view text, const mapping_place& place);

}  // namespace dynalease::mapping
