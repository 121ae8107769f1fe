// Whether a struct's description lists its bases: a base that it leaves out would be left out of every item.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <boost/describe/bases.hpp>
#include <boost/describe/modifiers.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#pragma GCC visibility push(default)
namespace dynalease::mapping {

/// Converts to every base of T; or only to those with members; or to nothing. Never made.
template <class T>
struct any_base {
    template <class Base>
        requires(std::is_base_of_v<Base, T> && !std::same_as<Base, T>)
    operator Base() const;
};
template <class T>
struct base_with_members {
    template <class Base>
        requires(std::is_base_of_v<Base, T> && !std::same_as<Base, T> && !std::is_empty_v<Base>)
    operator Base() const;
};
struct no_base {};

/// Whether T is made of bases, so many of them, and then of a `Last`.
template <class T, class Last, std::size_t... Before>
constexpr bool begins_with(std::index_sequence<Before...>) {
    return requires { T{(static_cast<void>(Before), any_base<T>{})..., Last{}}; };
}

/// Bases with members among the parts of an aggregate from `Place` on: its bases come first.
template <class T, std::size_t Place = 0>
constexpr std::size_t bases_with_members() {
    constexpr std::make_index_sequence<Place> before;
    // A member that takes everything is no base.
    if constexpr (!begins_with<T, any_base<T>>(before) || begins_with<T, no_base>(before))
        return 0;
    else
        return (begins_with<T, base_with_members<T>>(before) ? 1 : 0) + bases_with_members<T, Place + 1>();
}

/// Only of aggregates can bases be counted; of other classes this is taken for true.
template <class T>
constexpr bool lists_bases() {
    if constexpr (!std::is_aggregate_v<T>) {
        return true;
    } else {
        using namespace boost::describe;
        return []<template <class...> class List, class... Base>(List<Base...>*) {
            return bases_with_members<T>() == (0 + ... + (std::is_empty_v<typename Base::type> ? 0U : 1U));
        }(static_cast<describe_bases<T, mod_any_access>*>(nullptr));
    }
}
template <class T>
inline constexpr bool lists_its_bases = lists_bases<T>();

}  // namespace dynalease::mapping
#pragma GCC visibility pop
