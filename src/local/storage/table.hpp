// One table in memory: rows in key order, its indexes, and the time to live.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "local/storage/index.hpp"
#include "local/storage/key.hpp"

#include <dynalease/dynamodb/operations.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dynalease::local {

struct row {
    item attributes;
    std::size_t size = 0;
    std::optional<std::int64_t> expiry{};
};

class table {
public:
    using rows = std::map<row_key, row>;

    /// @param settings all of the description but indexes and counts.
    explicit table(table_description settings) : settings_(std::move(settings)) {}
    table(const table&) = delete;
    table& operator=(const table&) = delete;

    const std::string& name() const noexcept { return settings_.table_name; }
    const key_schema& key() const noexcept { return settings_.key; }
    const rows& all() const noexcept { return rows_; }
    table_description describe() const;
    /// All that is changed by UpdateTable but the indexes.
    table_description& settings() noexcept { return settings_; }
    std::map<std::string, std::string>& tags() noexcept { return tags_; }
    const std::map<std::string, std::string>& tags() const noexcept { return tags_; }

    /// By name: in this order the service looks for a fault.
    const std::vector<table_index>& indexes() const noexcept { return indexes_; }
    std::vector<table_index>& indexes() noexcept { return indexes_; }
    bool has_local_index() const noexcept;
    /// Null when there is none.
    table_index* find_index(std::string_view name);
    const table_index* find_index(std::string_view name) const;
    /// Takes in the items that are there; those whose value does not fit stay out.
    table_index& add_index(secondary_index definition, bool is_global);
    void remove_index(std::string_view name);
    /// Refuses an item that an index cannot take.
    void check_indexes(const item& whole) const;
    /// All items of one hash key, in whole gigabytes.
    std::size_t collection_gigabytes(const row_key& of) const;

    /// Null when there is none.
    const row* find(const row_key& where) const;

    /// One row put or removed, with all that is kept beside it, made ready before anything is changed: what is left to
    /// do needs no memory, so that several changes happen together or not at all. Not for two changes of one row.
    class change {
    public:
        void commit() noexcept;

    private:
        friend table;
        explicit change(table& of) : table_(&of), stale_(of.rows_.end()), stale_expiry_(of.expiries_.end()) {}

        table* table_;
        rows::iterator stale_;
        std::vector<table_index::entries::iterator> stale_entries_{};
        std::set<std::pair<std::int64_t, row_key>>::iterator stale_expiry_;
        rows::node_type fresh_{};
        std::vector<table_index::entries::node_type> fresh_entries_{};
        std::set<std::pair<std::int64_t, row_key>>::node_type fresh_expiry_{};
    };
    change put(const row_key& where, item attributes, std::size_t size);
    change erase(const row_key& where);

    /// The attribute that holds the end of an item's life in epoch seconds; empty: items live for ever.
    const std::string& ttl_attribute() const noexcept { return ttl_attribute_; }
    void set_ttl_attribute(std::string name);
    /// Removes what has expired, and says what that was. Costs nothing when nothing has.
    std::vector<row_key> expire(std::chrono::sys_seconds now);

private:
    void find_stale(const row_key& where, change& of);
    void index_expiry(rows::iterator at);

    table_description settings_;
    std::map<std::string, std::string> tags_;
    rows rows_;
    std::size_t bytes_ = 0;
    std::vector<table_index> indexes_;
    std::string ttl_attribute_;
    std::set<std::pair<std::int64_t, row_key>> expiries_;
};

}  // namespace dynalease::local
