// Mutants that only change the text of a request: each leaves out, or spoils, one part of it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/rewriting_database.hpp"

namespace dynalease::simulation::locks {

// ---- sessions ----------------------------------------------------------------------------------------------
void beat_revives(any_request& request, purpose meaning, const environment& world);
void beat_recreates(any_request& request, purpose meaning, const environment& world);
void beat_without_number(any_request& request, purpose meaning, const environment& world);
void mark_without_beat(any_request& request, purpose meaning, const environment& world);
void create_over_anything(any_request& request, purpose meaning, const environment& world);
void session_row_expires_alive(any_request& request, purpose meaning, const environment& world);
void session_row_expires_at_its_end(any_request& request, purpose meaning, const environment& world);

// ---- taking ------------------------------------------------------------------------------------------------
void take_without_floor(any_request& request, purpose meaning, const environment& world);
void take_over_without_floor(any_request& request, purpose meaning, const environment& world);
void take_behind_the_known_floor(any_request& request, purpose meaning, const environment& world);
void take_over_from_anybody(any_request& request, purpose meaning, const environment& world);
void take_without_condition(any_request& request, purpose meaning, const environment& world);
void take_beside_expiry(any_request& request, purpose meaning, const environment& world);
void take_expires(any_request& request, purpose meaning, const environment& world);
void take_without_schema(any_request& request, purpose meaning, const environment& world);
void take_before_the_line(any_request& request, purpose meaning, const environment& world);
void take_past_the_bound(any_request& request, purpose meaning, const environment& world);
void join_without_floor(any_request& request, purpose meaning, const environment& world);

// ---- giving back -------------------------------------------------------------------------------------------
void hand_over_for_the_session(any_request& request, purpose meaning, const environment& world);
void hand_over_without_floor(any_request& request, purpose meaning, const environment& world);
void release_for_the_session(any_request& request, purpose meaning, const environment& world);
void release_the_first_only(any_request& request, purpose meaning, const environment& world);
void lock_row_expires_at_once(any_request& request, purpose meaning, const environment& world);
void void_lowers_the_floor(any_request& request, purpose meaning, const environment& world);

// ---- guarding ----------------------------------------------------------------------------------
void guard_for_the_session(any_request& request, purpose meaning, const environment& world);
void guard_nothing(any_request& request, purpose meaning, const environment& world);

}  // namespace dynalease::simulation::locks
