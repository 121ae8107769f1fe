// Sign, magnitude, digits, end mark; inverted for negative numbers.
#include "local/number_key.hpp"

#include "dynamodb/decimal.hpp"

namespace dynalease::local {

std::string sortable_bytes(const number& value) {
    constexpr char below_zero = 0x40;
    constexpr char zero = 0x60;
    constexpr char above_zero = 0x70;
    const decimal exact = decimal::of(value);
    if (exact.count == 0) return std::string(1, zero);
    const int magnitude = exact.magnitude() - decimal::min_magnitude;
    std::string bytes;
    bytes.push_back(static_cast<char>(magnitude >> 8));
    bytes.push_back(static_cast<char>(magnitude & 0xff));
    for (int i = 0; i < exact.count; ++i) {
        bytes.push_back(static_cast<char>(exact.digits[static_cast<std::size_t>(i)] + 1));
    }
    bytes.push_back(0);
    if (exact.negative) {
        for (char& byte : bytes) byte = static_cast<char>(~byte);
    }
    return (exact.negative ? below_zero : above_zero) + bytes;
}

}  // namespace dynalease::local
