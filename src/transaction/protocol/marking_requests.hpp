// The requests about items, exactly: those that make a transaction hold an item, and those that end it. Copies of each
// are equal byte for byte, and may be sent as often as one likes.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "item/protocol/item_mark.hpp"
#include "transaction/protocol/planned_writes.hpp"

#include <dynalease/dynamodb/operations.hpp>
#include <dynalease/item/item_ref.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace dynalease::protocol {

using ending_request = std::variant<update_item_request, delete_item_request>;

/// Builds what one run sends about one item. Holds references: a short-lived helper.
class marking_requests {
public:
    marking_requests(const guarded_table& on, const run_name& self) : on_(on), self_(self) {}

    /// Locks the item, keeps its old values and changes it, in one write. @param number of the write, from 1
    /// @param seen what the item must still be
    update_item_request lock_item(const item_key& key, const planned_write& write, std::int64_t number,
                                  const std::optional<item_sight>& seen = {}) const;
    /// The same for an item that this run holds already.
    update_item_request lock_item_again(const item_key& key, const planned_write& write, std::int64_t number,
                                        const item_mark& held) const;
    /// The action of an insert, for `lock_inserts`.
    transact_put lock_insert(const planned_write& write, std::int64_t number) const;

private:
    update_item_request draft(const item_key& key, const planned_write& write, std::int64_t number) const;
    void change(update_item_request& request, const planned_write& write, const item_mark* held) const;
    void complete(update_item_request& request) const;

    const guarded_table& on_;
    const run_name& self_;
};

/// Tied to the run: an item that is not there remembers no lock, so only a run that is not decided may make it.
/// @param coordination the table of the run's row @param token of this body
transact_write_items_request lock_inserts(const std::string& coordination, const run_name& self,
                                          std::vector<transact_put> inserts, std::string token);
get_item_request look_at_item(const item_ref& where);
/// The transaction has committed under this lock. Anybody may send it.
ending_request unlock(const item_ref& where, const item_mark& mark);
/// It has not, and never will. What the item was is copied by the service, from the item itself.
ending_request undo(const item_ref& where, const item_mark& mark);

}  // namespace dynalease::protocol
