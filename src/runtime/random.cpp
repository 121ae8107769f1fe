// What the library asks of a generator beyond its raw numbers.
#include <dynalease/runtime/random.hpp>

#include <array>
#include <string_view>

namespace dynalease {

std::uint64_t random::below(std::uint64_t bound) {
    if (bound == 0) return 0;
    // Numbers below 2^64 mod bound would make the small remainders more likely: draw again.
    const std::uint64_t surplus = (0 - bound) % bound;
    std::uint64_t drawn = next();
    while (drawn < surplus) drawn = next();
    return drawn % bound;
}

double random::unit() {
    constexpr double step = 1.0 / 9007199254740992.0;  // 2^-53: as many bits as a double holds exactly
    return static_cast<double>(next() >> 11) * step;
}

std::string random::id() {
    constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const std::uint64_t high = next();
    const std::uint64_t low = next();
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

}  // namespace dynalease
