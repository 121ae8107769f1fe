// Where each operation keeps its key.
// SPDX-License-Identifier: BSL-1.0
#include "testing/request_key.hpp"

#include <string_view>
#include <type_traits>
#include <variant>

namespace dynalease::testing {

namespace {

std::string text_of(const attribute_value& value) {
    if (const auto* text = value.get_if<std::string>()) return *text;
    if (const auto* digits = value.get_if<number>()) return digits->text();
    return "?";
}

std::string joined(const item_key& key) {
    std::string text;
    for (const auto& [name, value] : key) text += (text.empty() ? "" : "/") + text_of(value);
    return text;
}

std::string key_of_item(const item& whole) {
    item_key key;
    for (const std::string_view name : {"pk", "sk"}) {
        if (const auto found = whole.find(name); found != whole.end()) key.insert(*found);
    }
    return joined(key);
}

template <class Request>
std::string key_of(const Request& request) {
    if constexpr (requires { request.new_item; }) {
        return key_of_item(request.new_item);
    } else if constexpr (requires { request.key.begin()->second; }) {
        return joined(request.key);
    } else if constexpr (std::is_same_v<Request, transact_write_items_request>) {
        if (request.actions.empty()) return {};
        return std::visit([](const auto& action) { return key_of(action); }, request.actions.front());
    } else if constexpr (std::is_same_v<Request, transact_get_items_request>) {
        return request.gets.empty() ? std::string() : joined(request.gets.front().key);
    } else {
        return {};
    }
}

}  // namespace

std::string request_key(const any_request& request) {
    return std::visit([](const auto& any) { return key_of(any); }, request);
}

}  // namespace dynalease::testing
