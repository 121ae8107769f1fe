// Names for writes to items.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/item/item_version.hpp>
#include <dynalease/runtime/environment.hpp>

#include <cstddef>
#include <cstdint>

namespace dynalease::detail {

inline item_stamp fresh_stamp(const environment& world) {
    const auto drawn = world.new_identity();
    item_stamp stamp{};
    for (std::size_t i = 0; i < stamp.size(); ++i) stamp[i] = static_cast<std::byte>(drawn[i / 8] >> (8 * (i % 8)));
    return stamp;
}

}  // namespace dynalease::detail
