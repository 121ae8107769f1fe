// What the log of a client is told in an outage.
// SPDX-License-Identifier: BSL-1.0
#include "client/call_log.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <string>
#include <vector>

using namespace dynalease;
using namespace std::chrono_literals;

TEST_CASE("calls that fail alike are told of once a second, with how many there were") {
    std::vector<std::string> told;
    detail::call_log log([&](severity, std::string_view line) { told.emplace_back(line); });
    const auto unreachable = make_error_code(errc::unreachable);
    time_point now(1h);
    unsigned made = 0;
    const auto tell = [&](severity level, std::size_t operation, const error_code& cause, unsigned attempt = 1) {
        log.tell({level, operation, attempt, cause.value()}, now, [&] { return "line " + std::to_string(++made); });
    };
    for (int i = 0; i < 100; ++i, now += 50ms) tell(severity::warning, 1, unreachable);
    CHECK(told == std::vector<std::string>{"line 1", "line 2 (and 19 more like it before)",
                                           "line 3 (and 19 more like it before)", "line 4 (and 19 more like it before)",
                                           "line 5 (and 19 more like it before)"});
    // What is left out is not put into words either.
    CHECK(made == 5);

    told.clear();
    tell(severity::error, 1, unreachable);
    tell(severity::warning, 2, unreachable);
    tell(severity::warning, 1, make_error_code(errc::throttled));
    tell(severity::warning, 1, unreachable, 2);
    CHECK(told.size() == 4);
    now += 10s;
    tell(severity::warning, 1, unreachable);
    CHECK(told.back() == "line 10 (and 19 more like it before)");
}

TEST_CASE("where nobody listens nothing is put into words") {
    detail::call_log log({});
    log.tell({severity::error, 1, 0, 1}, time_point(1s), [] {
        FAIL("nobody is there");
        return std::string();
    });
}
