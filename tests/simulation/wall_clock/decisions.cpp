// Functions in the place of the protocol's own (stand_ins.txt), for mutants of locks by the wall clock.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/mutant.hpp"
#include "simulation/framework/rewriting_database.hpp"
#include "simulation/wall_clock/stand_ins.hpp"

#include "item/protocol/item_attributes.hpp"
#include "wall_clock_lock/protocol/wall_clock.hpp"

#include <dynalease/dynamodb/expression.hpp>

#include <utility>

namespace dynalease::simulation::wall_clocks {

using namespace protocol;

namespace {

/// A request of this library that tests nothing but what is left of its condition.
update_item_request tested_by(const wall_clock_place& place, const update_expression& what,
                              const condition_expression& condition) {
    update_item_request request{.table_name = place.table, .key = place.key, .current_on_refusal = true};
    apply(request, what);
    apply(request, condition);
    request.returned = return_values::all_new;
    return request;
}

condition_expression is_there(const wall_clock_place& place) {
    return attribute_exists(place.key.begin()->first);
}

}  // namespace

// ---- times ---------------------------------------------------------------------------------------------------

wall_clock_times mutated::wall_clock_times_for(std::chrono::milliseconds timeout, std::chrono::milliseconds skew,
                                               std::uint32_t drift_ppm) {
    auto times = real::wall_clock_times_for(timeout, skew, drift_ppm);
    if (active("OVERDUE_BARE")) times.overdue = timeout;
    if (active("OVERDUE_ONE_SKEW")) times.overdue = timeout + skew;
    if (active("UNEXPIRED")) times.overdue = timeout / 2;
    if (active("BELIEF_BARE")) times.hold += 2 * skew;
    if (active("BELIEF_ONE_SKEW")) times.hold += skew;
    return times;
}

wall_clock_grant mutated::wall_clock_granted(const wall_clock_claim& claim, const wall_clock_times& times) {
    auto from = claim;
    if (active("FROM_ANSWER")) from.sent = notes_of_this_world().claim_answered;
    return real::wall_clock_granted(from, times);
}

// ---- claims --------------------------------------------------------------------------------------------------

update_item_request mutated::wall_clock_take(const wall_clock_place& place, wall_moment mine, wall_moment overdue) {
    const path at(place.attribute);
    const auto mine_alone = set(at, wall_text(mine));
    if (active("TAKE_ANY")) return tested_by(place, mine_alone, is_there(place));
    if (active("TAKE_MAKES")) {
        return tested_by(place, mine_alone, attribute_not_exists(at) || attr(at) < wall_text(overdue));
    }
    return real::wall_clock_take(place, mine, overdue);
}

std::optional<wall_clock_claim> mutated::wall_clock_claim_in(const wall_clock_state& sight,
                                                             const std::vector<wall_clock_claim>& unanswered) {
    if (active("LOST_IS_REFUSED")) return std::nullopt;
    if (active("LOST_IS_GRANTED") && !unanswered.empty()) return unanswered.back();
    return real::wall_clock_claim_in(sight, unanswered);
}

update_item_request mutated::wall_clock_take_back(const wall_clock_place& place,
                                                  const std::vector<wall_clock_claim>& unanswered) {
    const path at(place.attribute);
    if (active("NO_TAKE_BACK")) return tested_by(place, remove(at), attr(at) == "never");
    if (active("TAKE_BACK_LAST")) return real::wall_clock_take_back(place, {unanswered.back()});
    if (active("TAKE_BACK_ANY")) return tested_by(place, remove(at), is_there(place));
    return real::wall_clock_take_back(place, unanswered);
}

// ---- under the lock ------------------------------------------------------------------------------------------

wall_moment mutated::next_moment(wall_moment held) {
    return active("CHANGE_IN_PLACE") ? held : real::next_moment(held);
}

update_item_request mutated::wall_clock_change(const wall_clock_place& place, wall_moment held,
                                               const update_expression& what, const condition_expression& condition) {
    const path at(place.attribute);
    if (active("CHANGE_ANY")) {
        return tested_by(place, what + set(at, wall_text(real::next_moment(held))), is_there(place) && condition);
    }
    if (active("CHANGE_IN_PLACE")) {
        return tested_by(place, what + set(at, wall_text(held)), attr(at) == wall_text(held) && condition);
    }
    return real::wall_clock_change(place, held, what, condition);
}

update_item_request mutated::wall_clock_release(const wall_clock_place& place, wall_moment held) {
    const path at(place.attribute);
    if (active("RELEASE_ANY")) return tested_by(place, remove(at), is_there(place));
    if (active("RELEASE_KNOWN")) return tested_by(place, remove(at), attr(at) == wall_text(held));
    return real::wall_clock_release(place, held);
}

}  // namespace dynalease::simulation::wall_clocks
