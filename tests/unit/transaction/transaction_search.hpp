// Every state of a small world that can be reached, each looked at once.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "transaction_world.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace dynalease::protocol::test {

struct search_end {
    std::string wrong{};               ///< empty: nothing
    std::vector<std::string> story{};  ///< how it came to that
    std::size_t states = 0;
    bool complete = false;  ///< no state was left out
    unsigned most_commits = 0;
};

/// Breadth first, so that the story is a shortest one.
search_end search(const world_setting& setting, const world_rules& rules, std::size_t most_states);

}  // namespace dynalease::protocol::test
