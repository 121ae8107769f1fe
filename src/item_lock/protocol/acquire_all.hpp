// Several items locked in one transaction: under one claim, that is granted on all of them or on none.
//
// Whoever waits for such a grant holds nothing, so no circle of waiting can close through it. As all copies of the
// transaction stand or fall together, what closes the claim on one item closes it on all.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "item_lock/protocol/item_lock_decisions.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace dynalease::protocol {

/// A transaction has 100 actions.
inline constexpr std::size_t items_at_once = 100;

/// After so many refusals the items are locked one by one: a busy item would hardly ever be free together with all
/// the others, and readers that come and go keep out whoever leaves no intent.
inline constexpr unsigned refusals_together = 5;

enum class acquire_all_step {
    granted,  ///< an item names our claim: all of them do
    missing,  ///< there is no such item
    renew,    ///< no copy of the claim can land any more: take a new one and decide again
    clear,    ///< take away what of ours, or of the dead, stands on that item, and decide again
    look,     ///< find out whether `session` lives, then decide again
    wait,     ///< for that item, holding none
    take,     ///< send the transaction, with each item's own form
};

struct acquire_all_decision {
    acquire_all_step step;
    std::size_t item = 0;  ///< the first item that says so
    std::string session{};
    friend bool operator==(const acquire_all_decision&, const acquire_all_decision&) = default;
};

/// @param each what is to be done about every single item, as for a try of it.
acquire_all_decision decide_acquire_all(const std::vector<item_acquire_decision>& each);

/// In which order whoever holds some of the items waits for the others, the same in all processes: so no circle of
/// waiting closes. @param names of the items. @returns their places
std::vector<std::size_t> acquiring_order(const std::vector<std::string>& names);

}  // namespace dynalease::protocol
