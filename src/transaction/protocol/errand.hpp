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

/// What one machine has under way at a time, at most.
inline constexpr std::size_t most_errands = 32;

/// A request to be sent, no sooner than after the pause. A machine may want several at once, and has at most one in
/// each slot; the answer comes back under the slot's number.
struct errand {
    std::size_t slot = 0;
    std::chrono::nanoseconds pause{};
    any_request request;
};

/// The answer to an errand: how it is to be taken, and the item or row that it showed. A request of several actions is
/// refused if some condition was false, and nothing stood in the way that would stand there again.
struct errand_answer {
    detail::answer kind = detail::answer::unanswered;
    std::optional<item> shown{};
    /// What a request that reads several items has shown.
    std::variant<std::monostate, transact_get_items_response, batch_get_item_response> several{};
    failure why{};  ///< where it was not applied; of a request of several actions, with the reasons of each
};

errand_answer read_answer(result<any_response> with);

}  // namespace dynalease::protocol
