// The one search in the texts of requests: for the placeholders that they use.
// SPDX-License-Identifier: BSL-1.0
#include "session/protocol/placeholders.hpp"

#include <algorithm>

namespace dynalease::protocol {

namespace {

void name_those_in(std::string_view text, std::span<const placeholder> known, attribute_names& names) {
    const auto goes_on = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
    for (auto at = text.find('#'); at != text.npos; at = text.find('#', at + 1)) {
        const auto rest = text.substr(at + 1);
        const auto end = std::ranges::find_if_not(rest, goes_on);
        const auto found = text.substr(at, 1 + static_cast<std::size_t>(end - rest.begin()));
        const auto place = std::ranges::find(known, found, &placeholder::text);
        if (place != known.end() && !names.contains(found)) names.emplace(found, place->attribute);
    }
}

}  // namespace

void name_attributes(update_item_request& request, std::span<const placeholder> known) {
    name_those_in(request.update_expression, known, request.names);
    name_those_in(request.condition_expression, known, request.names);
}

}  // namespace dynalease::protocol
