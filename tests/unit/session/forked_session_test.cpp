// A session in a forked child: lost there at once, and so told.
// SPDX-License-Identifier: BSL-1.0
#include "unit/session/session_steps.hpp"

#include <catch2/catch.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

using namespace dynalease;
using namespace dynalease::tests;

TEST_CASE("in a forked child the report of a close says that the row is left, and every guard is told of as lost") {
    std::vector<std::string> lines;
    session_options options{.table = table};
    options.log = [&lines](severity, std::string_view line) { lines.emplace_back(line); };
    world w;
    node a(w, 1, {}, std::move(options));
    lock_guard guard;
    run(w, a, take(a, "x", guard));
    const auto child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const auto before = a.network->log().size();
        close_report report;
        run(w, a, close(a, {}, report), 1s);
        const bool told = lines.back().find("fork") != std::string::npos;
        const bool good = report.row == errc::session_lost && report.lost == 1 && report.released == 0 &&
                          report.failed.empty() && guard.state() == guard_state::lost && told;
        ::_exit(good && a.network->log().size() == before ? 0 : 1);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(guard.held());
    close_report report;
    run(w, a, close(a, {}, report));
    CHECK_FALSE(report.row);
    CHECK(report.released == 1);
}
