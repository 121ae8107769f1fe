// How an application's item is named, and what makes a whole key.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/item/item_ref.hpp>

#include <string>

namespace dynalease::detail {

/// "<table>/<values of the key>", different for different items: for people, too.
std::string item_name(const item_ref& target);

/// @throws dynalease::error of that operation, with `errc::invalid_name` or `errc::bad_attribute`.
void check_item(const item_ref& target, const char* operation);

}  // namespace dynalease::detail
