// The tables that a failure of a request is about.
// SPDX-License-Identifier: BSL-1.0
#include "dynamodb/tables_named.hpp"

#include <algorithm>
#include <variant>
#include <vector>

namespace dynalease::detail {

namespace {

using names = std::vector<std::string>;

void add(names& to, const std::string& name) {
    if (std::ranges::find(to, name) == to.end()) to.push_back(name);
}

names tables_in(const any_request& request) {
    names found;
    if (const auto* writes = std::get_if<transact_write_items_request>(&request)) {
        for (const auto& each : writes->actions) {
            std::visit([&](const auto& action) { add(found, action.table_name); }, each);
        }
    } else if (const auto* reads = std::get_if<transact_get_items_request>(&request)) {
        for (const auto& each : reads->gets) add(found, each.table_name);
    } else if (const auto* batch = std::get_if<batch_get_item_request>(&request)) {
        for (const auto& [name, keys] : batch->tables) add(found, name);
    } else if (const auto* changes = std::get_if<batch_write_item_request>(&request)) {
        for (const auto& [name, writes_there] : changes->tables) add(found, name);
    } else {
        found.emplace_back(table_of(request));
    }
    return found;
}

}  // namespace

std::string tables_named(const any_request& request, std::string_view message) {
    const auto tables = tables_in(request);
    const auto is_named = [&](const std::string& name) { return message.find("Table: " + name + " ") != message.npos; };
    if (const auto named = std::ranges::find_if(tables, is_named); named != tables.end()) return *named;
    std::string all;
    for (const auto& each : tables) all += (all.empty() ? "" : ", ") + each;
    return all;
}

}  // namespace dynalease::detail
