// How large one value is to the service.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/attribute_value.hpp>

#include <cstddef>

#pragma GCC visibility push(default)  // dynalease::local or dynalease::testing uses it, too
namespace dynalease {

/// As `item_size` counts it, without a name.
std::size_t value_size(const attribute_value& value) noexcept;

}  // namespace dynalease
#pragma GCC visibility pop
