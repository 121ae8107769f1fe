// What the body of a transaction has read and is going to write, until the commit makes a plan of it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "item/protocol/item_attributes.hpp"
#include "transaction/drafted_item.hpp"
#include "transaction/drafted_state.hpp"
#include "transaction/protocol/planned_writes.hpp"

#include <dynalease/dynamodb/condition_expression.hpp>
#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/dynamodb/item.hpp>
#include <dynalease/dynamodb/operations.hpp>
#include <dynalease/transaction/transaction_operations.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::detail {

/// A plain value. What an adding function says is wrong has changed nothing.
class transaction_draft {
public:
    /// Why this handle may not touch the item: another has, in this transaction, that has its version, its stamp or its
    /// lock elsewhere, or counts otherwise. To be asked before all that follows.
    std::optional<failure> disagreement(const protocol::item_layout& layout, const item_key& key) const;

    /// Empty: nothing is known of the item. Fails with `errc::updated_blindly`.
    result<std::optional<transaction_sight>> known(const protocol::item_layout& layout, const item_key& key) const;
    /// The first sight of an item counts. @returns whether this one bears it out
    bool saw(const protocol::item_layout& layout, const item_key& key, std::optional<stored_item> before);
    /// It was shown to the body as that struct.
    void read_as(const protocol::item_layout& layout, const item_key& key, item_view view);

    std::optional<failure> put(const protocol::item_layout& layout, const item_key& key, drafted_put wanted);
    std::optional<failure> insert(const protocol::item_layout& layout, const item_key& key, drafted_put wanted);
    std::optional<failure> update(const protocol::item_layout& layout, const item_key& key, drafted_update wanted);
    void erase(const protocol::item_layout& layout, const item_key& key);
    std::optional<failure> check(const protocol::item_layout& layout, const item_key& key, condition_expression demand);
    void require(condition_check fence);

    const std::vector<drafted_item>& items() const noexcept { return items_; }
    /// A guard that is required locks this very item.
    bool guards(const drafted_item& touched) const;
    /// Actions of one call, beside that for the row.
    std::size_t actions() const noexcept { return items_.size() + fences_.size(); }

    /// Once no item wants reading. @param new_stamp gives one that was never used
    result<protocol::transaction_plan> plan(protocol::run_name name, std::int64_t born,
                                            const std::function<item_stamp()>& new_stamp) const;

private:
    const drafted_item* find(const protocol::item_layout& layout, const item_key& key) const;
    drafted_item& at(const protocol::item_layout& layout, const item_key& key);
    const drafted_state& state_of(const drafted_item& touched) const;
    void forget_state(const drafted_item& touched);
    std::optional<failure> plan_fences(protocol::transaction_plan& into) const;

    std::vector<drafted_item> items_;  ///< in the order in which they were touched
    std::map<std::string, std::size_t> places_;
    mutable std::map<std::size_t, drafted_state> states_;  ///< by place, of those that were read after a write
    std::vector<condition_check> fences_;
};

}  // namespace dynalease::detail
