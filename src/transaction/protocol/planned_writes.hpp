// What a transaction wants of items.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "item/protocol/item_attributes.hpp"
#include "item/protocol/item_mark.hpp"

#include <dynalease/dynamodb/condition_expression.hpp>
#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/dynamodb/item.hpp>
#include <dynalease/dynamodb/operations.hpp>
#include <dynalease/dynamodb/update_expression.hpp>
#include <dynalease/item/item_ref.hpp>
#include <dynalease/item/item_version.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::protocol {

/// A table all of whose writers are the library's, or test and set what its writers do. With `layout.stamps`: a table
/// without stamps takes no part in transactions.
struct guarded_table {
    item_layout layout;
    bool versioned = false;  ///< items have versions; else a write refuses one that does
};

struct planned_write {
    mark_kind kind = mark_kind::updated;
    update_expression change{};     ///< of an update
    item whole{};                   ///< of an insert, with its key
    condition_expression demand{};  ///< of the item as it was before; not of an insert
    item_stamp stamp{};             ///< never used before, and the same in all copies of the write
};

/// What the transaction saw of an item, and depends on: that there was none; or one with this stamp and this version.
struct item_sight {
    bool absent = false;                    ///< a tombstone counts as none
    std::optional<item_stamp> stamp{};      ///< empty: it had none
    std::optional<std::int64_t> version{};  ///< where the table has versions. Foreign mappers raise nothing else

    friend bool operator==(const item_sight&, const item_sight&) = default;
};

/// @param committed the item without any mark, as `committed_view` and `after_mark` show it
/// Fails with `errc::bad_version` or `errc::corrupt_row`: such an item is never written.
result<item_sight> sight_of(const guarded_table& on, const std::optional<item>& committed);

/// Why the item, which no transaction holds, is never written: `errc::corrupt_row` for a stamp that is none, and for
/// what is left of a mark whose name somebody has removed; where there are versions, all of which `sight_of` fails.
/// Empty: it may be.
std::optional<failure> fault_of_state(const guarded_table& on, const item& shown);

/// One item and the writes to it, in their order. An insert stands alone.
struct planned_item {
    guarded_table on;
    item_key key;
    std::vector<planned_write> writes;
    /// The first write demands it. Empty: the writes were made without reading. Of an insert: absent, or empty.
    std::optional<item_sight> seen{};
    std::size_t bytes = 0;  ///< of the item as it was read; none: it was not

    item_ref place() const { return {on.layout.table, key}; }
};

/// What must be so at the very instant of the commit, and is not written: that an item, which was only read, is as it
/// was seen; that it is there, and as is demanded; or what a guard asks for.
struct planned_check {
    guarded_table on{};
    item_key key{};
    std::optional<item_sight> seen{};
    /// That there is an item; if it is not empty, that it holds of it, too.
    std::optional<condition_expression> demand{};
    /// Of a lock or of a turn, as `fence()` makes it; of an item's lock, of this very item.
    std::optional<condition_check> fence{};
    std::size_t bytes = 0;  ///< of the item as it was read

    /// Of no item that anybody has read, or demands something of.
    bool is_fence() const { return fence && !seen && !demand; }
    item_ref place() const { return fence ? item_ref{fence->table_name, fence->key} : item_ref{on.layout.table, key}; }
};

/// Sealed: nothing is added to it any more.
struct transaction_plan {
    run_name name;
    std::int64_t born = 0;
    std::vector<planned_item> items;
    std::vector<planned_check> checks{};  ///< each of another item than those above
    bool keeps_outcome = false;           ///< its id is the user's, who may ask for it later
    bool holds = false;  ///< its items, all of kind `read`, until it is known what is to become of them
};

/// Of an item that no transaction holds.
bool is_as_seen(const guarded_table& on, const item_sight& seen, const std::optional<item>& shown);

/// The failure, told of this item.
failure about(failure why, const item_ref& where);
/// The same of a request about the item, or about the row of whoever holds it: that names the row's table itself.
failure met_at(const item_ref& where, failure why);

/// The top-level attributes that the update changes, each once, in their order.
std::vector<std::string> touched_by(const update_expression& change);

}  // namespace dynalease::protocol
