// Several versioned writes that happen together: the actions of one transaction, from its first copy to its end.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "database/protocol/sequence.hpp"
#include "versioned/protocol/write_intent.hpp"
#include "versioned/protocol/writer_view.hpp"

#include <dynalease/dynamodb/condition_expression.hpp>
#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/dynamodb/operations.hpp>
#include <dynalease/item/resolution.hpp>
#include <dynalease/item/write_facts.hpp>

#include <optional>
#include <string>
#include <vector>

namespace dynalease::protocol {

/// The writes with one stamp for all of them, so that any one item tells of all.
struct joint_plan {
    struct part {
        std::optional<write_intent> intent{};  ///< empty: somebody else's action
        bool only_checks = false;
        condition_expression demand{};  ///< ... beside the version
        transact_write action{};
    };
    std::vector<part> parts;

    std::vector<transact_write> actions() const;
};

/// After the intent has changed.
void plan_action(joint_plan::part& part);

/// The table and, if the action itself says it, the key.
std::string table_of(const transact_write& action);
std::optional<item_key> key_of(const transact_write& action);

struct joint_outcome {
    struct fate {
        error_code code{};  ///< why this one kept all from happening; none: it did not
        detail::write_facts facts{};
    };
    std::optional<failure> why{};
    std::vector<fate> each{};  ///< empty where no entry is to blame
    bool in_doubt = false;     ///< the plan, as it is then, may be asked about later
};

/// @param plan meets tombstones: its last form is what may have been applied
sequence<void> write_together(writer_view& process, stepper& steps, joint_plan& plan, joint_outcome& end);

struct resolved_together {
    std::optional<failure> why{};  ///< nothing was learnt
    resolution became = resolution::open;
};

/// What the items say of writes that were in doubt: any one of them may tell of all.
sequence<void> resolve_together(stepper& steps, const joint_plan& plan, resolved_together& end);

}  // namespace dynalease::protocol
