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

/// What the struct's traits call `time_to_live`, if it has no such attribute. Else empty, and for a variant.
template <class T>
std::string_view missing_time_to_live() {
    if constexpr (!struct_variant<T>) {
        constexpr std::string_view named = item_traits<T>::time_to_live;
        if (named != default_item_traits::time_to_live && stored_type<T>(named).empty()) return named;
    }
    return {};
}

}  // namespace dynalease::mapping
#pragma GCC visibility pop
