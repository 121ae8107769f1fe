// Names that never come twice.
// SPDX-License-Identifier: BSL-1.0
#include "runtime/identity.hpp"

#include "runtime/system_random.hpp"

#include <dynalease/runtime/environment.hpp>

#include <cstddef>
#include <string_view>

namespace dynalease {

namespace runtime {

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

}  // namespace runtime

std::array<std::uint64_t, 2> environment::new_identity() const {
    auto elapsed = static_cast<std::uint64_t>(clock->now().time_since_epoch().count());
    auto told = static_cast<std::uint64_t>(clock->wall().time_since_epoch().count());
    const auto high = random->next() ^ runtime::spread(elapsed);
    return {high, random->next() ^ runtime::spread(told)};
}

std::string environment::new_id() const {
    return runtime::text_of_identity(new_identity());
}

}  // namespace dynalease
