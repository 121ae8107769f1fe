// A child is told from its parent, however it was made.
// SPDX-License-Identifier: BSL-1.0
#include "runtime/fork_count.hpp"

#include <catch2/catch.hpp>

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

using namespace dynalease;

namespace {

/// What a child finds that was made by `clone`, which takes the flags of fork() but runs none of its handlers.
unsigned fork_count_in_a_bare_clone() {
    std::array<int, 2> pipe{};
    REQUIRE(::pipe(pipe.data()) == 0);
    const auto child = ::syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr);
    if (child == 0) {
        const unsigned found = runtime::fork_count();
        const auto written = ::write(pipe[1], &found, sizeof found);
        ::_exit(written == sizeof found ? 0 : 1);
    }
    unsigned found = 0;
    REQUIRE(::read(pipe[0], &found, sizeof found) == sizeof found);
    ::waitpid(static_cast<pid_t>(child), nullptr, 0);
    ::close(pipe[0]);
    ::close(pipe[1]);
    return found;
}

}  // namespace

TEST_CASE("a child knows that it is one, though no handler of fork() ran in it", "[fork]") {
    const auto own = runtime::fork_count();
    CHECK(fork_count_in_a_bare_clone() != own);
    CHECK(runtime::fork_count() == own);
}
