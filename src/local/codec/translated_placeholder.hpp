// The placeholders in expressions that stand for the parameters from before there were expressions.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <string_view>

namespace dynalease::codec {

/// No placeholder that a request may define has this character, so nobody can write one of these.
inline constexpr char translated_mark = '@';
inline constexpr std::string_view translated_name = "#@";
inline constexpr std::string_view translated_value = ":@";

inline bool is_translated(std::string_view placeholder) noexcept {
    return placeholder.starts_with(translated_name) || placeholder.starts_with(translated_value);
}

/// What the names in the translation of a parameter begin with. One request may have its KeyConditions translated
/// beside a filter in its own words: "#@k0" makes the one a translation, and not the other.
/// @param parameter that it becomes: "FilterExpression".
inline std::string translated_name_of(std::string_view parameter) {
    return std::string(translated_name) + std::string(parameter.substr(0, parameter.find("Expression"))) + "_";
}

}  // namespace dynalease::codec
