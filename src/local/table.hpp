// One table in memory: rows in key order, and the time to live.
#pragma once

#include "local/key.hpp"

#include <dynalease/dynamodb/operations.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace dynalease::local {

struct row {
    item attributes;
    std::size_t size = 0;
    std::optional<std::int64_t> expiry{};
};

class table {
public:
    using rows = std::map<row_key, row>;

    table(std::string name, key_schema key) : name_(std::move(name)), key_(std::move(key)) {}

    const std::string& name() const noexcept { return name_; }
    const key_schema& key() const noexcept { return key_; }
    const rows& all() const noexcept { return rows_; }
    table_description describe() const;

    /// Null when there is none.
    const row* find(const row_key& where) const;
    void put(const row_key& where, item attributes, std::size_t size);
    void erase(const row_key& where);

    /// The attribute that holds the end of an item's life in epoch seconds; empty: items live for ever.
    const std::string& ttl_attribute() const noexcept { return ttl_attribute_; }
    void set_ttl_attribute(std::string name);
    /// Removes what has expired. Costs nothing when nothing has.
    void expire(std::chrono::sys_seconds now);

private:
    void index_expiry(rows::iterator at);
    void forget_expiry(rows::iterator at);

    std::string name_;
    key_schema key_;
    rows rows_;
    std::string ttl_attribute_;
    std::set<std::pair<std::int64_t, row_key>> expiries_;
};

}  // namespace dynalease::local
