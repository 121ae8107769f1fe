// A short stand-in for a transaction, to tell whether a token came back with the same one.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/operations.hpp>

#include <array>
#include <cstdint>

namespace dynalease::local {

/// 128 bits: two requests that differ have two fingerprints for all practical purposes, though not against malice.
using fingerprint = std::array<std::uint64_t, 2>;

/// Covers all that the transaction does; not what it asks to be told about itself.
fingerprint fingerprint_of(const transact_write_items_request& request);

}  // namespace dynalease::local
