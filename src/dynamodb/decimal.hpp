// DynamoDB's numbers as exact decimals: parsing, comparison, sum and difference to 38 significant digits.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/attribute_value.hpp>

#include <boost/assert/source_location.hpp>
#include <boost/system/result.hpp>

#include <array>
#include <charconv>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)  // dynalease::local or dynalease::testing uses it, too
namespace dynalease {

enum class decimal_error {
    malformed = 1,    ///< no decimal number
    too_many_digits,  ///< more than 38 significant ones
    overflow,         ///< beyond 9.99…E+125
    underflow,        ///< nearer to zero than 1E-130
};

/// What to tell the user about it, in the service's own words.
std::string_view describe(decimal_error why) noexcept;

/// Found by Boost.System when `value()` is asked of a result that holds one; some versions want it for `*`, too.
[[noreturn]] void throw_exception_from_error(decimal_error why, const boost::source_location& where);

/// sign · digits · 10^exponent, normalised: the first and the last digit are not 0; zero has no digits.
struct decimal {
    static constexpr int max_digits = 38;
    static constexpr int max_magnitude = 125;   ///< of the first digit
    static constexpr int min_magnitude = -130;  ///< of the first digit

    bool negative = false;
    int exponent = 0;  ///< of the last digit
    int count = 0;
    std::array<std::int8_t, max_digits> digits{};

    /// The power of ten of the first digit.
    int magnitude() const noexcept { return exponent + count - 1; }

    static boost::system::result<decimal, decimal_error> parse(std::string_view text) noexcept;
    /// A number was parsed when it was made, so this cannot fail.
    static decimal of(const number& value) noexcept;

    /// The one text of this value: plain digits, no exponent, no needless zero. Equal numbers have equal texts.
    std::string to_string() const;
    number to_number() const { return number(to_string()); }
    /// The nearest one.
    double to_double() const noexcept;

    friend bool operator==(const decimal&, const decimal&) noexcept = default;
    friend std::strong_ordering operator<=>(const decimal& left, const decimal& right) noexcept;
};

boost::system::result<decimal, decimal_error> add(const decimal& left, const decimal& right) noexcept;
boost::system::result<decimal, decimal_error> subtract(const decimal& left, const decimal& right) noexcept;

/// The shortest text that reads back as the value.
template <class Floating>
std::string shortest_text(Floating value) {
    std::array<char, 64> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

}  // namespace dynalease
#pragma GCC visibility pop
