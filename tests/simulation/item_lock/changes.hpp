// What users write into items: each write is known by its number.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/condition_expression.hpp>
#include <dynalease/dynamodb/update_expression.hpp>

#include <cstdint>

namespace dynalease::simulation::item_locks {

/// Appends the number to the item's list.
inline update_expression appended(std::int64_t number) {
    const attribute_value mine(attribute_list{attribute_value(number)});
    return set("entries", list_append(path("entries"), mine));
}

/// Always true; of a removal the number is known by it.
inline condition_expression not_yet(std::int64_t number) {
    return path("entries") != operand(attribute_value(attribute_list{attribute_value(number)}));
}

}  // namespace dynalease::simulation::item_locks
