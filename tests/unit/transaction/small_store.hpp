// A few rows that requests read and write, by the expressions' own texts. A plain value: a copy goes its own way.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/dynamodb/operations.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace dynalease::protocol::test {

class small_store {
public:
    /// Gets, writes of one item, and transactions that write. No tables are made, and no tokens remembered.
    result<any_response> execute(const any_request& request);

    const item* find(const std::string& table, const item_key& key) const;
    void put(const std::string& table, const item_key& key, item whole);
    void erase(const std::string& table, const item_key& key);

    std::uint64_t hash() const;

private:
    struct row {
        item attributes;
        std::uint64_t hash;
    };
    std::map<std::string, std::shared_ptr<const row>> rows_;
};

}  // namespace dynalease::protocol::test
