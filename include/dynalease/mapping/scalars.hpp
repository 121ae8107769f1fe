// Names, numbers, times and durations as attribute values: the compiled part of the mapping.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/item/item_members.hpp>
#include <dynalease/mapping/place.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace dynalease::mapping {

/// The held type, or a failure that names the place.
template <class Held>
const Held& held_as(const attribute_value& value, std::string_view type, const mapping_place& place) {
    const auto* held = value.get_if<Held>();
    if (!held) place.expected(type, value);
    return *held;
}

/// That a member's attribute is absent, and by what it may be.
[[noreturn]] void fail_absent(const mapping_place& place);

struct member_name {
    std::string_view attribute;
    bool wanted;
};
void add_wanted(std::vector<std::string>& into, std::initializer_list<member_name> all);

/// That the alternatives of a variant show the version by two names.
[[noreturn]] void fail_versions(std::string_view one, std::string_view other);

/// @throws dynalease::error with `errc::bad_attribute` if the name is that of another member.
void add_member(item_members& into, std::string_view name, attribute_value stored, const mapping_place& place);
/// @throws dynalease::error with `errc::bad_attribute` if an empty optional has the attribute name of another member.
void check_names(const item_members& members, const mapping_place& place);

/// Which of the values the discriminator has. @throws dynalease::error with `errc::bad_attribute` if none.
std::size_t alternative_in(const item& stored, std::string_view discriminator, std::span<const std::string_view> values,
                           const mapping_place& place);
/// Says which alternative the members are of, and that those of the others are absent.
void add_alternative(item_members& into, std::string_view discriminator, std::string_view value,
                     const std::vector<std::string>& all, const mapping_place& place);
/// @returns the text, which is UTF-8
const std::string& checked_text(const std::string& text, const mapping_place& place);
/// Adds what was derived from the members.
void add_derived(item_members& into, item_members derived, const mapping_place& place);

/// @throws dynalease::error with `errc::bad_attribute` if the number is not integral or lies outside.
std::int64_t to_signed(const number& value, std::int64_t lowest, std::int64_t highest, const mapping_place& place);
std::uint64_t to_unsigned(const number& value, std::uint64_t highest, const mapping_place& place);
/// Decimal text as a number of at most 38 digits.
number to_number(std::string_view text, const mapping_place& place);
/// The shortest text that gives the same floating-point number again.
number from_floating(double value, const mapping_place& place);
number from_floating(float value, const mapping_place& place);
/// The nearest of the type. @throws dynalease::error with `errc::bad_attribute` if it lies beyond the largest.
float to_float(const number& value, const mapping_place& place);

/// How a point of time is counted since 1970: in ticks of `seconds` each, or in `parts` of a second.
struct time_unit {
    std::int64_t seconds = 1;
    std::int64_t parts = 1;
};
/// ISO 8601 in UTC, with as many digits as the unit needs: "2026-11-21T14:55:41.250Z". It sorts as text, and tells its
/// precision. Years are 0 to 9999.
attribute_value from_time(std::int64_t ticks, time_unit unit, const mapping_place& place);
/// Seconds since 1970 as a number, as DynamoDB's TTL wants them.
attribute_value from_epoch_time(std::int64_t ticks, time_unit unit, const mapping_place& place);
/// From either form; of the first, any offset from UTC is taken. What is finer than the unit is cut off.
/// @throws dynalease::error with `errc::bad_attribute` if it lies outside of the ticks' range.
std::int64_t to_time(const attribute_value& stored, time_unit unit, std::int64_t lowest, std::int64_t highest,
                     const mapping_place& place);

/// Exact decimal seconds.
/// @throws dynalease::error with `errc::bad_attribute` if there are more than 64 bits hold
attribute_value from_duration(std::int64_t ticks, time_unit unit, const mapping_place& place);
/// As std::chrono converts: only what the unit holds exactly.
/// @throws dynalease::error with `errc::bad_attribute` if it is no whole number of ticks, or outside of their range.
std::int64_t to_duration(const number& seconds, time_unit unit, std::int64_t lowest, std::int64_t highest,
                         const mapping_place& place);

}  // namespace dynalease::mapping
#pragma GCC visibility pop
