// What a failure was about, as its request tells.
// SPDX-License-Identifier: BSL-1.0
#include "dynamodb/failed_request.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
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

void add_key_part(std::string& text, const attribute_value& value) {
    std::string_view part;
    if (const auto* string = value.get_if<std::string>()) part = *string;
    if (const auto* digits = value.get_if<number>()) part = digits->text();
    if (part.empty()) return;
    if (!text.empty()) text += " / ";
    text += part;
}

/// Only what is known to be a key: the values of other attributes must not get into a log.
template <class Request>
std::string key_in(const Request& what) {
    std::string text;
    if constexpr (requires { what.key.begin(); }) {
        for (const auto& [name, value] : what.key) add_key_part(text, value);
    } else if constexpr (requires { what.new_item; }) {
        for (const auto* name : {"pk", "sk"}) {
            if (const auto* value = find(what.new_item, name)) add_key_part(text, *value);
        }
    }
    return text;
}

std::string key_text(const any_request& request) {
    return std::visit([](const auto& what) { return key_in(what); }, request);
}

constexpr std::string_view name_of(const transact_put&) {
    return "a put";
}
constexpr std::string_view name_of(const transact_update&) {
    return "an update";
}
constexpr std::string_view name_of(const transact_delete&) {
    return "a deletion";
}
constexpr std::string_view name_of(const condition_check&) {
    return "a condition check";
}
constexpr std::string_view name_of(const transact_get&) {
    return "a read";
}

void name_action(diagnostics& details, const auto& action, std::string_view which, const cancellation_reason& reason) {
    details.table = action.table_name;
    details.key = key_in(action);
    auto& words = details.message;
    if (!words.empty()) words += "; ";
    words.append(which).append(", ").append(name_of(action)).append(": ").append(reason.code);
    if (!reason.message.empty()) words.append(", ").append(reason.message);
}

/// Of several actions, the first one that was refused.
void name_refused(diagnostics& details, const any_request& request, const std::vector<cancellation_reason>& reasons) {
    const auto refused = [](const cancellation_reason& each) { return !each.code.empty() && each.code != "None"; };
    const auto at = static_cast<std::size_t>(std::ranges::find_if(reasons, refused) - reasons.begin());
    if (at == reasons.size()) return;
    const auto which = "action " + std::to_string(at + 1) + " of " + std::to_string(reasons.size());
    if (const auto* writes = std::get_if<transact_write_items_request>(&request)) {
        if (writes->actions.size() != reasons.size()) return;
        std::visit([&](const auto& action) { name_action(details, action, which, reasons[at]); }, writes->actions[at]);
    }
    if (const auto* reads = std::get_if<transact_get_items_request>(&request)) {
        if (reads->gets.size() == reasons.size()) name_action(details, reads->gets[at], which, reasons[at]);
    }
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

void name_request(failure& why, const any_request& request) {
    auto& details = why.details;
    details.operation = operation_name(request);
    details.table = tables_named(request, details.message);
    details.key = key_text(request);
    name_refused(details, request, why.reasons);
}

}  // namespace dynalease::detail
