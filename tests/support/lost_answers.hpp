// Every way in which one of several requests may come to no answer that can be trusted.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/testing/faults.hpp>

#include <catch2/catch.hpp>

#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

namespace dynalease::tests {

/// The attempt of that number, in the order of sending, is lost, or its answer is; or a copy of it is applied later, or
/// it is applied and told to have failed; and the client may send the same bytes once more within the call.
struct lost_answer {
    testing::fault fate;
    std::size_t at;

    testing::fault_plan plan() const {
        std::vector<testing::fault> fates(at);
        fates.push_back(fate);
        return testing::scripted_faults(std::move(fates));
    }
    /// A copy lands after the caller was answered.
    bool copied() const { return fate.what == testing::fault::kind::apply_twice || fate.before.count() != 0; }
};

inline std::vector<testing::fault> ways_to_lose_an_answer() {
    using enum testing::fault::kind;
    using namespace std::chrono_literals;
    return {
        {.what = lose_request},
        {.what = lose_answer},
        {.what = apply_twice, .copy = 100ms},
        {.what = apply_then_fail, .answer = failure(errc::server_error, outcome::unknown)},
        {.what = lose_request, .again = 20ms},
        {.what = lose_answer, .again = 20ms},
        {.what = apply_then_fail, .answer = failure(errc::server_error, outcome::unknown), .again = 20ms},
        // The first copy lands after the second.
        {.what = pass, .before = 1100ms, .again = 20ms},
    };
}

/// Runs the test with each of these, for the attempts from `first` to `last`.
template <class Test>
void for_each_lost_answer(std::size_t first, std::size_t last, const Test& test) {
    std::size_t way = 0;
    for (const auto& fate : ways_to_lose_an_answer()) {
        for (auto at = first; at <= last; ++at) {
            INFO("way " << way << " at attempt " << at);
            test(lost_answer{fate, at});
        }
        ++way;
    }
}

}  // namespace dynalease::tests
