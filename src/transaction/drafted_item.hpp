// One item of a transaction's draft: what the body has seen of it and is going to write.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "item/protocol/item_attributes.hpp"
#include "versioned/versioned_impl.hpp"

#include <dynalease/dynamodb/condition_expression.hpp>
#include <dynalease/dynamodb/item.hpp>
#include <dynalease/dynamodb/update_expression.hpp>
#include <dynalease/item/item_members.hpp>
#include <dynalease/transaction/transaction_operations.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <variant>
#include <vector>

namespace dynalease::detail {

/// All attributes that an item is to have, or those that a struct knows of it.
struct drafted_put {
    item_members members{};
    bool complete = false;  ///< what the members do not name is to go
    write_times times{};
    item_view view = nullptr;  ///< of the struct
};
struct drafted_update {
    update_expression change{};
    condition_expression demand{};
};
struct drafted_erasure {};
using drafted_write = std::variant<drafted_put, drafted_update, drafted_erasure>;
template <class Kind>
bool is(const drafted_write& write) {
    return std::holds_alternative<Kind>(write);
}

/// A struct that the item was read as.
struct drafted_reader {
    item_view view;
    std::size_t writes;  ///< those before that read
};

struct drafted_item {
    protocol::item_layout layout{};
    item_key key{};
    bool read = false;                    ///< it is known what it was:
    std::optional<stored_item> before{};  ///< ... this; empty: there was none
    bool contradicted = false;            ///< another read of it, beside that one, told it otherwise
    bool inserted = false;                ///< by the first of the writes, which is a put
    bool was_inserted = false;            ///< ... and erased again: there must have been none
    std::vector<drafted_write> writes{};
    bool updated = false;  ///< by one of them
    std::vector<drafted_reader> readers{};
    /// Of the item as it was before: that there is one, and what else is demanded.
    std::optional<condition_expression> demand{};

    /// What becomes of an item that is put depends on what it was.
    bool wants_reading() const { return !read && !inserted && (was_inserted || has_put()); }
    /// Before the writes, as far as the body can know.
    bool was_missing() const { return (read && !before) || was_inserted; }
    bool has_put() const { return std::ranges::any_of(writes, is<drafted_put>); }
    /// By the last of the writes.
    bool erased() const { return !writes.empty() && is<drafted_erasure>(writes.back()); }
};

}  // namespace dynalease::detail
