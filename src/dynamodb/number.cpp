// The public number: text that was checked once, compared by value.
// SPDX-License-Identifier: BSL-1.0
#include "dynamodb/decimal.hpp"

#include <dynalease/dynamodb/attribute_value.hpp>
#include <dynalease/error.hpp>

#include <charconv>
#include <limits>

namespace dynalease {

std::string number::shortest_text(double value) {
    return dynalease::shortest_text(value);
}
std::string number::shortest_text(float value) {
    return dynalease::shortest_text(value);
}

number::number(std::string_view text) : text_(text) {
    const auto parsed = decimal::parse(text);
    if (parsed) return;
    diagnostics details;
    details.message = describe(parsed.error());
    throw error(make_error_code(errc::validation), std::move(details));
}

std::optional<number> number::parse(std::string_view text) {
    if (!decimal::parse(text)) return std::nullopt;
    number out;
    out.text_ = text;
    return out;
}

std::optional<std::int64_t> number::to_integer() const noexcept {
    std::int64_t plain = 0;
    const char* const end = text_.data() + text_.size();
    if (const auto [stop, fault] = std::from_chars(text_.data(), end, plain); fault == std::errc{} && stop == end) {
        return plain;
    }
    const decimal value = decimal::of(*this);
    if (value.exponent < 0 || value.magnitude() > std::numeric_limits<std::int64_t>::digits10) return std::nullopt;
    // Counted downwards: the lowest integer has no positive twin.
    constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
    std::int64_t out = 0;
    for (int i = 0; i < value.count + value.exponent; ++i) {
        const int digit = i < value.count ? value.digits[std::size_t(i)] : 0;
        if (out < (lowest + digit) / 10) return std::nullopt;
        out = out * 10 - digit;
    }
    if (value.negative) return out;
    if (out == lowest) return std::nullopt;
    return -out;
}

std::string number::canonical_text() const {
    return decimal::of(*this).to_string();
}

double number::to_double() const noexcept {
    return decimal::of(*this).to_double();
}

bool operator==(const number& left, const number& right) noexcept {
    return left.text_ == right.text_ || decimal::of(left) == decimal::of(right);
}

std::strong_ordering operator<=>(const number& left, const number& right) noexcept {
    return decimal::of(left) <=> decimal::of(right);
}

}  // namespace dynalease
