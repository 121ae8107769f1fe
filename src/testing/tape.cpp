// Drawing, replaying and recording choices.
// SPDX-License-Identifier: BSL-1.0
#include "runtime/system_random.hpp"

#include <dynalease/testing/tape.hpp>

#include <algorithm>
#include <utility>

namespace dynalease::testing {

namespace {

/// FNV-1a: the same on every standard library, as `std::hash` is not.
std::uint64_t hash_of(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char each : text) hash = (hash ^ static_cast<unsigned char>(each)) * 0x100000001b3;
    return hash;
}

class random_of_tape final : public dynalease::random {
public:
    random_of_tape(tape& from, const char* label) : tape_(from), label_(label) {}
    std::uint64_t next() override { return tape_.choose(label_, ~std::uint64_t{0}); }

private:
    tape& tape_;
    const char* label_;
};

}  // namespace

struct tape::stream {
    stream(std::string_view name, std::uint64_t seed) : label(name), numbers(seed ^ hash_of(name)) {}

    std::string label;
    runtime::xoshiro numbers;
    std::vector<std::uint64_t> made;  // by this run
    const std::vector<std::uint64_t>* replayed = nullptr;
};

tape::tape(std::uint64_t seed) : seed_(seed), replaying_(false) {}
tape::tape(recording replayed) : seed_(0), replaying_(true), replayed_(std::move(replayed)) {}
tape::~tape() = default;

tape::stream& tape::stream_of(const char* label) {
    for (const auto& [address, known] : by_address_) {
        if (address == label) return *known;
    }
    const std::string_view text(label);
    auto found = std::find_if(streams_.begin(), streams_.end(), [&](const auto& each) { return each->label == text; });
    if (found == streams_.end()) {
        auto added = std::make_unique<stream>(text, seed_);
        if (const auto old = replayed_.find(text); old != replayed_.end()) added->replayed = &old->second;
        found = streams_.insert(streams_.end(), std::move(added));
    }
    by_address_.emplace_back(label, found->get());
    return **found;
}

std::uint64_t tape::choose(const char* label, std::uint64_t n) {
    auto& from = stream_of(label);
    std::uint64_t chosen = 0;
    if (!replaying_) {
        chosen = from.numbers.below(n);
    } else if (from.replayed != nullptr && from.made.size() < from.replayed->size() && n != 0) {
        chosen = (*from.replayed)[from.made.size()] % n;
    }
    from.made.push_back(chosen);
    return chosen;
}

bool tape::chance(const char* label, double probability) {
    constexpr std::uint64_t whole = 1'000'000;
    const auto hits = static_cast<std::uint64_t>(std::clamp(probability, 0.0, 1.0) * static_cast<double>(whole));
    return choose(label, whole) >= whole - hits;
}

std::uint64_t tape::between(const char* label, std::uint64_t least, std::uint64_t most) {
    return least + choose(label, most - least + 1);
}

std::shared_ptr<dynalease::random> tape::random(const char* label) {
    return std::make_shared<random_of_tape>(*this, label);
}

tape::recording tape::recorded() const {
    recording all;
    for (const auto& each : streams_) all.emplace(each->label, each->made);
    return all;
}

}  // namespace dynalease::testing
