// What the targets have in common: input in pieces, and a check that ends the run.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace dynalease::fuzz {

/// Bytes of one run, taken from the front.
class input {
public:
    input(const std::uint8_t* data, std::size_t size) : rest_(reinterpret_cast<const char*>(data), size) {}

    /// One byte; 0 when there are no more.
    unsigned char byte() {
        if (rest_.empty()) return 0;
        const char first = rest_.front();
        rest_.remove_prefix(1);
        return static_cast<unsigned char>(first);
    }
    /// Up to the next line end, which is left out.
    std::string_view line() {
        const auto end = rest_.find('\n');
        const auto out = rest_.substr(0, end);
        rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
        return out;
    }
    std::string_view rest() const { return rest_; }

private:
    std::string_view rest_;
};

/// Whether every character is whole, in its shortest form, and no half of a pair.
inline bool is_utf8(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
        const unsigned first = byte(at);
        const std::size_t more = first < 0x80 ? 0 : first < 0xC2 ? 9 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
        if (first > 0xF4 || at + more >= text.size()) return false;
        for (std::size_t i = 1; i <= more; ++i) {
            if ((byte(at + i) & 0xC0) != 0x80) return false;
        }
        if (more >= 2) {
            const unsigned second = byte(at + 1);
            if (first == 0xE0 && second < 0xA0) return false;
            if (first == 0xED && second > 0x9F) return false;
            if (first == 0xF0 && second < 0x90) return false;
            if (first == 0xF4 && second > 0x8F) return false;
        }
        at += more + 1;
    }
    return true;
}

/// A property that does not hold is a finding, like a crash.
inline void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "does not hold: %s\n", what);
    std::abort();
}

}  // namespace dynalease::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
