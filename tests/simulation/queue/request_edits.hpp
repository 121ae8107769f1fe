// Requests of queues that are spoilt on their way, and answers that are misread.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/rewriting_database.hpp"

#include <string>

namespace dynalease::simulation::queues {

/// For notes about the turns of a queue.
std::string text_of_head(const item_key& key);

// ---- requests ------------------------------------------------------------------------------------------------
void end_without_condition(any_request& request, purpose meaning, const environment& world);
void idle_leave_without_tail(any_request& request, purpose meaning, const environment& world);
void draw_leaves_ttl(any_request& request, purpose meaning, const environment& world);
void draw_forgets_its_copy(any_request& request, purpose meaning, const environment& world);
void draw_without_floor(any_request& request, purpose meaning, const environment& world);
void draw_without_schema(any_request& request, purpose meaning, const environment& world);
void end_ignores_from(any_request& request, purpose meaning, const environment& world);
void bury_over_anything(any_request& request, purpose meaning, const environment& world);
void enter_over_anything(any_request& request, purpose meaning, const environment& world);
void waiting_row_expires(any_request& request, purpose meaning, const environment& world);
void forget_one_too_many(any_request& request, purpose meaning, const environment& world);
void several_without_tail(any_request& request, purpose meaning, const environment& world);
void several_cover_nothing(any_request& request, purpose meaning, const environment& world);
void fence_without_end(any_request& request, purpose meaning, const environment& world);

// ---- answers -------------------------------------------------------------------------------------------------
using backend = std::shared_ptr<database_backend>;
/// Takes the unanswered end of a turn for done.
backend leaves_once(backend network);
/// Leaves a turn whose guard was dropped once, whatever becomes of that.
backend owes_nothing_when_dropped(backend network);
/// Takes an unanswered giving up for done.
backend voids_once(backend network);
/// Takes its row for written before it is known.
backend believes_in_its_row(backend network);
/// Gives up a ticket by deleting its row.
backend deletes_instead_of_voiding(backend network);
/// Keeps in mind when a ticket was last asked for.
backend notes_draws(backend network);

}  // namespace dynalease::simulation::queues
