// What the service's limits let a transaction be, as far as that is known before anything is sent.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "transaction/protocol/planned_writes.hpp"

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/dynamodb/operations.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace dynalease::protocol {

/// Of one transaction of the service.
inline constexpr std::size_t most_actions = 100;
inline constexpr std::size_t most_bytes_at_once = 4 * 1024 * 1024;
/// Of a row, as of any item.
inline constexpr std::size_t largest_row = 409'600;
inline constexpr std::size_t longest_expression = 4'096;
inline constexpr std::size_t most_operators = 300;
/// Attributes of one item whose old values an undo can give back: two operators each, of at most 300.
inline constexpr std::size_t most_images = 147;

/// Whether each item is written once, and all of it together is no larger than one call of the service takes.
bool fits_at_once(const transaction_plan& plan);

/// Whether one call can carry out all of it: one write to an item, and no more actions and bytes than the service
/// takes.
bool fits_native(const transaction_plan& plan);

/// Why the service would not take this call for what one of its writes changes; empty: it would.
std::optional<failure> fault_of_call(const transact_write_items_request& call);

/// Why it cannot be carried out by locks on its items; empty: it can. @param coordination the table of its row
std::optional<failure> fault_of_inline(const std::string& coordination, const transaction_plan& plan);

}  // namespace dynalease::protocol
