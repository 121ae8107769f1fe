// What tells states of the world of transactions apart.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "item/protocol/item_mark.hpp"

#include <dynalease/dynamodb/operations.hpp>

#include <cstdint>
#include <string_view>

namespace dynalease::protocol::test {

std::uint64_t mixed(std::uint64_t hash, std::uint64_t more);
/// The same for equal ones.
std::uint64_t hash_of(std::string_view text);
std::uint64_t hash_of(const attribute_value& value);
std::uint64_t hash_of(const item& attributes);
std::uint64_t hash_of(const any_request& request);
std::uint64_t hash_of(const lock_name& lock);
std::uint64_t hash_of(const item_mark& mark);

}  // namespace dynalease::protocol::test
