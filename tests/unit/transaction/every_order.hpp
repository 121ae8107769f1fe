// Trying every order of a small world of transactions.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "transaction_search.hpp"

#include <catch2/catch.hpp>

#include <cstddef>
#include <string>

namespace dynalease::protocol::test {

inline std::string told(const search_end& end) {
    auto text = end.wrong;
    for (const auto& each : end.story) text += "\n    " + each;
    return text;
}

/// @param most states: below that, the search must be complete
inline void check_all(const world_setting& setting, unsigned commits, std::size_t most = 400'000) {
    const world_rules as_it_is;
    const auto end = search(setting, as_it_is, most);
    INFO(setting.name << ": " << end.states << " states");
    CHECK(told(end) == "");
    CHECK(end.complete);
    // A world in which nothing happens would prove nothing.
    CHECK(end.most_commits == commits);
}

}  // namespace dynalease::protocol::test
