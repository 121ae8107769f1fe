// Three items that are wanted together, and steps of those who want them.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support/till.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace dynalease::tests {

inline constexpr std::array<const char*, 3> all_tills{"north", "south", "west"};

struct tills_world : till_world {
    explicit tills_world(std::uint64_t seed = 0) : till_world(seed) {
        for (const auto* which : {"south", "west"}) put({{"id", which}, {"amount", 0}, {"version", 7}});
    }
    bool all_unlocked() {
        return std::ranges::all_of(all_tills, [&](const auto* which) { return unlocked(which); });
    }
    bool all_hold(std::int64_t each) {
        return std::ranges::all_of(all_tills, [&](const auto* which) { return amount(which) == each; });
    }
};

inline item_lock lock_of(node& in, const char* which) {
    return item_lock{*in.session, till(which)};
}

inline std::vector<item_demand> every_till(node& in, bool shared = false) {
    std::vector<item_demand> wanted;
    for (const auto* which : all_tills) wanted.push_back({lock_of(in, which), shared});
    return wanted;
}

/// Adds to each of them, and gives all back.
inline std::vector<item_commit> add_to_each(std::vector<item_guard> guards, std::int64_t amount) {
    std::vector<item_commit> parts;
    for (auto& guard : guards) {
        auto& part = parts.emplace_back();
        if (guard.exclusive()) part.change = add("amount", amount);
        part.guard = std::move(guard);
    }
    return parts;
}
inline asio::awaitable<void> commit(std::vector<item_commit> parts) {
    co_await commit_all(std::move(parts));
}
inline bool all_valid(const std::vector<item_guard>& guards) {
    return !guards.empty() && std::ranges::all_of(guards, [](const auto& guard) { return guard.held(); });
}

}  // namespace dynalease::tests
