// What callers want to happen together, as a plan.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "versioned/protocol/joint_write.hpp"
#include "versioned/versioned_impl.hpp"

#include <dynalease/versioned/save_all.hpp>

#include <memory>
#include <vector>

namespace dynalease::detail {

/// ... with the tables that its writes are for.
struct joint_plan : protocol::joint_plan {
    std::vector<std::shared_ptr<versioned_impl>> tables;
};

/// Makes the plan, or says what is wrong with the entries. Sends nothing.
result<joint_plan> plan_jointly(std::vector<joint_entry> entries);

}  // namespace dynalease::detail
