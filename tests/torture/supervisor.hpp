// Sets the stage, has everybody tormented for the time that was asked for, and passes on the judge's verdict.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace torture {

struct ordeal {
    std::string primitive{};
    std::chrono::seconds time{30};
    std::uint64_t seed = 0;
    std::string history_file{};  ///< empty: none
};

/// @returns the exit status: 0 if no promise was broken.
int run_supervisor(const ordeal& what_to_do);

}  // namespace torture
