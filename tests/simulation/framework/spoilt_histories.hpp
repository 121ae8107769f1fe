// How checkers are tried themselves: histories of good worlds, and the same ones spoilt.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/coverage.hpp"
#include "simulation/framework/trace.hpp"
#include "simulation/framework/world_run.hpp"

#include <dynalease/testing/tape.hpp>

#include <catch2/catch.hpp>

#include <cstddef>
#include <cstdint>

namespace dynalease::simulation {

/// All that was checked in the world of that seed.
template <class World, class History, class Config>
History history_of(std::uint64_t seed, const Config& made_of) {
    testing::tape choices(seed);
    coverage counted;
    trace events;
    world_run run{.choices = choices, .coverage = counted, .trace = events};
    History kept;
    World(run, made_of, &kept).play();
    return kept;
}

/// @param good_history the history of a seed @param verdict of the checker: the promise that is broken, or empty
/// @param spoil turns a good history into a bad one; false if it has nothing to be spoilt that way
template <class Good, class Verdict, class Spoil>
void expect_noticed(const char* promise, Good good_history, Verdict verdict, Spoil spoil) {
    std::size_t spoilt = 0;
    for (std::uint64_t seed = 1; seed <= 18; ++seed) {
        auto seen = good_history(seed);
        if (!spoil(seen)) continue;
        ++spoilt;
        INFO("seed " << seed);
        CHECK_THAT(verdict(seen), Catch::StartsWith(promise));
    }
    CHECK(spoilt > 3);
}

}  // namespace dynalease::simulation
