// What of an item is committed, by the protocol's page alone: written anew, so that no mistake of the library is ours.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/transaction/history.hpp"

#include <dynalease/dynamodb/item.hpp>

#include <functional>
#include <optional>
#include <string>

namespace dynalease::simulation::transfers {

/// The row of a transaction by its id; null: there is none.
using row_of = std::function<const item*(const std::string& id)>;

/// @param lies the item as it lies in the store
item_state resolved(const std::optional<item>& lies, const row_of& row);
/// Whether a transaction holds it.
/// One that lands twice on different states of an item makes two.
std::string text_of_mark(const item& lies);
bool is_marked(const std::optional<item>& lies);

/// What the row of a transaction says.
struct row_state {
    std::string run{};
    std::string state{};
    bool done = false;
    friend bool operator==(const row_state&, const row_state&) = default;
};
row_state state_of_row(const item& row);

/// What a struct shows of an item is the same, for whoever reads it.
item_state state_of(const std::optional<item>& committed);

}  // namespace dynalease::simulation::transfers
