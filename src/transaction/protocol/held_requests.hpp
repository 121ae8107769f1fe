// The call that commits a run which has held its items, and changes them and gives them back by the same.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "item/protocol/item_mark.hpp"
#include "transaction/protocol/planned_writes.hpp"

#include <dynalease/dynamodb/operations.hpp>
#include <dynalease/item/item_ref.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::protocol {

/// What is in the call after the row, in this order: the writes, the checks, and what was held for nothing.
class held_call {
public:
    /// @param held the plan by which the items are held @param marks of each of its items; empty: it was not there
    held_call(const transaction_plan& held, std::vector<std::optional<item_mark>> marks, transaction_plan wanted);

    struct part {
        const planned_item* write = nullptr;
        const planned_check* check = nullptr;
        item_ref place;
        std::optional<item_mark> mark{};  ///< under which this run holds the item; empty: it does not
    };
    /// Of what is told of the row comes nothing here.
    std::size_t size() const noexcept;
    part at(std::size_t index) const;
    /// Whether one call can carry it out: one write to an item, and no more actions and bytes than the service takes.
    bool fits() const;

    /// @param expiry of the row, in seconds; empty: some copy of a lock is on its way, and the row stays for who meets
    /// what that marks @param token of this body
    transact_write_items_request held_commit(const std::string& coordination, std::optional<std::int64_t> expiry,
                                             std::string token) const;

private:
    std::optional<item_mark> mark_on(const item_ref& place) const;

    run_name name_;
    std::vector<planned_item> held_;
    std::vector<std::optional<item_mark>> marks_;
    transaction_plan wanted_;
    std::vector<std::size_t> unused_;  ///< held, and neither written nor checked
};

}  // namespace dynalease::protocol
