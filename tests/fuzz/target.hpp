// What the targets have in common: input in pieces, and a check that ends the run.
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

/// A property that does not hold is a finding, like a crash.
inline void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "does not hold: %s\n", what);
    std::abort();
}

}  // namespace dynalease::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
