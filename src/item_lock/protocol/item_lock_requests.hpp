// The requests of an item lock, exactly. Each may be sent again byte for byte; a late copy of any is refused.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "item_lock/protocol/item_lock_decisions.hpp"

#include <dynalease/dynamodb/condition_expression.hpp>
#include <dynalease/dynamodb/operations.hpp>
#include <dynalease/dynamodb/update_expression.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::protocol {

/// What a guarded write does to the item, and to the lock.
struct guarded_change {
    update_expression update{};
    condition_expression condition{};
    item_stamp stamp{};
    bool versioned = true;  ///< raise the version too
    bool release = false;   ///< give the lock back in the same write
};

/// Builds requests for one item on behalf of one session. Holds references: a short-lived helper.
/// None of them creates an item: whoever locks what does not exist is told so.
class item_lock_requests {
public:
    item_lock_requests(const item_layout& layout, const item_key& key, const std::string& self)
        : layout_(layout), key_(key), self_(self) {}

    /// Only what the tables ask for, so that polling a large item shows little, though it costs the same.
    get_item_request look() const;
    /// Brings the item. @param most_readers the bound that a reader keeps to.
    update_item_request take(const claim& mine, const item_take_form& form, std::size_t most_readers) const;
    /// @param replaced an intent that is over, or our own of a former claim. The floor stays: the intent grants
    /// nothing.
    update_item_request intend(const claim& mine, const std::optional<std::string>& replaced) const;
    /// @param over readers; the first of them must still be there.
    update_item_request reap(const std::vector<std::string>& over) const;

    /// Closes a claim for good, whoever holds the item.
    update_item_request close(const claim& mine) const;
    update_item_request leave(const claim& mine, const std::string& intent) const;
    update_item_request leave_closed(const std::string& intent) const;

    update_item_request change(const item_grant& held, const guarded_change& what) const;
    /// Removes the item itself, and the lock with it.
    delete_item_request erase(const item_grant& held, const condition_expression& condition) const;
    /// Names the attempt, not the step: it closes an unanswered guarded write as well, and its old text tells which
    /// step the item was at.
    update_item_request release(const item_grant& held) const;
    update_item_request downgrade(const item_grant& held) const;
    /// A sign of life of a writer's grant: the next step, and nothing else.
    update_item_request extend(const item_grant& held) const;
    /// A sign of life of a reader's: a second entry, in whose favour the first is then reaped. No copy of it can land
    /// after that.
    update_item_request succeed(const item_grant& held, std::int64_t attempt) const;
    update_item_request hand_over(const item_grant& from, const claim& to) const;
    /// True only while this very grant is in force.
    condition_check fence(const item_grant& held) const;
    /// The same, for writes of others' making to the item itself.
    condition_expression condition(const item_grant& held) const;

private:
    update_item_request draft(std::string update, std::string condition, attribute_values values) const;

    const item_layout& layout_;
    const item_key& key_;
    const std::string& self_;
};

}  // namespace dynalease::protocol
