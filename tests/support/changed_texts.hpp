// Requests whose texts a test changes, as if a rule of the protocol were left out.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cctype>
#include <map>
#include <string>
#include <string_view>

namespace dynalease::tests {

/// The first `what` in it. @returns whether there was one.
inline bool replace(std::string& in, std::string_view what, std::string_view with) {
    const auto at = in.find(what);
    if (at == in.npos) return false;
    in.replace(at, what.size(), with);
    return true;
}

/// Whether a text of expressions has this placeholder, and not only a longer one that begins alike.
inline bool uses(std::string_view text, std::string_view placeholder) {
    for (auto at = text.find(placeholder); at != text.npos; at = text.find(placeholder, at + 1)) {
        const auto end = at + placeholder.size();
        const auto next = end < text.size() ? static_cast<unsigned char>(text[end]) : 0U;
        if (std::isalnum(static_cast<int>(next)) == 0 && next != '_') return true;
    }
    return false;
}

/// The service refuses names and values that no text uses: drops those.
template <class Request>
void prune(Request& request) {
    auto text = request.condition_expression;
    if constexpr (requires { request.update_expression; }) text += " " + request.update_expression;
    const auto unused = [&](const auto& entry) { return !uses(text, entry.first); };
    std::erase_if(request.names, unused);
    std::erase_if(request.values, unused);
}

}  // namespace dynalease::tests
