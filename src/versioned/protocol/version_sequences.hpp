// One versioned write from its first copy to the moment when its outcome is known, or nobody can know it; and what is
// done about it then. Sequences: they say what they need next, and send nothing themselves.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "database/protocol/sequence.hpp"
#include "versioned/protocol/write_intent.hpp"
#include "versioned/protocol/writer_view.hpp"

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/item/resolution.hpp>
#include <dynalease/item/write_facts.hpp>

#include <chrono>
#include <optional>

namespace dynalease::protocol {

/// @param patience until a write without an answer is in doubt
/// @param intent meets tombstones: its last form is what may have been applied
sequence<void> write_item(writer_view& process, stepper& steps, std::chrono::nanoseconds patience, write_intent& intent,
                          write_outcome& end);

/// What is known of a write that was in doubt.
struct resolved_write {
    std::optional<failure> why{};  ///< nothing was learnt
    resolution became = resolution::open;
    std::optional<detail::stored_item> current{};
};

/// What the item says of it.
sequence<void> resolve_item(stepper& steps, const write_intent& intent, resolved_write& end);
/// A write onto the same state takes it away from every copy that may still be on its way. Nothing can take the place
/// of an item that is not there, or of a write that tests no state: that is only resolved.
sequence<void> close_item(writer_view& process, stepper& steps, const write_intent& intent, resolved_write& end);

/// Reads what has no answer again, until there is one or the time is over.
sequence<result<get_item_response>> read_until_answered(writer_view& process, stepper& steps, get_item_request request,
                                                        time_point deadline);

}  // namespace dynalease::protocol
