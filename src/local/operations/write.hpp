// One write of one item, whichever request it came from: checked, located, decided, carried out.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "local/expression/compiled.hpp"
#include "local/operations/database_state.hpp"
#include "local/storage/capacity.hpp"

#include <dynalease/dynamodb/operations.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>

namespace dynalease::local {

/// A view of the request's own fields.
struct write {
    enum class kind { put, update, erase, check };
    kind what = kind::put;
    std::string_view table_name;
    const item* subject = nullptr;  ///< the new item of a put, else the key
    std::string_view condition_expression;
    std::string_view update_expression;
    const attribute_names* names = nullptr;
    const attribute_values* values = nullptr;
    bool current_on_refusal = false;
    bool batched = false;     ///< of a batch, which has fewer words for a wrong key
    bool transacted = false;  ///< of a transaction, which measures an update by nothing but the item
};

write write_of(const put_item_request& request);
write write_of(const update_item_request& request);
write write_of(const delete_item_request& request);
write write_of(const transact_write& action);

class prepared_write {
public:
    /// Refuses faults that need no table: expressions, placeholders, values.
    prepared_write(database_state& state, const write& what);

    /// Finds table and key. Refuses a table that is not there, and a key that does not fit it.
    void locate(database_state& state, std::chrono::sys_seconds now);

    /// What the write would do to the present item. Refuses what cannot be done to it.
    struct plan {
        bool refused = false;         ///< the condition is false
        std::optional<item> after{};  ///< empty: the item is not written, or removed
        std::size_t size = 0;
    };
    plan decide() const;
    /// What it costs. Before it is carried out.
    capacity units(const plan& decision) const;
    /// Makes it ready; empty: nothing is to be done.
    std::optional<table::change> prepare(plan decision);
    /// The size of the item's collection after it; empty without local indexes.
    std::optional<item_collection_metrics> collection() const;

    const write& what() const noexcept { return what_; }
    table& where() const noexcept { return *table_; }
    const row_key& key() const noexcept { return place_.second; }
    const item_place& place() const noexcept { return place_; }
    /// The present item; null when there is none.
    const item* present() const;

    /// The part of an item that the update's paths name; for UPDATED_OLD and UPDATED_NEW.
    item touched_part(const item& whole) const;

private:
    void check_update() const;
    plan decide_update(const item* before) const;
    void check_size_to_write() const;

    write what_;
    database_state& state_;
    allowance& allowed_;
    expression::compiler expressions_;
    expression::cache<expression::condition>::shared condition_;
    expression::cache<expression::update>::shared update_;
    table* table_ = nullptr;
    item_place place_;
};

}  // namespace dynalease::local
