// What requests say, read from their own texts.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/item.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dynalease::simulation {

/// Where sessions, locks and queues have their rows.
inline constexpr const char* coordination = "coordination";
inline constexpr std::string_view session_prefix = "session#";

/// The id in "session#<id>/-"; empty for other rows.
inline std::string session_in(const std::string& key) {
    if (!key.starts_with(session_prefix)) return {};
    return key.substr(session_prefix.size(), key.size() - session_prefix.size() - 2);
}

template <class Values>
std::string text_value(const Values& values, const char* name) {
    const auto found = values.find(name);
    if (found == values.end()) return {};
    const auto* text = found->second.template get_if<std::string>();
    return text ? *text : std::string();
}

template <class Values>
std::optional<std::int64_t> integer_value(const Values& values, const char* name) {
    const auto found = values.find(name);
    if (found == values.end()) return {};
    const auto* digits = found->second.template get_if<number>();
    if (digits == nullptr) return {};
    return std::stoll(digits->text());
}

}  // namespace dynalease::simulation
