// The loop over seeds.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/campaign.hpp"

#include <chrono>

namespace dynalease::simulation {

namespace {

const scenario& choose_scenario(const primitive& what, testing::tape& choices, std::string_view wanted) {
    std::uint64_t weights = 0;
    for (const auto& each : what.scenarios) {
        if (each.name == wanted) return each;
        weights += each.weight;
    }
    if (!wanted.empty()) throw std::invalid_argument("no such scenario: " + std::string(wanted));
    auto drawn = choices.choose("scenario", weights);
    for (const auto& each : what.scenarios) {
        if (drawn < each.weight) return each;
        drawn -= each.weight;
    }
    throw std::invalid_argument("a primitive without scenarios");
}

}  // namespace

outcome_of_world play(const primitive& what, testing::tape& choices, trace& events, std::string_view wanted) {
    outcome_of_world outcome;
    const auto& chosen = choose_scenario(what, choices, wanted);
    outcome.scenario = chosen.name;
    world_run run{.choices = choices, .coverage = outcome.coverage, .trace = events};
    try {
        chosen.play(run);
    } catch (const violation& seen) {
        outcome.broken = seen.what();
    }
    outcome.hash = events.hash();
    return outcome;
}

campaign_result run_campaign(const primitive& what, const campaign_options& options) {
    const auto began = std::chrono::steady_clock::now();
    campaign_result result;
    trace all;
    const auto fail = [&](std::uint64_t seed, std::string broken) {
        ++result.violations;
        if (result.failures.size() < 20) result.failures.push_back({seed, std::move(broken)});
    };
    for (std::uint64_t i = 0; i < options.seeds; ++i) {
        const auto seed = options.first + i;
        testing::tape choices(seed);
        trace events;
        auto outcome = play(what, choices, events, options.scenario);
        if (!outcome.broken && options.twice_every != 0 && i % options.twice_every == 0) {
            testing::tape again(seed);
            trace repeated;
            const auto second = play(what, again, repeated, options.scenario);
            if (second.hash != outcome.hash) outcome.broken = "determinism: the same seed went two ways";
        }
        all.mix(outcome.hash);
        if (outcome.broken) fail(seed, *std::move(outcome.broken));
        result.coverage.add(outcome.coverage);
        ++result.seeds;
    }
    for (const auto point : what.coverage_points) {
        if (!result.coverage.points.contains(point)) result.points_missed.push_back(point);
    }
    result.hash = all.hash();
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    return result;
}

std::optional<std::uint64_t> seeds_until_noticed(const primitive& what, const mutant& which, std::uint64_t first) {
    activate(&which);
    std::optional<std::uint64_t> needed;
    for (std::uint64_t i = 0; i < which.seeds && !needed; ++i) {
        testing::tape choices(first + i);
        trace events;
        if (play(what, choices, events, which.scenario).broken) needed = i + 1;
    }
    activate(nullptr);
    return needed;
}

}  // namespace dynalease::simulation
