// What users say about their own types: how a value becomes an attribute, and what members are called in an item.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/item/item_members.hpp>
#include <dynalease/mapping/place.hpp>
#include <dynalease/mapping/scalars.hpp>

#include <chrono>
#include <string_view>

#pragma GCC visibility push(default)
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

/// Specialise it for an enumeration that grows: what the name of an enumerator that this program does not know yet is
/// read as; without it such an item is refused. What was read so and is not changed, a `save` leaves as it is.
///
///     template <>
///     struct dynalease::enum_traits<state> {
///         static constexpr state unknown = state::other;
///     };
template <class Enum>
struct enum_traits {};

/// Specialise it for a `std::variant` of described structs, as a member or as what the items of a table are. It is
/// stored as the struct that it holds, with an attribute beside the members that tells which one that is:
///
///     using event = std::variant<paid, shipped>;
///     template <>
///     struct dynalease::variant_traits<event> {
///         static constexpr std::string_view discriminator = "kind";
///         static constexpr std::array<std::string_view, 2> values{"PAID", "SHIPPED"};  // in the variant's order
///     };
///
/// An item of another kind, or of none, is refused by that name. Where one of the structs has a table's items by itself
/// as well, `item_traits::derived` gives it the same attribute with the same value.
template <class Variant>
struct variant_traits {};

/// Names as they are, and no version among the members: the base of every specialisation of `item_traits`.
struct default_item_traits {
    static constexpr std::string_view attribute_name(std::string_view member) { return member; }
    /// The attribute by which the table's TTL goes. A time of that name is stored as DynamoDB wants it for that: whole
    /// seconds since 1970, as a number; a fraction is cut.
    static constexpr std::string_view time_to_live = "ttl";
    static constexpr std::nullptr_t version_member = nullptr;
    /// Members whose attribute is absent keep the value that the struct makes them with; else only optionals may be
    /// absent. For structs that grow: items from before lack what was added.
    static constexpr bool keeps_defaults = false;
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
///
/// A function `static item_members derived(const book&)` gives attributes that are made from the members, and written
/// beside them but never read: composed keys, such as "BOOK#" + isbn, and those of indexes.
template <class T>
struct item_traits : default_item_traits {};

/// When a write of a versioned table sets a time itself.
enum class set_by_library { never, at_creation, at_save };

/// A member as its name and type say: the base of every specialisation of `member_traits`.
struct default_member_traits {
    static constexpr std::string_view attribute{};  ///< its name in the item; empty: by `item_traits`
    static constexpr bool keeps_default = false;    ///< as `default_item_traits::keeps_defaults`, of this one
    static constexpr bool is_written = true;        ///< else it is read, and whatever is stored of it stays
    static constexpr bool is_stored = true;         ///< else it is neither read nor written
    /// Of a time: what the struct has there is not written, but the time of the write.
    static constexpr set_by_library sets = set_by_library::never;
};

/// Specialise it for a single member, from `default_member_traits`:
///
///     template <>
///     struct dynalease::member_traits<&book::shelf> : dynalease::default_member_traits {
///         static constexpr std::string_view attribute = "Shelf";
///         static constexpr bool keeps_default = true;
///     };
///
/// `to_attribute` and `from_attribute`, as `attribute_traits` have them, give it a form of its own; of an optional they
/// convert the value. What is written but needs no other form when it is read may leave the second out.
template <auto Member>
struct member_traits : default_member_traits {};

/// A time, or an optional one, that the library sets when a versioned table or a transaction makes the item; items from
/// before keep the default. It goes by the database's clock, set right by the service's time where the client has seen it:
///
///     template <>
///     struct dynalease::member_traits<&book::made> : dynalease::creation_time {};
struct creation_time : default_member_traits {
    static constexpr bool keeps_default = true;
    static constexpr set_by_library sets = set_by_library::at_creation;
};
/// The same at each save, replacement, update, clobbering and put of a transaction, and when the item is made. Blind
/// changes, touches, item guards, and a put of a transaction that changes nothing leave it as it is.
struct save_time : default_member_traits {
    static constexpr bool keeps_default = true;
    static constexpr set_by_library sets = set_by_library::at_save;
};

/// A time as whole seconds since 1970, as DynamoDB's TTL has it:
///
///     template <>
///     struct dynalease::member_traits<&session::expires> : dynalease::as_epoch_seconds {};
struct as_epoch_seconds : default_member_traits {
    template <class Duration>
    static attribute_value to_attribute(const std::chrono::sys_time<Duration>& time, const mapping_place& place) {
        constexpr mapping::time_unit unit{.seconds = Duration::period::num, .parts = Duration::period::den};
        return mapping::from_epoch_time(time.time_since_epoch().count(), unit, place);
    }
};

}  // namespace dynalease
#pragma GCC visibility pop
