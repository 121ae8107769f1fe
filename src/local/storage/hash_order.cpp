// MD5 (RFC 1321), for its order alone: OpenSSL has none where FIPS rules.
// SPDX-License-Identifier: BSL-1.0
#include "local/storage/hash_order.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>

namespace dynalease::local {

namespace {

constexpr std::size_t block_size = 64;

std::array<std::uint32_t, block_size> sines() {
    std::array<std::uint32_t, block_size> table{};
    constexpr double two_to_32 = 4294967296.0;
    for (std::size_t i = 0; i < table.size(); ++i) {
        table[i] = static_cast<std::uint32_t>(std::abs(std::sin(static_cast<double>(i + 1))) * two_to_32);
    }
    return table;
}

class md5 {
public:
    void put(std::string_view bytes) {
        length_ += bytes.size();
        while (!bytes.empty()) {
            const std::size_t taken = bytes.copy(block_.data() + used_, block_size - used_);
            bytes.remove_prefix(taken);
            used_ += taken;
            if (used_ == block_size) mix();
        }
    }

    std::uint64_t first_eight_bytes() {
        const std::uint64_t bits = length_ * 8;
        constexpr std::size_t length_at = block_size - sizeof(bits);
        put("\x80");
        if (used_ > length_at) fill_up_to(block_size);
        fill_up_to(length_at);
        for (unsigned i = 0; i < sizeof(bits); ++i) block_[length_at + i] = static_cast<char>(bits >> (8 * i));
        mix();
        // The words are little-endian, the result is read as bytes.
        return std::uint64_t{swapped(state_[0])} << 32U | swapped(state_[1]);
    }

private:
    void fill_up_to(std::size_t end) {
        static constexpr std::array<char, block_size> zeros{};
        put({zeros.data(), end - used_});
    }

    /// The block as little-endian words.
    std::array<std::uint32_t, block_size / 4> words() const {
        auto held = std::bit_cast<std::array<std::uint32_t, block_size / 4>>(block_);
        if constexpr (std::endian::native == std::endian::big) std::ranges::transform(held, held.begin(), swapped);
        return held;
    }

    void mix() {
        static const auto sine = sines();
        constexpr std::array<std::array<int, 4>, 4> turns{
            {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}}};
        const auto block = words();
        auto [a, b, c, d] = state_;
        const auto step = [&](std::size_t i, std::uint32_t mixed, std::size_t at) {
            const std::uint32_t sum = a + mixed + sine[i] + block[at % block.size()];
            a = d;
            d = c;
            c = b;
            b += std::rotl(sum, turns[i / 16][i % 4]);
        };
        for (std::size_t i = 0; i < 16; ++i) step(i, (b & c) | (~b & d), i);
        for (std::size_t i = 16; i < 32; ++i) step(i, (d & b) | (~d & c), 5 * i + 1);
        for (std::size_t i = 32; i < 48; ++i) step(i, b ^ c ^ d, 3 * i + 5);
        for (std::size_t i = 48; i < 64; ++i) step(i, c ^ (b | ~d), 7 * i);
        state_[0] += a;
        state_[1] += b;
        state_[2] += c;
        state_[3] += d;
        used_ = 0;
    }

    static std::uint32_t swapped(std::uint32_t word) {
        return word << 24U | (word & 0xff00U) << 8U | (word >> 8U & 0xff00U) | word >> 24U;
    }

    std::array<std::uint32_t, 4> state_{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    std::array<char, block_size> block_{};
    std::size_t used_ = 0;
    std::uint64_t length_ = 0;
};

}  // namespace

std::uint64_t hash_order(std::string_view hash, std::string_view range) {
    md5 digest;
    digest.put("Outliers");
    digest.put(hash);
    digest.put(range);
    return digest.first_eight_bytes();
}

}  // namespace dynalease::local
