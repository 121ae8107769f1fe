// What decides the histories of a walk: chance, or every way there is.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

namespace dynalease::protocol::test {

/// Says what happens next: one of so many ordinary events, or of so many faults, counted on.
using chooser = std::function<std::size_t(std::size_t ordinary, std::size_t faults)>;

/// By chance: one event in three is a fault.
class dice {
public:
    explicit dice(std::uint64_t seed) : random_(seed) {}
    std::size_t operator()(std::size_t ordinary, std::size_t faults) {
        const bool fault = faults > 0 && (ordinary == 0 || random_() % 3 == 0);
        return fault ? ordinary + random_() % faults : random_() % ordinary;
    }

private:
    std::mt19937_64 random_;
};

/// Every way there is, one after the other.
class every_way {
public:
    /// @returns false when there is none left.
    bool next() {
        while (!path_.empty() && ++path_.back().taken == path_.back().ways) path_.pop_back();
        at_ = 0;
        return !path_.empty();
    }
    std::size_t operator()(std::size_t ordinary, std::size_t faults) {
        if (at_ == path_.size()) path_.push_back({0, ordinary + faults});
        return path_[at_++].taken;
    }

private:
    struct fork {
        std::size_t taken;
        std::size_t ways;
    };
    std::vector<fork> path_;
    std::size_t at_ = 0;
};

}  // namespace dynalease::protocol::test
