// Structs as items and back, by Boost.Describe. What becomes of each type:
//
//     std::string S · integers, floating point, number N · std::vector<std::byte> B · bool BOOL
//     described enum S, by name · std::chrono::sys_time S, ISO 8601 in UTC · std::chrono::duration N, seconds
//     std::optional absent, or the value (an optional optional: absent, NULL, or the value)
//     the time of item_traits::time_to_live N, seconds since 1970
//     std::vector, std::array L · std::map of strings, integers or enums to anything M · described struct M
//     std::set of strings, enums, numbers, bytes SS SS NS BS · the unordered ones as the ordered ones
//     std::variant of described structs, by dynalease::variant_traits M, with a discriminator
//     any other type by dynalease::attribute_traits, a single member by dynalease::member_traits
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/mapping/values.hpp>

#include <string>
#include <type_traits>

#pragma GCC visibility push(default)
namespace dynalease {

/// A struct that Boost.Describe knows: BOOST_DESCRIBE_STRUCT(book, (), (isbn, title, pages)). All members that are
/// described are stored, private ones too; Boost describes up to 51 of them, and as many of each base that is listed.
/// Or a `std::variant` of such structs that `variant_traits` tell apart.
template <class T>
concept described = (mapping::described_struct<T> || mapping::struct_variant<T>) && std::default_initializable<T>;

/// The attributes of a struct, and the names of those that it leaves empty.
/// @throws dynalease::error with `errc::bad_attribute` that names the member: an empty set that is no member of a
/// struct, a floating-point number that is not finite, more than 38 digits, an enumerator without a name, a time beyond
/// the years 0 to 9999, two members of one attribute name; or what `attribute_traits` throw.
template <described T>
item_members to_members(const T& value) {
    item_members members;
    mapping::write_item(value, members, mapping_place{});
    return members;
}
template <described T>
item to_item(const T& value) {
    return to_members(value).present;
}

/// What a member of that type is stored as, for expressions: `attr("state") == to_attribute(order_state::open)`. An
/// empty optional is NULL. Options of a single member (`member_traits`) are its own; a time is ISO 8601. Errors: as
/// `to_members`.
template <class T>
    requires(!std::is_array_v<T> && !std::is_pointer_v<T>)
attribute_value to_attribute(const T& value) {
    return mapping::write(value, mapping_place{});
}
/// Of a text.
inline attribute_value to_attribute(const char* text) {
    return to_attribute(std::string(text));
}

/// The struct from an item. Attributes that no member has are left alone. Times are read from either form.
/// @throws dynalease::error with `errc::bad_attribute` that names the member: absent though it is no optional, stored
/// as another type, or out of its range.
template <described T>
T from_item(const item& stored) {
    return mapping::read_item<T>(stored, mapping_place{});
}

}  // namespace dynalease
#pragma GCC visibility pop
