// Versioned writes that are to happen together, as the actions of one transaction.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "versioned/versioned_impl.hpp"

#include <dynalease/versioned/save_all.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::detail {

/// The writes with one stamp for all of them, so that any one item tells of all.
struct joint_plan {
    struct part {
        std::optional<write_intent> intent{};  ///< empty: somebody else's action
        bool only_checks = false;
        transact_write action{};
    };
    std::vector<part> parts;

    std::vector<transact_write> actions() const;
};

/// Makes the plan, or says what is wrong with the entries. Sends nothing.
result<joint_plan> plan_jointly(std::vector<joint_entry> entries);
/// After the intent has changed.
void plan_action(joint_plan::part& part);

/// The table and, if the action itself says it, the key.
std::string table_of(const transact_write& action);
std::optional<item_key> key_of(const transact_write& action);

}  // namespace dynalease::detail
