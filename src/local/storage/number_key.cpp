// Sign and magnitude in one byte, then two digits in each; inverted for negative numbers.
// SPDX-License-Identifier: BSL-1.0
#include "local/storage/number_key.hpp"

#include "dynamodb/decimal.hpp"

namespace dynalease::local {

std::string sortable_bytes(const number& value) {
    constexpr unsigned zero = 0x80;
    const decimal exact = decimal::of(value);
    if (exact.count == 0) return std::string(1, static_cast<char>(zero));
    // Pairs of digits stand on both sides of the point; an odd magnitude begins with half a pair.
    const int magnitude = exact.magnitude() + 1;
    const int half = magnitude % 2 != 0 ? 1 : 0;
    constexpr int middle = 64;
    const auto first = static_cast<unsigned>((magnitude + half) / 2 - middle);
    std::string bytes(1, static_cast<char>(exact.negative ? ~first : first));
    const auto digit = [&exact](int at) {
        return at >= 0 && at < exact.count ? static_cast<int>(exact.digits[static_cast<std::size_t>(at)]) : 0;
    };
    // A pair is never 0, so that nothing is the beginning of a greater number; a negative one ends above all pairs.
    constexpr int above_pairs = 101;
    for (int at = -half; at < exact.count; at += 2) {
        const int pair = 1 + 10 * digit(at) + digit(at + 1);
        bytes.push_back(static_cast<char>(exact.negative ? above_pairs + 1 - pair : pair));
    }
    constexpr std::size_t most_pairs = 20;
    if (exact.negative && bytes.size() <= most_pairs) bytes.push_back(static_cast<char>(above_pairs + 1));
    return bytes;
}

}  // namespace dynalease::local
