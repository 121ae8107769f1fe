// Exact decimal arithmetic within DynamoDB's limits. Nothing here allocates but `to_string`.
// SPDX-License-Identifier: BSL-1.0
#include "dynamodb/decimal.hpp"

#include <boost/throw_exception.hpp>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <span>
#include <stdexcept>

namespace dynalease {

namespace {

bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}

/// Reads an exponent up to its end. One beyond 64 bits is none, as the service has it; another is held at a bound that
/// no mantissa of a possible length can bring back into range.
bool read_exponent(std::string_view text, std::int64_t& exponent) noexcept {
    if (text.starts_with('+')) {
        text.remove_prefix(1);
        if (text.starts_with('-')) return false;
    }
    const char* const end = text.data() + text.size();
    const auto [stop, fault] = std::from_chars(text.data(), end, exponent);
    constexpr std::int64_t bound = std::numeric_limits<std::int64_t>::max() / 16;
    exponent = std::clamp(exponent, -bound, bound);
    return fault == std::errc{} && stop == end;
}

/// A fixed-point register as wide as any sum: from the last digit of the smallest number to a carry over the largest.
struct wide {
    static constexpr int lowest = decimal::min_magnitude - decimal::max_digits + 1;
    static constexpr int size = decimal::max_magnitude - lowest + 2;

    std::array<std::int8_t, size> digits{};  // the last first

    explicit wide(const decimal& value) noexcept {
        for (int i = 0; i < value.count; ++i) at(value.exponent + value.count - 1 - i) = value.digits[std::size_t(i)];
    }
    std::int8_t& at(int power) noexcept { return digits[std::size_t(power - lowest)]; }

    void add(const wide& other) noexcept {
        int carry = 0;
        for (std::size_t i = 0; i < digits.size(); ++i) {
            const int sum = digits[i] + other.digits[i] + carry;
            digits[i] = std::int8_t(sum % 10);
            carry = sum / 10;
        }
    }
    /// @pre other is not greater.
    void subtract(const wide& other) noexcept {
        int borrow = 0;
        for (std::size_t i = 0; i < digits.size(); ++i) {
            const int difference = digits[i] - other.digits[i] - borrow;
            borrow = difference < 0 ? 1 : 0;
            digits[i] = std::int8_t(difference + 10 * borrow);
        }
    }

    boost::system::result<decimal, decimal_error> narrow(bool negative) noexcept {
        const auto is_set = [](std::int8_t digit) { return digit != 0; };
        const auto last = std::ranges::find_if(digits, is_set);
        if (last == digits.end()) return decimal{};
        const auto first = std::find_if(digits.rbegin(), digits.rend(), is_set).base();  // one beyond
        decimal out;
        out.negative = negative;
        out.exponent = int(last - digits.begin()) + lowest;
        out.count = int(first - last);
        if (out.magnitude() > decimal::max_magnitude) return decimal_error::overflow;
        if (out.magnitude() < decimal::min_magnitude) return decimal_error::underflow;
        if (out.count > decimal::max_digits) return decimal_error::too_many_digits;
        std::reverse_copy(last, first, out.digits.begin());
        return out;
    }
};

std::strong_ordering compare_magnitudes(const decimal& left, const decimal& right) noexcept {
    if (left.count == 0 || right.count == 0) return left.count <=> right.count;
    if (left.magnitude() != right.magnitude()) return left.magnitude() <=> right.magnitude();
    // Aligned at the first digit, and the unused ones are zero.
    return left.digits <=> right.digits;
}

}  // namespace

std::string_view describe(decimal_error why) noexcept {
    switch (why) {
        case decimal_error::overflow:
            return "Number overflow. Attempting to store a number with magnitude larger than supported range";
        case decimal_error::underflow:
            return "Number underflow. Attempting to store a number with magnitude smaller than supported range";
        case decimal_error::too_many_digits:
            return "Attempting to store more than 38 significant digits in a Number";
        case decimal_error::malformed:
            break;
    }
    return "The parameter cannot be converted to a numeric value";
}

void throw_exception_from_error(decimal_error why, const boost::source_location& where) {
    boost::throw_exception(std::invalid_argument(std::string(describe(why))), where);
}

