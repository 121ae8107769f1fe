// The parts that the models of many requests share.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "local/codec/shape.hpp"

#include <array>
#include <string_view>

namespace dynalease::codec::shapes {

using enum shape_kind;

inline constexpr shape any_text{.kind = text};
inline constexpr shape any_boolean{.kind = boolean};
inline constexpr shape any_value{.kind = value, .type_name = "AttributeValue"};
inline constexpr shape value_map{.kind = map, .element = &any_value};
inline constexpr shape text_map{.kind = map, .element = &any_text};
inline constexpr shape value_list{.kind = list, .element = &any_value};
inline constexpr shape text_list{.kind = list, .element = &any_text};
inline constexpr shape name{.kind = text, .least = 3, .most = 255, .is_name = true};
/// Requests about items take a name or an ARN, and the service looks only for an empty one.
inline constexpr shape table_name{.kind = text, .least = 1, .most = 255, .is_name = true};
inline constexpr shape from_zero{.kind = integer, .least = 0};
inline constexpr shape from_one{.kind = integer, .least = 1};

/// A text that must be one of the words.
constexpr shape one_of(std::span<const std::string_view> words) {
    return {.kind = text, .words = words};
}

}  // namespace dynalease::codec::shapes
