// What a write of a versioned item found there, and left.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/item.hpp>
#include <dynalease/item/item_version.hpp>

#include <cstdint>
#include <optional>
#include <string>

#pragma GCC visibility push(default)
namespace dynalease::detail {

struct stored_item {
    item_version state;
    item attributes;
    bool partial = false;  ///< there may be more
};

struct write_facts {
    std::optional<stored_item> saved{};
    std::string unread{};  ///< why there is no `saved`, though it was applied
    bool superseded = false;
    std::optional<stored_item> current{};
    std::optional<std::int64_t> expected{};
    std::optional<std::int64_t> found{};
    std::string holder{};
};

}  // namespace dynalease::detail
#pragma GCC visibility pop
