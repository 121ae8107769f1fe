// As what type the members of a struct are stored, where their types tell it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/mapping/members.hpp>

#include <concepts>
#include <string_view>
#include <type_traits>

#pragma GCC visibility push(default)
namespace dynalease::mapping {

/// "S", "N" and so on, as the service names types; empty of what is not stored, or has a conversion of its own.
template <class Traits, class T>
constexpr std::string_view stored_type_of(bool for_expiry) {
    using shape = form<T>;
    if constexpr (!Traits::is_stored || is_optional<T> || converts_to_attribute<Traits, T> ||
                  converts_from_attribute<Traits, T> || customised<T> || std::same_as<T, attribute_value>)
        return {};
    else if constexpr (std::same_as<T, std::string> || described_enum<T>)
        return "S";
    else if constexpr (std::same_as<T, bool>)
        return "BOOL";
    else if constexpr (std::same_as<T, null>)
        return "NULL";
    else if constexpr (std::same_as<T, binary>)
        return "B";
    else if constexpr (std::is_arithmetic_v<T> || std::same_as<T, number> || requires { typename shape::duration_of; })
        return "N";
    else if constexpr (requires { typename shape::time_in; })
        return for_expiry ? "N" : "S";
    else if constexpr (requires { typename shape::list_of; } || requires { typename shape::array_of; })
        return "L";
    else if constexpr (requires { typename shape::set_of; })
        return "a set";
    else
        return "M";
}

/// ... of the attribute of that name; empty also where no member has it, and of a variant.
template <class T>
std::string_view stored_type(std::string_view attribute) {
    std::string_view type;
    if constexpr (!struct_variant<T>) {
        []<template <class...> class List, class... Each>(List<Each...>*, std::string_view wanted,
                                                          std::string_view& found) {
            const auto look = [&](std::string_view name, std::string_view stored) {
                if (name == wanted) found = stored;
            };
            (look(attribute_of<T, Each>(), stored_type_of<member_traits<Each::pointer>, held_type<type_of<T, Each>>>(
                                               attribute_of<T, Each>() == item_traits<T>::time_to_live)),
             ...);
        }(static_cast<members_of<T>*>(nullptr), attribute, type);
    }
    return type;
}

/// Whether a member has the attribute of that name; where not, something derived from the members may be called so.
/// @tparam Written it is written, too
template <class T, bool Written>
bool has_attribute(std::string_view name) {
    return []<template <class...> class List, class... Each>(List<Each...>*, std::string_view wanted) {
        return (((!Written || is_written<member_traits<Each::pointer>>) && attribute_of<T, Each>() == wanted) || ...);
    }(static_cast<members_of<T>*>(nullptr), name);
}

/// As what type a struct writes the time by which its table's TTL goes; empty where that is not known, or not written.
template <class T>
std::string_view expiry_type(std::string_view attribute) {
    if constexpr (!struct_variant<T>) {
        if (!has_attribute<T, true>(attribute)) return {};
    }
    return stored_type<T>(attribute);
}

/// What the struct's traits call `time_to_live`, if it has no such attribute. Else empty, and where that is not known.
template <class T>
std::string_view missing_time_to_live() {
    constexpr bool derives = requires(const T& value) { item_traits<T>::derived(value); };
    if constexpr (!struct_variant<T> && !derives) {
        constexpr std::string_view named = item_traits<T>::time_to_live;
        if (named != default_item_traits::time_to_live && !has_attribute<T, false>(named)) return named;
    }
    return {};
}

}  // namespace dynalease::mapping
#pragma GCC visibility pop
