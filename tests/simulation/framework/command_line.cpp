// Reading the command line.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/command_line.hpp"

#include <charconv>
#include <stdexcept>
#include <string_view>

namespace dynalease::simulation {

const char* const usage = R"(usage: simulation PRIMITIVE [OPTION...]

  --seeds N       play N worlds (default 1000)
  --first S       the first of their seeds (default 1)
  --scenario KIND only worlds of one kind
  --trace-hash    also print the hash of all that happened, to compare compilers by
  --no-shrink     do not make the first failing world plainer
  --replay S      tell one world: a seed, or the file of a shrunk recording
  --mutant NAME   switch a known mistake on, and count the worlds until it is noticed; "all": each in turn
  --directed      N worlds of each directed scenario: it leads to one rule, and else is played under a mistake
  --fault-points  fail, cancel, crash and destroy at every single step of every operation (also: --enumerate)

Prints one JSON object a line; exits 0 only if all promises held.
)";

namespace {

std::uint64_t number_of(std::string_view text, std::string_view option) {
    std::uint64_t number = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (code != std::errc{} || end != text.data() + text.size()) {
        throw std::invalid_argument(std::string(option) + " takes a number, not \"" + std::string(text) + "\"");
    }
    return number;
}

}  // namespace

command_line parse_command_line(int count, const char* const* arguments) {
    command_line parsed;
    for (int i = 1; i < count; ++i) {
        const std::string_view option = arguments[i];
        const auto value = [&] {
            if (i + 1 >= count) throw std::invalid_argument(std::string(option) + " takes a value");
            return std::string_view(arguments[++i]);
        };
        if (option == "--help") {
            parsed.help = true;
        } else if (option == "--fault-points" || option == "--enumerate") {
            parsed.fault_points = true;
        } else if (option == "--directed") {
            parsed.directed = true;
        } else if (option == "--no-shrink") {
            parsed.shrink = false;
        } else if (option == "--trace-hash") {
            parsed.trace_hash = true;
        } else if (option == "--seeds") {
            parsed.seeds = number_of(value(), option);
        } else if (option == "--first") {
            parsed.first = number_of(value(), option);
        } else if (option == "--mutant") {
            parsed.mutant = value();
        } else if (option == "--replay") {
            parsed.replay = value();
        } else if (option == "--scenario") {
            parsed.scenario = value();
        } else if (option.starts_with("-") || !parsed.primitive.empty()) {
            throw std::invalid_argument("unknown argument \"" + std::string(option) + "\"");
        } else {
            parsed.primitive = option;
        }
    }
    if (parsed.primitive.empty() && !parsed.help) throw std::invalid_argument("name a primitive");
    return parsed;
}

}  // namespace dynalease::simulation
