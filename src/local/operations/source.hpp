// What a Query or Scan walks over: a table or one of its indexes, in one shape.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "local/storage/index.hpp"
#include "local/storage/table.hpp"

#include <cstddef>

namespace dynalease::local {

class table_source {
public:
    using position = row_key;
    using iterator = table::rows::const_iterator;

    explicit table_source(const table& of) : table_(of) {}

    const key_schema& key() const noexcept { return table_.key(); }
    iterator begin() const { return table_.all().begin(); }
    iterator end() const { return table_.all().end(); }
    iterator at_or_after(const row_key& where) const { return table_.all().lower_bound(where); }
    iterator after(const row_key& where) const { return table_.all().upper_bound(where); }

    static const row_key& key_at(iterator at) { return at->first; }
    static const row& row_at(iterator at) { return at->second; }
    /// Of what is seen here of the row.
    static std::size_t size_at(iterator at) { return at->second.size; }
    static const row_key& key_of(const position& where) { return where; }

    std::size_t start_size() const { return key().range ? 2 : 1; }
    /// Refuses anything but the key of an item that could be here.
    position position_of(const item_key& start) const;
    item_key start_after(const row& last) const { return local::key_of(table_.key(), last.attributes); }

private:
    const table& table_;
};

class index_source {
public:
    using position = index_key;
    using iterator = table_index::entries::const_iterator;

    index_source(const table& of, const table_index& index) : table_(of), index_(index) {}

    const key_schema& key() const noexcept { return index_.key(); }
    iterator begin() const { return index_.all().begin(); }
    iterator end() const { return index_.all().end(); }
    iterator at_or_after(const row_key& where) const { return index_.all().lower_bound({where, {}}); }
    iterator at_or_after(const index_key& where) const { return index_.all().lower_bound(where); }
    iterator after(const index_key& where) const { return index_.all().upper_bound(where); }

    static const row_key& key_at(iterator at) { return at->first.at; }
    static const row& row_at(iterator at) { return *at->second.held; }
    static std::size_t size_at(iterator at) { return at->second.size; }
    static const row_key& key_of(const position& where) { return where.at; }

    std::size_t start_size() const;
    position position_of(const item_key& start) const;
    item_key start_after(const row& last) const;

private:
    const table& table_;
    const table_index& index_;
};

}  // namespace dynalease::local
