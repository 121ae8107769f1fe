// A child is told from its parent, however it was made.
// SPDX-License-Identifier: BSL-1.0
#include "runtime/own_process.hpp"

#include <catch2/catch.hpp>

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

using namespace dynalease;

namespace {

/// Asked in a child that was made by `clone`, which takes the flags of fork() but runs none of its handlers.
bool in_child_of(const runtime::own_process& before) {
    const auto child = ::syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr);
    if (child == 0) {
        const runtime::own_process own;
        ::_exit(before.in_child() && !own.in_child() ? 0 : 1);
    }
    int ended = -1;
    ::waitpid(static_cast<pid_t>(child), &ended, 0);
    return ended == 0;
}

}  // namespace

TEST_CASE("a child knows that it is one, though no handler of fork() ran in it", "[fork]") {
    const runtime::own_process own;
    CHECK(in_child_of(own));
    CHECK_FALSE(own.in_child());
}
