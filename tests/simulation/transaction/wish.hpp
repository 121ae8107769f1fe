// What a caller wants to happen, and how its body goes about it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/transaction/history.hpp"
#include "simulation/transaction/scenario_config.hpp"

#include <dynalease/testing/tape.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace dynalease::simulation::transfers {

/// How a body does what is to be done to an item.
enum class way {
    read_first,  ///< gets it, changes what it got, puts it
    unread,      ///< by an expression, or puts or erases it without looking
    in_steps,    ///< by several writes
};

struct step {
    effect what;
    way how = way::read_first;
};

struct wish {
    std::int64_t number = 0;
    std::string id{};  ///< the callers'; empty: one is drawn for each attempt
    std::vector<std::size_t> reads{};
    std::vector<std::size_t> checks{};  ///< that they are there, and have at least what they have when the body runs
    std::vector<step> steps{};

    std::vector<effect> effects() const {
        std::vector<effect> all;
        for (const auto& each : steps) all.push_back(each.what);
        return all;
    }
};

enum class wish_kind { transfer, append, skew, survey, token };

/// @param accounts the items from the first on that are always there; the others are tokens
wish draw_wish(testing::tape& choices, wish_kind kind, std::size_t accounts, std::size_t tokens, std::int64_t number);

}  // namespace dynalease::simulation::transfers
