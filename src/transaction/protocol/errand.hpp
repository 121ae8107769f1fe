// What a machine of a transaction wants done, and how it takes the answer.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "database/protocol/reply.hpp"

#include <dynalease/dynamodb/operations.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <variant>

namespace dynalease::protocol {

/// A request to be sent, no sooner than after the pause. A machine may want several at once, and has at most one in
/// each slot; the answer comes back under the slot's number.
struct errand {
    std::size_t slot = 0;
    std::chrono::nanoseconds pause{};
    any_request request;
};

/// The answer to an errand: how it is to be taken, and the item or row that it showed.
struct errand_answer {
    detail::answer kind = detail::answer::unanswered;
    std::optional<item> shown{};
    failure why{};                       ///< where it was not applied
    bool undecided_run_is_gone = false;  ///< refused since the run, to which it was tied, is decided
};

errand_answer read_answer(result<any_response> with);

}  // namespace dynalease::protocol
