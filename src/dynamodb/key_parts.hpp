// The attributes of a key, one after another.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/operations.hpp>

namespace dynalease {

/// Calls `visit(attribute)` for each hash attribute in the order of the schema, constant or not.
void each_hash(auto& schema, const auto& visit) {
    visit(schema.hash);
    for (auto& attribute : schema.more_hash) visit(attribute);
}
void each_range(auto& schema, const auto& visit) {
    if (!schema.range) return;
    visit(*schema.range);
    for (auto& attribute : schema.more_range) visit(attribute);
}
void each_part(auto& schema, const auto& visit) {
    each_hash(schema, visit);
    each_range(schema, visit);
}

}  // namespace dynalease
