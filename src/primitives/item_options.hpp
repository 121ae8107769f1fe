// The limits of an item lock's options, and the name by which a session knows an item.
#pragma once

#include "primitives/item_front.hpp"

#include <dynalease/item_lock.hpp>

#include <string>

namespace dynalease::detail {

/// @throws dynalease::error with `errc::invalid_name` or `errc::invalid_option`.
item_place checked_place(item_ref target, item_lock_options options);
/// "<table>/<values of the key>": for people.
std::string item_name(const item_ref& target);

}  // namespace dynalease::detail
