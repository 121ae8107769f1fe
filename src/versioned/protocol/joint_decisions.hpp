// What the reasons of a refused transaction say of the writes that were to happen together.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "versioned/protocol/joint_write.hpp"

namespace dynalease::protocol {

enum class joint_verdict {
    applied,
    refused,  ///< and no late copy can be applied, either
    again,    ///< only for a moment, or not closed
    replan,   ///< a tombstone came or went
    doubt,
};

/// @param clean no copy of it is unanswered
/// @param each is filled with how each entry fared
joint_verdict decide_together(const joint_plan& plan, const failure& why, bool clean,
                              std::vector<joint_outcome::fate>& each);
/// Names the first entry that is to blame, and takes its code.
void blame(failure& why, const joint_plan& plan, const std::vector<joint_outcome::fate>& each);

/// What an item of a refusal shows; empty also where it cannot be read.
std::optional<visible_item> sight_in(const write_intent& intent, const std::optional<item>& found);

}  // namespace dynalease::protocol
