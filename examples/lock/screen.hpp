// What people see while it runs: a table that redraws itself on a terminal, plain lines elsewhere.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "lock/scene.hpp"

#include <cstddef>
#include <string>

namespace demo {

class screen {
public:
    screen();

    /// Shows the scene: the whole table on a terminal; else what happened since the last call, on standard error.
    void show(const scene& now_playing, const std::string& lease_line);

private:
    bool terminal_;
    instant start_;
    std::size_t drawn_lines_ = 0;
    std::size_t told_ = 0;
    std::string told_lease_line_;
};

}  // namespace demo
