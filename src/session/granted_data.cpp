// Data that the service would refuse.
// SPDX-License-Identifier: BSL-1.0
#include "session/granted_data.hpp"

#include "database/protocol/storable.hpp"

#include <cstddef>
#include <string>
#include <utility>

namespace dynalease::detail {

namespace {

/// The rest of the row is for what is the library's own.
constexpr std::size_t largest_data = 400'000;

failure refused(errc code, std::string message) {
    failure why(code);
    why.details.message = std::move(message);
    return why;
}

}  // namespace

std::optional<failure> fault_of_data(const item& data) {
    for (const auto& [name, value] : data) {
        const auto empty_set = empty_set_in(value, name);
        if (empty_set.empty()) continue;
        return refused(errc::bad_attribute,
                       "\"" + empty_set + "\" of the data is an empty set, which cannot be stored; leave it out");
    }
    const auto size = item_size(data);
    if (size <= largest_data) return std::nullopt;
    return refused(errc::item_too_large, "the data has " + std::to_string(size) + " bytes of at most 400,000; its \"" +
                                             largest_attribute(data) + "\" is the largest");
}

}  // namespace dynalease::detail
