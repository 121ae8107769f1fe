// Data that the service would refuse.
// SPDX-License-Identifier: BSL-1.0
#include "session/granted_data.hpp"

#include "database/argument_check.hpp"
#include "database/protocol/storable.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

namespace dynalease::detail {

namespace {

/// The rest of the row is for what is the library's own.
constexpr std::size_t largest_data = 400'000;
/// Of a transaction's 4 MB: the rest is for two rows of each of 48 queues, with names of up to 2,048 bytes.
constexpr std::size_t largest_data_together = 3'800'000;
/// Of an attribute; as DynamoDB's limits say.
constexpr std::size_t longest_name = 65'535;
/// Lists and maps in one another, with the data itself, which is a map.
constexpr int deepest_data = 31;

failure refused(errc code, std::string message) {
    failure why(code);
    why.details.message = std::move(message);
    return why;
}

bool is_bad_name(const std::string& name) {
    return name.empty() || name.size() > longest_name || !is_utf8(name);
}

/// What is wrong with a value, but for what is inside of it.
std::string flaw_of(const attribute_value& value, const std::string& place, int depth) {
    const auto* map = value.get_if<attribute_map>();
    if ((map || value.is<attribute_list>()) && depth >= deepest_data) {
        return "the data has more than 31 lists and maps in one another";
    }
    const auto is_bad = [](const auto& member) { return is_bad_name(member.first); };
    if (map && std::ranges::any_of(*map, is_bad)) {
        return "a name in \"" + place + "\" is empty, has more than 65,535 bytes, or is no UTF-8";
    }
    const auto* text = value.get_if<std::string>();
    const auto* texts = value.get_if<string_set>();
    const bool is_text = (!text || is_utf8(*text)) && (!texts || std::ranges::all_of(*texts, is_utf8));
    if (!is_text) return "\"" + place + "\" is no UTF-8";
    if (is_empty_set(value)) return "\"" + place + "\" is an empty set, which cannot be stored; leave it out";
    return {};
}

}  // namespace

std::optional<failure> fault_of_data(const item& data, std::size_t copies) {
    if (data.empty()) return std::nullopt;
    item row;  // as much of it as is the caller's
    const auto& whole = row.emplace("data", data).first->second;
    auto flaw = first_said(whole, "data", 0, flaw_of);
    if (!flaw.empty()) return refused(errc::bad_attribute, std::move(flaw));
    const auto size = item_size(row);
    const auto most = std::min(largest_data, largest_data_together / copies);
    if (size <= most) return std::nullopt;
    return refused(errc::item_too_large, "the data has " + std::to_string(size) + " bytes of at most " +
                                             std::to_string(most) + "; its \"" + largest_attribute(data) +
                                             "\" is the largest");
}

}  // namespace dynalease::detail
