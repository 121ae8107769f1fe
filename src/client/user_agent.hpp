// How requests say who sends them, for the logs of AWS.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/version.hpp>

#include <algorithm>
#include <string>
#include <string_view>

namespace dynalease::detail {

/// "dynalease/0.1.0 app/billing". What is no character of a token there becomes "-"; AWS asks for 50 at most.
inline std::string user_agent(std::string_view application) {
    std::string text = "dynalease/" + std::string(version);
    if (application.empty()) return text;
    constexpr std::size_t longest = 50;
    std::string name(application.substr(0, longest));
    const auto is_strange = [](char c) {
        const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        return !word && std::string_view("!#$%&'*+-.^_`|~").find(c) == std::string_view::npos;
    };
    std::ranges::replace_if(name, is_strange, '-');
    return text + " app/" + name;
}

}  // namespace dynalease::detail
