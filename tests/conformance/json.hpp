// A JSON document as a tree that can be changed, compared and printed.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynalease::conformance {

struct json {
    enum class kind { null, flag, number, text, array, object };

    kind type = kind::null;
    bool flag = false;
    std::string text{};  ///< numbers too, as they are written
    std::vector<json> items{};
    std::map<std::string, json, std::less<>> members{};

    static json of(std::string_view text) { return {kind::text, false, std::string(text), {}, {}}; }

    const json* find(std::string_view name) const {
        const auto found = members.find(name);
        return found == members.end() ? nullptr : &found->second;
    }

    friend bool operator==(const json&, const json&) = default;
};

/// Empty: the text is no JSON.
std::optional<json> parse_json(const std::string& text);
std::string to_text(const json& value);

}  // namespace dynalease::conformance
