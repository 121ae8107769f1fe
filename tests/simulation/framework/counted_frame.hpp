// Coroutines that stand somewhere: what a crash leaves behind shows.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

namespace dynalease::simulation {

struct counted_frame {
    explicit counted_frame(std::size_t& of) : count(of) { ++count; }
    counted_frame(const counted_frame&) = delete;
    counted_frame& operator=(const counted_frame&) = delete;
    ~counted_frame() { --count; }
    std::size_t& count;
};

}  // namespace dynalease::simulation
