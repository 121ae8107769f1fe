// Base64 (RFC 4648, padded): how binary values travel.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/attribute_value.hpp>

#include <optional>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)  // dynalease::local or dynalease::testing uses it, too
namespace dynalease {

std::string encode_base64(const binary& bytes);

/// Whether it is a text that `encode_base64` gives.
bool is_base64(std::string_view text) noexcept;

/// Takes exactly what `encode_base64` gives; empty for anything else, such as missing padding.
std::optional<binary> decode_base64(std::string_view text);

}  // namespace dynalease
#pragma GCC visibility pop
