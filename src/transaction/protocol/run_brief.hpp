// What a run of a transaction is about, which nothing changes any more.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "transaction/protocol/planned_writes.hpp"
#include "transaction/protocol/transaction_decisions.hpp"

#include <cstddef>
#include <string>

namespace dynalease::protocol {

/// What all parts of a coordinator know, and its copies share.
struct run_brief {
    std::string coordination;  ///< the table of its row
    transaction_plan plan;
    rivalry rules;

    seniority self() const { return {plan.born, plan.name.id}; }
    /// Who waits for others while it holds items takes them in one order with everybody: no circle of waiting can
    /// close.
    bool in_turn() const noexcept { return plan.holds || rules.policy == wait_policy::wait; }
    bool is_insert(std::size_t index) const {
        const auto& writes = plan.items[index].writes;
        return !writes.empty() && writes.front().kind == mark_kind::inserted;
    }
};

}  // namespace dynalease::protocol
