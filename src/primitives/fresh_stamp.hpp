// Names for writes to items.
#pragma once

#include <dynalease/item_version.hpp>
#include <dynalease/runtime/random.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace dynalease::detail {

inline item_stamp fresh_stamp(random& numbers) {
    const auto first = numbers.next();
    const std::array<std::uint64_t, 2> drawn{first, numbers.next()};
    item_stamp stamp{};
    for (std::size_t i = 0; i < stamp.size(); ++i) stamp[i] = static_cast<std::byte>(drawn[i / 8] >> (8 * (i % 8)));
    return stamp;
}

}  // namespace dynalease::detail
