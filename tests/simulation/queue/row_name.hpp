// Which row of which queue a key names.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/item.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace dynalease::simulation::queues {

struct row_name {
    std::size_t queue = 0;
    std::int64_t ticket = 0;  ///< 0: the head
};

/// Empty for rows that are no queue's.
template <class Key>
std::optional<row_name> row_in(const Key& key) {
    const auto* partition = find_string(key, "pk");
    const auto* sort = find_string(key, "sk");
    if (partition == nullptr || sort == nullptr || !partition->starts_with("queue#e")) return {};
    const auto entity = static_cast<std::size_t>(partition->back() - '0');
    const auto slash = sort->find('/');
    const auto digits = sort->substr(slash + 1);
    return row_name{.queue = 2 * entity + (slash == 0 ? 0 : 1), .ticket = digits.empty() ? 0 : std::stoll(digits)};
}

/// For notes about the turns of a queue.
inline std::string text_of_head(const item_key& key) {
    return *find_string(key, "pk") + '/' + *find_string(key, "sk");
}

}  // namespace dynalease::simulation::queues
