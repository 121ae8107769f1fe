// What users say about their own types: how a value becomes an attribute, and what members are called in an item.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/mapping/place.hpp>

#include <string_view>

namespace dynalease {

/// Specialise it for a type of yours that Boost.Describe cannot describe, or that is to be stored in another form:
///
///     template <>
///     struct dynalease::attribute_traits<money> {
///         static attribute_value to_attribute(const money& value, const mapping_place& place);
///         static money from_attribute(const attribute_value& stored, const mapping_place& place);
///     };
///
/// `place.fail("is no sum of money")` says where it went wrong.
template <class T>
struct attribute_traits {};

/// Names as they are, and no version among the members: the base of every specialisation of `item_traits`.
struct default_item_traits {
    static constexpr std::string_view attribute_name(std::string_view member) { return member; }
    /// The attribute by which the table's TTL goes. A time of that name is stored as DynamoDB wants it for that: whole
    /// seconds since 1970, as a number; a fraction is cut.
    static constexpr std::string_view time_to_live = "ttl";
    static constexpr std::nullptr_t version_member = nullptr;
};

/// Specialise it, from `default_item_traits`, where a struct's attributes have other names than its members, or where
/// a member is to show the version:
///
///     template <>
///     struct dynalease::item_traits<book> : dynalease::default_item_traits {
///         static constexpr std::string_view attribute_name(std::string_view member) {
///             return member == "isbn" ? "ISBN" : member;
///         }
///         static constexpr auto version_member = &book::version;  // set by load and save, never written; it must be
///                                                                 // described, and keeps its default without one
///     };
template <class T>
struct item_traits : default_item_traits {};

}  // namespace dynalease