boost::system::result<decimal, decimal_error> decimal::parse(std::string_view text) noexcept {
    decimal out;
    if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
        out.negative = text.front() == '-';
        text.remove_prefix(1);
    }
    std::int64_t exponent = 0;
    if (const auto mark = text.find_first_of("eE"); mark != std::string_view::npos) {
        if (!read_exponent(text.substr(mark + 1), exponent)) return decimal_error::malformed;
        text = text.substr(0, mark);
    }
    const auto point = text.find('.');
    const auto whole = text.substr(0, point);
    const auto fraction = point == std::string_view::npos ? std::string_view{} : text.substr(point + 1);
    if (whole.empty() && fraction.empty()) return decimal_error::malformed;
    if (!std::ranges::all_of(whole, is_digit) || !std::ranges::all_of(fraction, is_digit)) {
        return decimal_error::malformed;
    }

    // Zeros between digits count, those around them do not: they are held back until another digit follows.
    std::int64_t held_back = 0;
    bool too_many = false;
    const auto take = [&](std::string_view digits) {
        for (const char c : digits) {
            if (c == '0') {
                if (out.count != 0) ++held_back;
                continue;
            }
            if (out.count + held_back >= max_digits) {
                too_many = true;
                return;
            }
            out.count += int(held_back);  // the array holds zeros already
            held_back = 0;
            out.digits[std::size_t(out.count++)] = std::int8_t(c - '0');
        }
    };
    take(whole);
    if (!too_many) take(fraction);
    if (too_many) return decimal_error::too_many_digits;

    const auto last = exponent + held_back - std::int64_t(fraction.size());
    // Of zero the service goes by the last digit that is written: 0e126 is beyond the range, 0.0e126 is not.
    const auto magnitude = last + std::max(out.count, 1) - 1;
    if (magnitude > max_magnitude) return decimal_error::overflow;
    if (magnitude < min_magnitude) return decimal_error::underflow;
    if (out.count == 0) return decimal{};
    out.exponent = int(last);
    return out;
}

decimal decimal::of(const number& value) noexcept {
    const auto parsed = parse(value.text());
    return parsed ? *parsed : decimal{};  // only the text of a number that was moved from is none
}

std::string decimal::to_string() const {
    if (count == 0) return "0";
    std::string out = negative ? "-" : "";
    if (magnitude() < 0) {
        out += "0.";
        out.append(std::size_t(-magnitude() - 1), '0');
    }
    for (int i = 0; i < count; ++i) {
        if (i != 0 && magnitude() - i == -1) out += '.';
        out += char('0' + digits[std::size_t(i)]);
    }
    if (exponent > 0) out.append(std::size_t(exponent), '0');
    return out;
}

// Written as an integer and an exponent: without a point, no locale has a say in what strtod reads. (from_chars is not
// everywhere: libc++ has it for floating-point types from version 20 on.)
double decimal::to_double() const noexcept {
    if (count == 0) return 0;
    std::array<char, max_digits + 8> text{};  // a sign, the digits, "e-167" and the end
    char* end = text.data();
    if (negative) *end++ = '-';
    for (int i = 0; i < count; ++i) *end++ = char('0' + digits[std::size_t(i)]);
    *end++ = 'e';
    std::to_chars(end, text.data() + text.size() - 1, exponent);
    return std::strtod(text.data(), nullptr);
}

std::strong_ordering operator<=>(const decimal& left, const decimal& right) noexcept {
    if (left.negative != right.negative) return right.negative <=> left.negative;
    return left.negative ? compare_magnitudes(right, left) : compare_magnitudes(left, right);
}

boost::system::result<decimal, decimal_error> add(const decimal& left, const decimal& right) noexcept {
    const bool left_is_greater = compare_magnitudes(left, right) > 0;
    const decimal& greater = left_is_greater ? left : right;
    const decimal& smaller = left_is_greater ? right : left;
    wide sum(greater);
    if (left.negative == right.negative) {
        sum.add(wide(smaller));
    } else {
        sum.subtract(wide(smaller));
    }
    return sum.narrow(greater.negative);
}

boost::system::result<decimal, decimal_error> subtract(const decimal& left, const decimal& right) noexcept {
    decimal opposite = right;
    opposite.negative = right.count != 0 && !right.negative;
    return add(left, opposite);
}

}  // namespace dynalease
