// What goes to the gateway, and what comes back.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string>

namespace payments {

struct charge_order {
    std::string intent{};
    std::string customer{};
    std::int64_t amount = 0;
    std::string currency{};

    /// The idempotency key at the gateway: however often it is asked, and by whom, it charges an intent once.
    std::string key() const { return "charge-" + intent; }
};

struct charge_answer {
    std::string intent{};
    std::string charge{};  ///< the gateway's name for it; every copy of the answer has the same
    std::int64_t amount = 0;
    std::string failure_code{};  ///< empty: the money was withdrawn
    std::string failure_message{};

    bool withdrawn() const noexcept { return failure_code.empty(); }
};

}  // namespace payments
