// What the transactions of the world want.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "transaction_world.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace dynalease::protocol::test {

inline constexpr std::int64_t wall = 1'700'000'000;
inline const std::array<std::string, 2> names{"x", "y"};

guarded_table table_of_things();
item_key key_of_thing(std::size_t which);
item_key key_of_guard();
/// The thing as it is at first.
item first_thing(std::size_t which);
/// The history that the thing tells, one longer.
attribute_value appended(const item& to, const std::string& what);
/// Never used twice.
item_stamp stamp_of_save(std::size_t count);
transaction_plan plan_of(const world_setting& setting, std::size_t transaction, std::size_t coordinator);
/// The locks by which it holds first what it touches.
transaction_plan holding_plan_of(const world_setting& setting, std::size_t transaction, std::size_t coordinator);

}  // namespace dynalease::protocol::test
