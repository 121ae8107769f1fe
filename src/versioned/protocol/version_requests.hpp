// The requests of versioned writes, exactly. Copies of one intent are equal byte for byte; only the first that arrives
// can be applied.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "item/protocol/item_state.hpp"
#include "versioned/protocol/version_changes.hpp"

#include <dynalease/dynamodb/operations.hpp>
#include <dynalease/dynamodb/update_expression.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dynalease::protocol {

/// What all copies of one checked write carry.
struct checked_write {
    item_version base{};
    /// Whether the base's stamps are known, or only its version and birth.
    bool knows_stamps = true;
    item_stamp mine{};
    std::int64_t target = 0;
    bool ignore_lock = false;
};

/// Builds the requests of one table. Holds a reference: a short-lived helper.
class version_requests {
public:
    explicit version_requests(const item_layout& layout) : layout_(layout) {}

    get_item_request look(const item_key& key, bool consistent) const;
    put_item_request create(const item& members, const item_stamp& mine) const;
    /// Over the tombstone `write.base`.
    update_item_request create_over(const item_key& key, const checked_write& write,
                                    const member_changes& changes) const;
    /// The same with more members than one update may name: the whole item takes the tombstone's place.
    /// @param tombstone as it was seen; what of it a lock or a transaction may change is still so
    put_item_request create_in_place(const checked_write& write, const item& tombstone, item whole) const;
    /// save, replace and (without changes) touch.
    update_item_request save(const item_key& key, const checked_write& write, const member_changes& changes) const;
    delete_item_request erase(const item_key& key, const checked_write& write) const;
    /// Leaves a tombstone until TTL removes it. @param expiry seconds since the epoch.
    update_item_request bury(const item_key& key, const checked_write& write, const member_changes& changes,
                             std::int64_t expiry) const;
    /// Takes what that left there off the tombstone. It says nothing new: copies of it may come whenever they like.
    update_item_request clear(const item_key& key, const checked_write& write,
                              const std::vector<std::string>& names) const;
    /// Whatever the version is; refused to a second copy as long as the item remembers the first.
    update_item_request blind(const item_key& key, const update_expression& change, const item_stamp& mine,
                              bool ignore_lock) const;
    /// @param may_create also where there is no item.
    update_item_request clobber(const item_key& key, const member_changes& changes, const item_stamp& mine,
                                bool ignore_lock, bool may_create) const;
    delete_item_request clobber_erase(const item_key& key, bool ignore_lock) const;
    /// Inside a transaction: the item is still as it was loaded.
    condition_check check(const item_key& key, const checked_write& write) const;

private:
    update_item_request draft(const item_key& key) const;
    void complete(update_item_request& request) const;
    std::string identity(const checked_write& write, attribute_values& values) const;
    std::string guard(const checked_write& write, attribute_values& values) const;
    std::string stamping(const checked_write& write, attribute_values& values) const;
    std::string own_stamp_absent() const;
    std::string_view outdated() const;

    const item_layout& layout_;
};

}  // namespace dynalease::protocol
