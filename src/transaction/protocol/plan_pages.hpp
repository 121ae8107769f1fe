// What a run wants, where that is more than its row can keep: in pages, rows of their own beside it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "transaction/protocol/planned_writes.hpp"
#include "transaction/protocol/transaction_requests.hpp"

#include <dynalease/dynamodb/attribute_value.hpp>

#include <cstddef>
#include <vector>

namespace dynalease::protocol {

/// Pages are filled to this; one of a single large write may be larger, up to what a row may be.
inline constexpr std::size_t usual_page = 358'400;
/// The row's end removes all of them, in one call.
inline constexpr std::size_t most_pages = 99;

/// None: all of it fits into the row, beside the locks that its commit will name. Whether each of them is a row that
/// the service takes, `fault_of_inline` tells.
std::vector<stored_page> pages_of(const transaction_plan& plan);

/// The first of the pages that does not go with those from the given one on in one call. @param most bytes of that
std::size_t end_of_call(const std::vector<stored_page>& pages, std::size_t from, std::size_t most);

/// The items of a plan, for those who only give them back, in rows as large as a page.
std::vector<attribute_list> places_of(const transaction_plan& plan);

}  // namespace dynalease::protocol
