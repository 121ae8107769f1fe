// Sizes and sets that the service refuses.
// SPDX-License-Identifier: BSL-1.0
#include "database/protocol/storable.hpp"

#include <algorithm>
#include <type_traits>
#include <variant>

namespace dynalease::detail {

std::string empty_set_in(const attribute_value& value, const std::string& place) {
    return std::visit(
        [&](const auto& held) -> std::string {
            using held_type = std::decay_t<decltype(held)>;
            if constexpr (std::is_same_v<held_type, attribute_list>) {
                for (std::size_t i = 0; i < held.size(); ++i) {
                    auto found = empty_set_in(held[i], place + "[" + std::to_string(i) + "]");
                    if (!found.empty()) return found;
                }
            } else if constexpr (std::is_same_v<held_type, attribute_map>) {
                for (const auto& [name, member] : held) {
                    auto found = empty_set_in(member, place + "." + name);
                    if (!found.empty()) return found;
                }
            } else if constexpr (std::is_same_v<held_type, string_set> || std::is_same_v<held_type, number_set> ||
                                 std::is_same_v<held_type, binary_set>) {
                if (held.empty()) return place;
            }
            return {};
        },
        value.get());
}

const std::string& largest_attribute(const item& whole) {
    return std::ranges::max_element(whole, {}, [](const auto& each) { return item_size(item{each}); })->first;
}

}  // namespace dynalease::detail
