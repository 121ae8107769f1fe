// Sizes and sets that the service refuses.
// SPDX-License-Identifier: BSL-1.0
#include "database/protocol/storable.hpp"

#include <algorithm>

namespace dynalease::detail {

bool is_empty_set(const attribute_value& value) noexcept {
    const auto* strings = value.get_if<string_set>();
    const auto* numbers = value.get_if<number_set>();
    const auto* binaries = value.get_if<binary_set>();
    return (strings && strings->empty()) || (numbers && numbers->empty()) || (binaries && binaries->empty());
}

std::string empty_set_in(const attribute_value& value, const std::string& place) {
    return first_said(value, place, 0, [](const attribute_value& each, const std::string& where, int) {
        return is_empty_set(each) ? where : std::string();
    });
}

const std::string& largest_attribute(const item& whole) {
    return std::ranges::max_element(whole, {}, [](const auto& each) { return item_size(item{each}); })->first;
}

}  // namespace dynalease::detail
