// Base64 without leniency: each binary has one text only.
// SPDX-License-Identifier: BSL-1.0
#include "dynamodb/base64.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace dynalease {

namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t no_digit = 64;

constexpr auto digit_values = [] {
    std::array<std::uint8_t, 256> values{};
    values.fill(no_digit);
    for (std::size_t i = 0; i < alphabet.size(); ++i) values[static_cast<unsigned char>(alphabet[i])] = std::uint8_t(i);
    return values;
}();

std::uint8_t value_of(char c) noexcept {
    return digit_values[static_cast<unsigned char>(c)];
}

std::string_view without_padding(std::string_view text) noexcept {
    for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
    return text;
}

}  // namespace

std::string encode_base64(const binary& bytes) {
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t present = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t group = 0;
        for (std::size_t j = 0; j < 3; ++j) {
            group = group << 8 | (j < present ? std::to_integer<std::uint32_t>(bytes[i + j]) : 0);
        }
        for (std::size_t j = 0; j < 4; ++j) out += j <= present ? alphabet[group >> (18 - 6 * j) & 63] : '=';
    }
    return out;
}

bool is_base64(std::string_view text) noexcept {
    if (text.size() % 4 != 0) return false;
    const std::string_view digits = without_padding(text);
    if (!std::ranges::all_of(digits, [](char c) { return value_of(c) != no_digit; })) return false;
    // What the padding leaves over must be zero.
    const std::size_t padding = text.size() - digits.size();
    const unsigned left_over = padding == 0 ? 0 : padding == 1 ? 3 : 15;
    return padding == 0 || (!digits.empty() && (value_of(digits.back()) & left_over) == 0);
}

std::optional<binary> decode_base64(std::string_view text) {
    if (!is_base64(text)) return std::nullopt;
    binary out;
    out.reserve(text.size() / 4 * 3);
    std::uint32_t bits = 0;
    unsigned held = 0;
    for (const char c : without_padding(text)) {
        bits = bits << 6 | value_of(c);
        held += 6;
        if (held < 8) continue;
        held -= 8;
        out.push_back(static_cast<std::byte>(bits >> held & 255));
    }
    return out;
}

}  // namespace dynalease
