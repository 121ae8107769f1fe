// Every way in which one of several requests may come to no answer that can be trusted.
#pragma once

#include <dynalease/testing/faults.hpp>

#include <catch2/catch.hpp>

#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

namespace dynalease::tests {

/// The request of that number, in the order of sending, is lost, or its answer is; or a copy of it is applied later, or
/// it is applied and told to have failed.
struct lost_answer {
    testing::fault::kind what;
    std::size_t at;

    testing::fault_plan plan() const {
        std::vector<testing::fault> fates(at);
        fates.push_back({.what = what,
                         .copy = std::chrono::milliseconds(100),
                         .answer = failure(errc::server_error, outcome::unknown)});
        return testing::scripted_faults(std::move(fates));
    }
};

/// Runs the test with each of these, for the requests from `first` to `last`.
template <class Test>
void for_each_lost_answer(std::size_t first, std::size_t last, const Test& test) {
    using kind = testing::fault::kind;
    for (const auto what : {kind::lose_request, kind::lose_answer, kind::apply_twice, kind::apply_then_fail}) {
        for (auto at = first; at <= last; ++at) {
            INFO("fault " << static_cast<int>(what) << " at request " << at);
            test(lost_answer{what, at});
        }
    }
}

}  // namespace dynalease::tests
