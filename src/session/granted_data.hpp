// What a caller wants kept beside its grant, for others to see.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/dynamodb/item.hpp>

#include <cstddef>
#include <optional>

namespace dynalease::detail {

/// Why no row could hold it. To be asked before anything is sent: a row may be written when its grant has been given.
/// @param copies so many of it go into one transaction
std::optional<failure> fault_of_data(const item& data, std::size_t copies = 1);

}  // namespace dynalease::detail
