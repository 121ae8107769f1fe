// Base64 without leniency: each binary has one text only.
#include "dynamodb/base64.hpp"

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

std::optional<binary> decode_base64(std::string_view text) {
    if (text.size() % 4 != 0) return std::nullopt;
    std::size_t padding = 0;
    while (padding < 2 && text.ends_with('=')) {
        text.remove_suffix(1);
        ++padding;
    }
    binary out;
    out.reserve(text.size() * 3 / 4);
    std::uint32_t bits = 0;
    unsigned held = 0;
    for (const char c : text) {
        const auto digit = digit_values[static_cast<unsigned char>(c)];
        if (digit == no_digit) return std::nullopt;
        bits = bits << 6 | digit;
        held += 6;
        if (held < 8) continue;
        held -= 8;
        out.push_back(static_cast<std::byte>(bits >> held & 255));
        bits &= (1U << held) - 1;
    }
    if (bits != 0) return std::nullopt;  // what the padding leaves over must be zero
    return out;
}

}  // namespace dynalease
