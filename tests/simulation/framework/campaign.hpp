// Playing worlds: one, many, or until a mutant is noticed.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/primitive.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynalease::simulation {

/// How one world went.
struct outcome_of_world {
    std::string scenario;
    std::optional<std::string> broken;  ///< the promise; empty: all held
    std::uint64_t hash = 0;
    simulation::coverage coverage;
};

/// @param scenario empty: chosen by the tape.
outcome_of_world play(const primitive& what, testing::tape& choices, trace& events, std::string_view scenario = {});

struct campaign_options {
    std::uint64_t seeds = 1000;
    std::uint64_t first = 1;
    std::string_view scenario{};
    /// Each world of this number is played twice, and must go the same way; 0: none is.
    std::uint64_t twice_every = 100;
};

struct campaign_result {
    std::uint64_t seeds = 0;
    std::uint64_t violations = 0;
    struct failure {
        std::uint64_t seed;
        std::string broken;
    };
    std::vector<failure> failures{};  ///< the first twenty
    simulation::coverage coverage{};
    std::vector<std::string_view> points_missed{};
    std::uint64_t hash = 0;  ///< of all worlds
    double seconds = 0;
};

/// Goes on after a violation: how many seeds fail says much about it.
campaign_result run_campaign(const primitive& what, const campaign_options& options);

/// The seeds it took, or empty.
std::optional<std::uint64_t> seeds_until_noticed(const primitive& what, const mutant& which, std::uint64_t first);

}  // namespace dynalease::simulation
