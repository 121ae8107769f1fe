// Entering several queues under one number, all at once or not at all.
//
// In every queue turns go in rising number, and who enters several has one number in all of them and enters at once:
// it waits for smaller numbers only, so no circle of waiting can close.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "queue/protocol/queue_requests.hpp"

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/dynamodb/operations.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynalease::protocol {

/// A transaction has 100 actions: two for each queue, and some to spare.
inline constexpr std::size_t queues_at_once = 48;

/// The heads as last seen, in the order of the queues; empty: there is no such row.
using seen_heads = std::vector<std::optional<queue_head>>;

/// The places that one number gives us. In a queue where others wait it covers the numbers that were skipped, so that
/// nobody waits for those.
/// @param beyond a number that is known to be taken; 0: none @returns empty when a counter is at its end.
std::vector<place> choose_places(const seen_heads& heads, std::int64_t beyond, wall_time now);

transact_write_items_request enter_all(const std::string& table, const std::vector<queue_name>& queues,
                                       const seen_heads& heads, const std::vector<place>& places,
                                       std::string_view attempt, const std::string& self, const ticket_face& face);

/// What the transaction makes of a head.
queue_head head_after(const std::optional<queue_head>& before, const place& mine, std::string_view attempt);

enum class enter_all_step {
    entered,  ///< an earlier copy of ours did it
    renew,    ///< others entered meanwhile: look again, and choose again
    beyond,   ///< a row of before the table went back stands there: choose a number beyond it
    again,    ///< only in the way of other writes: the same request again
    refused,  ///< for a reason that stays
};

/// A refusal as a whole (`errc::transaction_canceled`), by its reasons. @param heads is brought up to date by them.
enter_all_step decide_enter_all(const failure& why, std::string_view attempt, seen_heads& heads);

}  // namespace dynalease::protocol
