// Which request of the protocol a request is, by its text; and changes of that text.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/operations.hpp>

#include <string_view>

namespace dynalease::simulation {

enum class purpose {
    none,  ///< not one of ours: a user's own, or of a table
    create_session,
    beat,
    close_session,
    mark_dead,
    look_at_session,
    look_at_lock,
    take,       ///< a free lock
    take_over,  ///< from a holder that is over
    join,
    hand_over,
    release,
    void_free,
    void_held,
    leave,
    leave_closed,
    fenced_write,  ///< a user's transaction that holds the fence of a lock
};

/// Ends the program at a request about a session or a lock whose text is none of the known: a mutant that no longer
/// finds what it breaks must not pass for one that is noticed.
purpose purpose_of(const any_request& request);

/// Names the request that the mutant on hand was to find and did not, and ends the program.
[[noreturn]] void stale(std::string_view request, std::string_view text);

/// In the condition or the update; ends the program if `from` is in neither.
void replace_clause(update_item_request& request, std::string_view from, std::string_view to);
void drop_clause(update_item_request& request, std::string_view clause);

}  // namespace dynalease::simulation
