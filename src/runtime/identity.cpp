// Names that never come twice, as text.
// SPDX-License-Identifier: BSL-1.0
#include "runtime/identity.hpp"

#include <cstddef>
#include <string_view>

namespace dynalease::runtime {

std::string text_of_identity(const std::array<std::uint64_t, 2>& identity) {
    constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const auto [high, low] = identity;
    std::string text(22, '\0');
    // Six bits a character from the top; the last character holds the two that remain.
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::size_t begin = 6 * i;
        std::uint64_t bits;
        if (begin + 6 <= 64) {
            bits = high >> (58 - begin);
        } else if (begin < 64) {
            bits = (high << (begin - 58)) | (low >> (122 - begin));
        } else if (begin + 6 <= 128) {
            bits = low >> (122 - begin);
        } else {
            bits = low << (begin - 122);
        }
        text[i] = alphabet[bits & 63];
    }
    return text;
}

}  // namespace dynalease::runtime
