// What stands in an item for members that the struct does not write: times that the library sets, and the others.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/mapping/values.hpp>

#include <chrono>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#pragma GCC visibility push(default)
namespace dynalease::mapping {

/// What a time becomes that the library sets.
struct time_member {
    using wall_time = std::chrono::sys_time<std::chrono::milliseconds>;

    std::string attribute;
    set_by_library when;
    attribute_value (*at)(wall_time now);
};
struct unwritten_members {
    std::vector<time_member> times{};
    std::vector<std::string> kept{};  ///< the attributes of all
};

template <class T, class Descriptor>
attribute_value time_of_write(time_member::wall_time now) {
    using traits = member_traits<Descriptor::pointer>;
    using time = held_type<type_of<T, Descriptor>>;
    const auto name = attribute_of<T, Descriptor>();
    const time rounded = std::chrono::floor<typename form<time>::time_in>(now);
    return write_member<traits>(rounded, name == item_traits<T>::time_to_live, mapping_place(Descriptor::name));
}

template <class T>
inline constexpr bool writes_all = []<template <class...> class List, class... Each>(List<Each...>*) {
    return (is_written<member_traits<Each::pointer>> && ...);
}(static_cast<members_of<T>*>(nullptr));

template <class T>
unwritten_members unwritten_of(const T& value) {
    if constexpr (struct_variant<T>) {
        return std::visit([](const auto& held) { return unwritten_of(held); }, value);
    } else if constexpr (writes_all<T>) {
        return {};
    } else {
        unwritten_members out;
        for_each_member<T>([&](auto each) {
            using descriptor = decltype(each);
            using traits = member_traits<descriptor::pointer>;
            if constexpr (member_named<T, descriptor>::value && !is_written<traits>) {
                const std::string name(attribute_of<T, descriptor>());
                if constexpr (traits::sets != set_by_library::never) {
                    static_assert(
                        requires { typename form<held_type<type_of<T, descriptor>>>::time_in; },
                        "what the library sets to the time of a write is a std::chrono::sys_time");
                    out.times.push_back({name, traits::sets, &time_of_write<T, descriptor>});
                }
                out.kept.push_back(name);
            }
        });
        return out;
    }
}

}  // namespace dynalease::mapping
#pragma GCC visibility pop
