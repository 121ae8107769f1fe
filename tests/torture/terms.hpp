// The clocks and limits that the promises are stated in.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "torture/boot_clock.hpp"

#include <string_view>

namespace torture {

struct terms {
    instant longest_hold{};  ///< how long a holder may believe after the send of a heartbeat that was acknowledged
    instant told_within{};   ///< after the deadline, on a loop that runs
    instant free_within{};   ///< after the last sign of a holder that is gone, until another is granted the lock
    instant recovery{};      ///< how long those who wait feel a disturbance after its end
};
/// What the library promises with the settings of the workers.
terms promised_terms(std::string_view primitive);

}  // namespace torture
