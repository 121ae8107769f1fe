// What the answers to guarded writes mean: which of the copies that were sent were applied, and which surely were not.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "item_lock/protocol/item_lock_claimant.hpp"

#include <optional>
#include <variant>

namespace dynalease::protocol {

using guarded_request = std::variant<update_item_request, delete_item_request>;

/// What ends a grant: the change, or the removal, and the release in one.
struct last_write {
    item_grant held;  ///< a plain session's may run out, and another begin, while the write is under way
    guarded_request request;
    std::optional<item_stamp> stamp{};  ///< what it leaves on the item
    bool raises = false;                ///< the item's version
    bool erases = false;
    bool only_frees = false;  ///< leaves the item as it is
};

/// What kept a write from an item that was ours all along: the caller's own condition, or the item's version.
detail::shared_failure why_not(const item_lock_claimant& lock, const item_reply& seen, bool raises);
/// Whether the item shows the stamp of that write.
bool remembers(const item_lock_claimant& lock, const item_reply& seen, const item_stamp& stamp);
/// Of the item as the grant knows it.
item_version known_version(const item_lock_claimant& lock);
/// A write with a stamp, onto that version, was refused behind a lock that is gone, and is not remembered.
bool surely_unwritten(const item_lock_claimant& lock, const item_reply& seen, const item_version& before);
/// Of a refused release of which every copy was answered: the network has made one more.
bool freed_by_copy(const item_lock_claimant& lock, const item_lock_state& shown, const item_grant& released);
/// The same of a last write that only frees the item, and is all that was sent to free it.
bool freed_by(const item_lock_claimant& lock, const item_reply& seen, const last_write& last);
/// Whether the refusal of a later copy shows that an earlier one was applied.
bool landed(const item_lock_claimant& lock, const item_reply& seen, const last_write& last);

}  // namespace dynalease::protocol
