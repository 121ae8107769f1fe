// What the mutants of locks have in common.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/primitive.hpp"
#include "simulation/framework/rewriting_database.hpp"
#include "support/changed_texts.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace dynalease::simulation::locks {

inline constexpr std::string_view above_floor = " AND (attribute_not_exists(#floor) OR #floor < :t)";

inline update_item_request& update_of(any_request& request) {
    return std::get<update_item_request>(request);
}

inline std::string partition_of(const any_request& request) {
    const auto* update = std::get_if<update_item_request>(&request);
    const auto* get = std::get_if<get_item_request>(&request);
    if (!update && !get) return {};
    return *find_string(update ? update->key : get->key, "pk");
}

/// In the words of TTL: seconds of the wall clock.
inline std::int64_t expiry_in(const environment& world, std::chrono::seconds wait) {
    const auto now = std::chrono::floor<std::chrono::seconds>(world.clock->wall().time_since_epoch());
    return (now + wait).count();
}

/// With the same condition. @returns the answer that the update would have had.
inline boost::asio::awaitable<result<any_response>> delete_instead(std::shared_ptr<database_backend> network,
                                                                   update_item_request update, call_options options) {
    delete_item_request removal{.table_name = update.table_name, .key = update.key};
    removal.condition_expression = update.condition_expression;
    update.update_expression.clear();
    tests::prune(update);
    removal.names = update.names;
    removal.values = update.values;
    removal.current_on_refusal = update.current_on_refusal;
    any_request request(std::move(removal));
    auto answer = co_await network->perform(std::move(request), options);
    if (!answer) co_return std::move(answer).error();
    co_return any_response(update_item_response{});
}

}  // namespace dynalease::simulation::locks
