// The torture: the library on real processes and sockets, killed, stopped, starved, cut off and lied to.
//
// Called by a person it supervises; the processes that it starts are the same program in other roles.
// SPDX-License-Identifier: BSL-1.0
#include "torture/judge_process.hpp"
#include "torture/supervisor.hpp"
#include "torture/worker.hpp"
#include "torture/workload.hpp"

#include <cstdio>
#include <exception>
#include <iostream>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

using words = std::vector<std::string>;

int burn_processor(std::size_t threads) {
    std::vector<std::jthread> busy;
    for (std::size_t i = 0; i < threads; ++i) {
        busy.emplace_back([] {
            for (volatile unsigned spin = 0;;) spin = spin + 1;
        });
    }
    return 0;
}

std::optional<torture::ordeal> parse(const words& arguments) {
    torture::ordeal asked;
    asked.primitive = "lock";
    asked.seed = std::random_device{}() % 1'000'000;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const auto& word = arguments[i];
        if (!word.starts_with("--")) {
            asked.primitive = word;
            continue;
        }
        if (++i == arguments.size()) return std::nullopt;
        if (word == "--seconds") {
            asked.time = std::chrono::seconds(std::stoul(arguments[i]));
        } else if (word == "--seed") {
            asked.seed = std::stoull(arguments[i]);
        } else if (word == "--history") {
            asked.history_file = arguments[i];
        } else {
            return std::nullopt;
        }
    }
    if (!torture::make_workload(asked.primitive) || asked.time.count() == 0) return std::nullopt;
    return asked;
}

std::uint16_t port_from(const std::string& text) {
    return static_cast<std::uint16_t>(std::stoul(text));
}

int play_role(const words& arguments) {
    const std::string role = arguments.empty() ? "" : arguments[0];
    if (role == "worker" && arguments.size() == 6) {
        return torture::run_worker({.who = arguments[1],
                                    .endpoint = arguments[2],
                                    .judge = port_from(arguments[3]),
                                    .primitive = arguments[4],
                                    .seed = std::stoull(arguments[5])});
    }
    if (role == "judge" && arguments.size() == 4) {
        return torture::run_judge({.primitive = arguments[1], .seed = std::stoull(arguments[2])}, arguments[3]);
    }
    if (role == "burn" && arguments.size() == 2) return burn_processor(std::stoul(arguments[1]));

    const auto asked = parse(arguments);
    if (!asked) {
        std::cerr << "usage: torture [PRIMITIVE] [--seconds N] [--seed S] [--history FILE]; see tests/torture/run\n";
        return 2;
    }
    std::fprintf(stderr, "seed %llu\n", static_cast<unsigned long long>(asked->seed));
    return torture::run_supervisor(*asked);
}

}  // namespace

int main(int count, char** values) {
    try {
        return play_role(words(values + 1, values + count));
    } catch (const std::exception& why) {
        std::cerr << "torture: " << why.what() << '\n';
    }
    return 1;
}
