// What the log tells of a lock that is taken over from the dead.
// SPDX-License-Identifier: BSL-1.0
#include "support/lock_steps.hpp"

#include <catch2/catch.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

using namespace dynalease;
using namespace dynalease::tests;

TEST_CASE("from whom a lock was taken over is told once, with the owner") {
    std::vector<std::string> lines;
    std::vector<std::string> marks;
    world w;
    session_options of_the_dead{.table = table, .owner = "first"};
    std::optional<node> holder(std::in_place, w, 1, testing::virtual_clock_options{}, std::move(of_the_dead));
    lock_guard guard;
    run(w, *holder, take(*holder, "x", guard));
    const auto dead = holder->session->id();
    session_options options{.table = table};
    options.log = [&lines, &marks](severity, std::string_view line) {
        const bool of_waiting = line.find("longer than a lease") != line.npos;
        if (line.find("lock 'x'") != line.npos && !of_waiting) lines.emplace_back(line);
        if (line.find(" is dead") != line.npos) marks.emplace_back(line);
    };
    node other(w, 2, {}, std::move(options));
    lock_guard got;
    running waits(w, other, take(other, "x", got));
    w.scheduler.run_for(2s);
    CHECK(lines.empty());
    guard = {};
    holder->crash();
    waits.wait(15s);
    REQUIRE(got.held());
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].find("taken over from session " + dead + " of first, which is over") != std::string::npos);
    run(w, other, give_back(got));
    run(w, other, take(other, "x", got));
    CHECK(lines.size() == 1);
    REQUIRE(marks.size() == 1);
    CHECK(marks[0].find("session " + dead + " of first is dead, and was marked so") != std::string::npos);
    CHECK(marks[0].find("lease of 10000 ms") != std::string::npos);
}
