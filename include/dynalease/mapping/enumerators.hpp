// Enumerators by their described names.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/mapping/forms.hpp>

#include <boost/describe/enumerators.hpp>

#include <cstdint>
#include <optional>
#include <string>

#pragma GCC visibility push(default)
namespace dynalease::mapping {

template <described_enum T>
std::string enumerator_name(T value, const mapping_place& place) {
    const char* found = nullptr;
    []<template <class...> class List, class... Each>(List<Each...>, T wanted, const char*& name) {
        ((Each::value == wanted ? void(name = Each::name) : void()), ...);
    }(boost::describe::describe_enumerators<T>{}, value, found);
    if (!found) place.fail("is " + std::to_string(static_cast<std::int64_t>(value)) + ", which has no described name");
    return found;
}

template <described_enum T>
T enumerator_of(const std::string& name, const mapping_place& place) {
    std::optional<T> found;
    []<template <class...> class List, class... Each>(List<Each...>, const std::string& wanted, std::optional<T>& out) {
        ((wanted == Each::name ? void(out = Each::value) : void()), ...);
    }(boost::describe::describe_enumerators<T>{}, name, found);
    if constexpr (requires { enum_traits<T>::unknown; }) {
        return found.value_or(enum_traits<T>::unknown);
    } else {
        if (!found) place.fail("is \"" + name + "\", which is no name of the enumeration");
        return *found;
    }
}

}  // namespace dynalease::mapping
#pragma GCC visibility pop
