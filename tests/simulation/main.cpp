// The simulator: virtual worlds in which everything goes wrong, and checkers that know what must hold all the same.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/campaign.hpp"
#include "simulation/framework/command_line.hpp"
#include "simulation/framework/replay.hpp"
#include "simulation/framework/report.hpp"

#include <exception>
#include <iostream>

using namespace dynalease::simulation;

namespace {

/// The command that repeats this very thing, as people type it.
std::string command(const primitive& what, const command_line& asked, const std::string& rest) {
    auto text = "tests/simulation/run " + std::string(what.name);
    if (!asked.scenario.empty()) text += " --scenario " + asked.scenario;
    return text + rest;
}

int campaign(const primitive& what, const command_line& asked) {
    const auto result = run_campaign(what, {.seeds = asked.seeds, .first = asked.first, .scenario = asked.scenario});
    for (const auto& each : result.failures) std::cerr << "seed " << each.seed << " broke " << each.broken << '\n';
    if (!result.failures.empty()) {
        const auto seed = result.failures.front().seed;
        const auto file = asked.shrink ? shrink_to_file(what, seed, asked.scenario, std::cerr) : std::string();
        std::cerr << "tell it:    " << command(what, asked, " --replay " + std::to_string(seed)) << '\n';
        if (!file.empty()) std::cerr << "tell less:  " << command(what, asked, " --replay " + file) << '\n';
    }
    // A short run need not meet every rare path.
    const bool all_paths_wanted = asked.scenario.empty() && asked.seeds >= 1000;
    if (all_paths_wanted) {
        for (const auto point : result.points_missed) std::cerr << "never hit: " << point << '\n';
    }
    report(what, result, asked.trace_hash, std::cout);
    return result.violations == 0 && (!all_paths_wanted || result.points_missed.empty()) ? 0 : 1;
}

int mutants(const primitive& what, const command_line& asked) {
    bool found = false;
    bool all_killed = true;
    for (const auto& each : what.mutants) {
        if (asked.mutant != "all" && asked.mutant != each.name) continue;
        found = true;
        const auto needed = seeds_until_noticed(what, each, asked.first);
        report(each, needed, std::cout);
        if (each.told && needed) {
            activate(&each);
            replay(what, std::to_string(asked.first + *needed - 1), each.scenario, std::cout);
            activate(nullptr);
        }
        all_killed = all_killed && needed;
    }
    if (!found) std::cerr << "no such mutant: " << asked.mutant << '\n';
    return found && all_killed ? 0 : 1;
}

/// One that breaks its rule without any mistake would notice every mistake.
int directed_scenarios(const primitive& what, const command_line& asked) {
    std::uint64_t violations = 0;
    for (const auto& each : what.scenarios) {
        if (each.weight != 0) continue;
        const auto result = run_campaign(what, {.seeds = asked.seeds, .first = asked.first, .scenario = each.name});
        for (const auto& one : result.failures) std::cerr << "seed " << one.seed << " broke " << one.broken << '\n';
        violations += result.violations;
        std::cout << "{\"directed_scenario\":\"" << each.name << "\",\"seeds\":" << result.seeds
                  << ",\"violations\":" << result.violations << "}" << std::endl;
    }
    return violations == 0 ? 0 : 1;
}

/// With `--mutant`, what that mistake does.
int tell(const primitive& what, const command_line& asked) {
    for (const auto& each : what.mutants) {
        if (each.name == asked.mutant) activate(&each);
    }
    return replay(what, asked.replay, asked.scenario, std::cout) ? 1 : 0;
}

int play_fault_points(const primitive& what) {
    if (what.fault_points == nullptr) {
        std::cerr << what.name << " has no fault points\n";
        return 1;
    }
    const auto result = what.fault_points(std::cout);
    std::cout << "{\"fault_points\":\"" << what.name << "\",\"points\":" << result.points
              << ",\"violations\":" << result.violations << "}" << std::endl;
    return result.violations == 0 ? 0 : 1;
}

int run(const command_line& asked) {
    const auto* what = find_primitive(asked.primitive);
    if (what == nullptr) {
        std::cerr << "no such primitive: " << asked.primitive << "; there are:";
        for (const auto name : primitive_names()) std::cerr << ' ' << name;
        std::cerr << '\n';
        return 2;
    }
    if (!asked.replay.empty()) return tell(*what, asked);
    if (!asked.mutant.empty()) return mutants(*what, asked);
    if (asked.fault_points) return play_fault_points(*what);
    if (asked.directed) return directed_scenarios(*what, asked);
    return campaign(*what, asked);
}

}  // namespace

int main(int count, char** arguments) {
    try {
        const auto asked = parse_command_line(count, arguments);
        if (asked.help) {
            std::cout << usage;
            return 0;
        }
        return run(asked);
    } catch (const std::exception& wrong) {
        std::cerr << wrong.what() << "\n\n" << usage;
        return 2;
    }
}
