// Crowds that take turns while backups come back, at any moment and without an outage.
// SPDX-License-Identifier: BSL-1.0
#include "queue_callers.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <random>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

class chance {
public:
    explicit chance(std::uint64_t seed) : engine_(seed) {}
    int below(int end) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(end)); }
    std::chrono::milliseconds time_below(int ms) { return std::chrono::milliseconds(below(ms)); }

private:
    std::mt19937_64 engine_;
};

constexpr std::array<const char*, 3> names{"x", "y", "z"};

/// One queue, or two or all three.
std::vector<queue> some_of_them(node& in, chance& random) {
    const int left_out = random.below(7);
    std::vector<queue> wanted;
    for (int i = 0; i < 3; ++i) {
        const bool alone = left_out > 3;
        if (alone ? i == left_out - 4 : i != left_out)
            wanted.emplace_back(*in.session, names[static_cast<std::size_t>(i)]);
    }
    return wanted;
}

enter_options some_patience(chance& random) {
    enter_options options;
    const int how = random.below(8);
    if (how == 0) options.wait = random.time_below(3000);
    if (how == 1) options.wait = 0s;
    return options;
}

asio::awaitable<void> takes_turns(node& in, std::uint64_t seed) {
    chance random(seed);
    for (int round = 0; round < 6; ++round) {
        const auto options = some_patience(random);
        auto wanted = some_of_them(in, random);
        std::vector<queue_turn> turns;
        if (wanted.size() == 1) {
            auto [code, turn] = co_await wanted.front().enter(options, asio::as_tuple(asio::deferred));
            if (!code) turns.push_back(std::move(turn));
        } else {
            auto [code, all] = co_await enter_all(std::move(wanted), options, asio::as_tuple(asio::deferred));
            turns = std::move(all);
        }
        if (!turns.empty()) co_await sleep(in, random.time_below(1500));
        const bool drops = random.below(2) == 0;
        for (auto& turn : turns) {
            if (!drops) co_await turn.leave(asio::as_tuple(asio::deferred));
        }
    }
}

}  // namespace

TEST_CASE("whoever takes turns while backups come back is served in the end, and so is everybody") {
    for (std::uint64_t seed = 1; seed <= 24; ++seed) {
        CAPTURE(seed);
        world w(seed);
        std::vector<std::unique_ptr<node>> nodes;
        for (std::uint64_t i = 1; i <= 3; ++i) nodes.push_back(std::make_unique<node>(w, 3 * seed + i));
        const testing::fault_rates rates{.lose_request = .05,
                                         .lose_answer = .1,
                                         .apply_twice = .1,
                                         .throttle = .1,
                                         .server_error = .1,
                                         .delay = .3,
                                         .longest_delay = 1s};
        const bool disturbed = seed % 2 == 1;
        for (auto& each : nodes) {
            if (disturbed) each->network->set_plan(testing::seeded_faults(seed, rates));
        }
        std::vector<std::unique_ptr<running>> callers;
        for (std::uint64_t i = 0; i < 18; ++i) {
            auto& in = *nodes[i % 3];
            callers.push_back(std::make_unique<running>(w, in, takes_turns(in, 100 * seed + i)));
        }
        chance random(seed);
        for (int i = 0; i < 3; ++i) {
            w.scheduler.run_for(500ms + random.time_below(4000));
            const auto backup = w.simulated.image(table);
            w.scheduler.run_for(200ms + random.time_below(5000));
            w.simulated.restore(table, backup);
        }
        w.scheduler.run_for(10min);
        for (auto& each : nodes) each->network->set_plan({});
        w.scheduler.run_for(3min);
        const auto waits = std::ranges::count_if(callers, [](const auto& each) { return !each->done(); });
        CHECK(waits == 0);
    }
}
