// From whom an item is taken over: for the log.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "item_lock/protocol/item_lock_decisions.hpp"
#include "session/protocol/session_view.hpp"

#include <string>
#include <vector>

namespace dynalease::protocol {

/// The sessions of others from which a request of that form takes the item. @param seen by which that was decided
std::vector<std::string> taken_from(const session_view& session, const item_lock_state& seen,
                                    const item_take_form& form);
/// @param from if there are any
void tell_take_over(session_view& session, const std::string& item, const std::vector<std::string>& from);

}  // namespace dynalease::protocol
