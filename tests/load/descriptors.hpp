// How many connections a process of this machine may have.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

namespace load {

/// The system's limit may be smaller, and not ours to raise: then the test ends as one that CTest calls skipped.
inline void want_descriptors(rlim_t count) {
    rlimit files{};
    ::getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = std::min(files.rlim_max, std::max(files.rlim_cur, count));
    ::setrlimit(RLIMIT_NOFILE, &files);
    if (files.rlim_cur >= count) return;
    std::cerr << "skipped: a process may have " << files.rlim_cur << " descriptors here, and this test wants " << count
              << std::endl;
    constexpr int not_available = 77;
    std::_Exit(not_available);
}

}  // namespace load
