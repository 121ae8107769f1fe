// How the library's enumerations are printed: by the names that they have in the headers.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <iosfwd>
#include <string_view>
#include <type_traits>

#pragma GCC visibility push(default)
namespace dynalease {

/// An enumeration with a `to_string`. Each says its names beside its enumerators; of a value that is none, "unknown".
template <class T>
concept named = std::is_enum_v<T> && requires(T value) {
    { to_string(value) } -> std::same_as<std::string_view>;
};

/// `log << guard.state()` writes "held".
template <class Traits, named T>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, T value) {
    return out << to_string(value);
}

}  // namespace dynalease
#pragma GCC visibility pop
