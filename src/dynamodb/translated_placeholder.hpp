// The placeholders in expressions that stand for the parameters from before there were expressions.
#pragma once

#include <string_view>

namespace dynalease::codec {

/// What placeholders begin with that stand for parts of older parameters. Users' own never look like these.
inline constexpr std::string_view translated_name = "#old_parameter_";
inline constexpr std::string_view translated_value = ":old_parameter_";

inline bool is_translated(std::string_view placeholder) noexcept {
    return placeholder.starts_with(translated_name) || placeholder.starts_with(translated_value);
}

}  // namespace dynalease::codec
