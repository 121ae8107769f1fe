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
/// Of a transaction's 4 MB.
constexpr std::size_t largest_data_together = 4'000'000;
/// Lists and maps in one another, with the data itself, which is a map.
constexpr int deepest_data = 31;

failure refused(errc code, std::string message) {
    failure why(code);
    why.details.message = std::move(message);
    return why;
}

/// What is wrong with a value, in words. @param place of it @param depth of lists and maps around it
std::string flaw_of(const attribute_value& value, const std::string& place, int depth) {
    const auto* text = value.get_if<std::string>();
    if (text && !is_utf8(*text)) return "\"" + place + "\" of the data is no UTF-8";
    const auto* list = value.get_if<attribute_list>();
    const auto* map = value.get_if<attribute_map>();
    if ((list || map) && depth >= deepest_data) return "the data has more than 31 lists and maps in one another";
    for (std::size_t i = 0; list && i < list->size(); ++i) {
        auto found = flaw_of((*list)[i], place + "[" + std::to_string(i) + "]", depth + 1);
        if (!found.empty()) return found;
    }
    if (!map) return {};
    for (const auto& [name, member] : *map) {
        if (name.empty()) return "a name in the data is empty";
        if (!is_utf8(name)) return "a name in the data is no UTF-8";
        auto found = flaw_of(member, place.empty() ? name : place + "." + name, depth + 1);
        if (!found.empty()) return found;
    }
    return {};
}

}  // namespace

std::optional<failure> fault_of_data(const item& data, std::size_t copies) {
    if (data.empty()) return std::nullopt;
    const attribute_value whole(data);
    auto flaw = flaw_of(whole, {}, 0);
    if (!flaw.empty()) return refused(errc::bad_attribute, std::move(flaw));
    for (const auto& [name, value] : data) {
        const auto empty_set = empty_set_in(value, name);
        if (empty_set.empty()) continue;
        return refused(errc::bad_attribute,
                       "\"" + empty_set + "\" of the data is an empty set, which cannot be stored; leave it out");
    }
    const auto size = item_size({{"data", whole}});
    const auto most = std::min(largest_data, largest_data_together / copies);
    if (size <= most) return std::nullopt;
    return refused(errc::item_too_large, "the data has " + std::to_string(size) + " bytes of at most " +
                                             std::to_string(most) + "; its \"" + largest_attribute(data) +
                                             "\" is the largest");
}

}  // namespace dynalease::detail
