// Every choice of a simulated world, drawn from one seed and recorded, so that a world can be replayed and shrunk.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/runtime/random.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace dynalease::testing {

/// Each label has a stream of its own: leaving out the choices of one label changes nothing in those of the others.
class tape {
public:
    /// The choices of a world, by label, in the order in which they were made.
    using recording = std::map<std::string, std::vector<std::uint64_t>, std::less<>>;

    explicit tape(std::uint64_t seed);
    /// Replays. What it does not hold (any more) is answered 0.
    explicit tape(recording replayed);
    tape(const tape&) = delete;
    tape& operator=(const tape&) = delete;
    ~tape();

    /// One of 0 ... n-1; 0 for n = 0. Let 0 be the plainest choice, for that is what shrinking leads to.
    /// At most one call in an expression: the order of evaluation differs between compilers.
    /// @param label a string literal; the same text is the same stream.
    std::uint64_t choose(const char* label, std::uint64_t n);
    /// True with the given probability, from 0 to 1.
    bool chance(const char* label, double probability);
    /// Between `least` and `most`, both included; `least` is the plainest.
    std::uint64_t between(const char* label, std::uint64_t least, std::uint64_t most);

    /// A random port whose numbers are choices of this tape, which must outlive it.
    std::shared_ptr<dynalease::random> random(const char* label);

    recording recorded() const;

private:
    struct stream;
    stream& stream_of(const char* label);

    const std::uint64_t seed_;
    const bool replaying_;
    recording replayed_;
    std::vector<std::unique_ptr<stream>> streams_;
    std::vector<std::pair<const char*, stream*>> by_address_;  // labels met, by where their text lies
};

/// Whether a world made from these choices still fails.
using still_fails = std::function<bool(const tape::recording& candidate)>;

/// A plainer recording that fails as well: without whole labels where possible, then shorter, then with zeros.
/// @param attempts at most so many worlds are tried.
tape::recording shrink(tape::recording failing, const still_fails& fails, unsigned attempts = 400);

}  // namespace dynalease::testing
#pragma GCC visibility pop
