// Reading ExclusiveStartKey, with the service's words for what is wrong with it.
// SPDX-License-Identifier: BSL-1.0
#include "local/codec/start_key.hpp"

#include <algorithm>
#include <array>

namespace dynalease::codec {

namespace {

/// Faults of numbers and of repeating members are told as everywhere.
bool is_told_plainly(std::string_view fault) {
    constexpr std::array<std::string_view, 5> parts{"contains duplicates", "number set", "numeric value",
                                                    "significant digits", "number with magnitude"};
    return std::ranges::any_of(parts, [&](auto part) { return fault.find(part) != std::string_view::npos; });
}

}  // namespace

void read_start_key(json_input body, item_key& key) {
    const auto* given = body.find("ExclusiveStartKey");
    if (!given) return;
    // The engine takes none for none asked; this one fits no table.
    if (given->ObjectEmpty()) key.emplace("", null{});
    try {
        if (!given->ObjectEmpty()) read(json_input{*given}, key);
    } catch (malformed& why) {
        if (why.code == errc::validation && !is_told_plainly(why.what)) {
            why.what = "The provided starting key is invalid: " + why.what;
        }
        throw;
    }
}

}  // namespace dynalease::codec
