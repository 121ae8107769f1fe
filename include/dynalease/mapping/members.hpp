// The members of described structs, and what their users say of them.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/mapping/bases.hpp>
#include <dynalease/mapping/forms.hpp>
#include <dynalease/mapping/traits.hpp>

#include <boost/describe/members.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#pragma GCC visibility push(default)
namespace dynalease::mapping {

/// The members of a described struct, private ones too, and those of its bases first.
template <class T>
using members_of =
    boost::describe::describe_members<T, boost::describe::mod_any_access | boost::describe::mod_inherited>;

/// Calls `visit` with a descriptor of each.
template <class T, class Visitor>
constexpr void for_each_member(Visitor&& visit) {
    []<template <class...> class List, class... Member>(List<Member...>, Visitor& call) { (call(Member{}), ...); }(
        members_of<T>{}, visit);
}

template <class Struct, class Descriptor>
using type_of = std::remove_cvref_t<decltype(std::declval<const Struct&>().*Descriptor::pointer)>;
/// What is stored of a member that has a value: an optional's value.
template <class T>
struct held {
    using type = T;
};
template <class T>
    requires is_optional<T>
struct held<T> {
    using type = typename form<T>::optional_of;
};
template <class T>
using held_type = typename held<T>::type;

template <class Traits, class T>
concept converts_to_attribute = requires(const T& value, const mapping_place& place) {
    { Traits::to_attribute(value, place) } -> std::convertible_to<attribute_value>;
};
template <class Traits, class T>
concept converts_from_attribute = requires(const attribute_value& stored, const mapping_place& place) {
    { Traits::from_attribute(stored, place) } -> std::convertible_to<T>;
};
/// Whether the member has a form, that of its type or its own, or needs none.
template <class Traits, class T>
inline constexpr bool storable =
    mappable<T> || !Traits::is_stored ||
    (converts_to_attribute<Traits, held_type<T>> && converts_from_attribute<Traits, held_type<T>>);

/// Instantiated for each member, so that a compiler's message about it names the member.
template <class Struct, auto Member, class T>
struct member {
    static_assert(
        storable<member_traits<Member>, T>,
        "this member of the struct has no form as a DynamoDB attribute: describe its type with Boost.Describe, "
        "specialise dynalease::attribute_traits or member_traits for it, or leave it out of the description");
    static constexpr bool value = storable<member_traits<Member>, T> && member_traits<Member>::is_stored;
};
template <class Struct, class Descriptor>
using member_named = member<Struct, Descriptor::pointer, type_of<Struct, Descriptor>>;

/// Whether a write of the struct writes what stands in the member.
template <class Traits>
inline constexpr bool is_written = Traits::is_written && Traits::sets == set_by_library::never;

template <class T, class Descriptor>
std::string_view attribute_of() {
    using traits = member_traits<Descriptor::pointer>;
    if constexpr (traits::attribute.empty())
        return item_traits<T>::attribute_name(Descriptor::name);
    else
        return traits::attribute;
}

/// Whether the member is the one that shows the version.
template <class T, class Descriptor>
constexpr bool shows_version() {
    // Named here, for GCC 12 loses the const of a constant whose type is asked for inside a generic lambda.
    using chosen = std::remove_const_t<decltype(item_traits<T>::version_member)>;
    if constexpr (std::same_as<std::remove_const_t<decltype(Descriptor::pointer)>, chosen>)
        return Descriptor::pointer == item_traits<T>::version_member;
    else
        return false;
}

/// Whether the member keeps the value that it is made with where its attribute is absent.
template <class T, class Descriptor>
constexpr bool keeps_default() {
    return item_traits<T>::keeps_defaults || member_traits<Descriptor::pointer>::keeps_default;
}
template <class T, class Descriptor>
constexpr bool may_be_absent() {
    return is_optional<type_of<T, Descriptor>> || shows_version<T, Descriptor>() || keeps_default<T, Descriptor>();
}
/// Whether the member is a set that is no attribute while it is empty, for DynamoDB has no empty sets. One that keeps a
/// default could not be told from that then.
template <class T, class Descriptor>
constexpr bool absent_if_empty() {
    using traits = member_traits<Descriptor::pointer>;
    constexpr bool is_set = requires { typename mapping::form<type_of<T, Descriptor>>::set_of; };
    return is_set && !converts_to_attribute<traits, type_of<T, Descriptor>> && !keeps_default<T, Descriptor>();
}

/// The attributes that are read of a struct, or those that are also written; of a variant those of all its
/// alternatives.
template <class T, bool Written = false>
std::vector<std::string> attributes_of() {
    std::vector<std::string> names;
    if constexpr (struct_variant<T>) {
        names.emplace_back(variant_traits<T>::discriminator);
        []<class... Each>(const std::variant<Each...>*, std::vector<std::string>& all) {
            (std::ranges::move(attributes_of<Each, Written>(), std::back_inserter(all)), ...);
        }(static_cast<const T*>(nullptr), names);
    } else {
        // Without a function for each member: every struct is compiled with this.
        []<template <class...> class List, class... Each>(List<Each...>*, std::vector<std::string>& all) {
            add_wanted(all, {{attribute_of<T, Each>(), member_named<T, Each>::value &&
                                                           (!Written || is_written<member_traits<Each::pointer>>)}...});
        }(static_cast<members_of<T>*>(nullptr), names);
    }
    return names;
}

template <class T>
inline constexpr bool has_version_member =
    !std::same_as<std::remove_const_t<decltype(item_traits<T>::version_member)>, std::nullptr_t>;
/// Whether one of the described members shows the version.
template <class T>
inline constexpr bool describes_version = []<template <class...> class List, class... Member>(List<Member...>*) {
    return (shows_version<T, Member>() || ...);
}(static_cast<members_of<T>*>(nullptr));

/// The attribute of the member that shows the version; empty if no member does.
template <class T>
std::string_view version_attribute() {
    std::string_view name;
    if constexpr (struct_variant<T>) {
        []<class... Each>(const std::variant<Each...>*, std::string_view& any) {
            const auto take = [&](std::string_view own) {
                if (!any.empty() && !own.empty() && own != any) fail_versions(any, own);
                if (!own.empty()) any = own;
            };
            (take(version_attribute<Each>()), ...);
        }(static_cast<const T*>(nullptr), name);
    } else if constexpr (has_version_member<T>) {
        static_assert(describes_version<T>, "item_traits<T>::version_member is no member that is described");
        for_each_member<T>([&](auto each) {
            using descriptor = decltype(each);
            if constexpr (shows_version<T, descriptor>()) name = attribute_of<T, descriptor>();
        });
    }
    return name;
}

}  // namespace dynalease::mapping
#pragma GCC visibility pop
