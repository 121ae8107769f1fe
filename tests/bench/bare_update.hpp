// The reference for what a lock costs: one signed UpdateItem through the client, without any lock around it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support/at_once.hpp"

#include <dynalease/dynamodb/database.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <string>
#include <utility>

namespace bench {

/// About as many attributes and conditions as the write that takes a free lock.
inline boost::asio::awaitable<void> bare_update(dynalease::database database, std::string table, std::size_t i) {
    dynalease::update_item_request update;
    update.table_name = std::move(table);
    update.key.emplace("pk", "bare#" + std::to_string(i));
    update.key.emplace("sk", "-");
    update.update_expression = "SET #v = :v, #holder = :holder, #attempt = :attempt, #token = :token, #floor = :token";
    update.condition_expression = "attribute_not_exists(#other)";
    update.names = {{"#v", "v"},         {"#holder", "holder"}, {"#attempt", "attempt"},
                    {"#token", "token"}, {"#floor", "floor"},   {"#other", "other"}};
    update.values.emplace(":v", 1);
    update.values.emplace(":holder", "0123456789012345678901");
    update.values.emplace(":attempt", 1);
    update.values.emplace(":token", 1'732'190'000'000);
    update.current_on_refusal = true;
    co_await database.execute(std::move(update));
}

/// `count` of them, `width` at once.
inline boost::asio::awaitable<void> bare_updates(dynalease::database database, std::string table, std::size_t width,
                                                 std::size_t count) {
    co_await support::at_once(width, count, [&](std::size_t i) { return bare_update(database, table, i); });
}

}  // namespace bench
