// The known mistakes of locks by the wall clock: functions in the place of the protocol's (stand_ins.txt).
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/primitive.hpp"
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

/// Notes when the answer came that the library goes by next.
class answers_noted final : public rewriting_database {
    using rewriting_database::rewriting_database;
    void change_answer(result<any_response>&, const any_request&, purpose) override {
        notes_of_this_world().claim_answered = environment().clock->now();
    }
};

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

namespace {

const contribution wall_clock_mutants{{
    .name = "wall_clock",
    .mutants =
        {
            {.name = "OVERDUE_BARE",
             .rule = "another's lock is over when it is so by every clock",
             .scenario = "beside-strangers"},
            {.name = "OVERDUE_ONE_SKEW",
             .rule = "... of which one is slow and the other fast",
             .scenario = "beside-strangers"},
            {.name = "UNEXPIRED", .rule = "a lock that is not over is left alone", .scenario = "crowd"},
            {.name = "BELIEF_BARE", .rule = "ours ends when it is over by any clock", .scenario = "beside-strangers"},
            {.name = "BELIEF_ONE_SKEW",
             .rule = "... of which one is slow and the other fast",
             .scenario = "beside-strangers"},
            {.name = "FROM_ANSWER",
             .rule = "it is counted from before the claim was sent",
             .wrap = wrap<answers_noted>,
             .scenario = "beside-strangers"},
            {.name = "TAKE_ANY", .rule = "a claim tests that the item is free or its lock over"},
            {.name = "TAKE_MAKES", .rule = "no claim makes an item"},
            {.name = "LOST_IS_REFUSED", .rule = "one's own moment in a refusal is a grant", .scenario = "long-locks"},
            {.name = "LOST_IS_GRANTED", .rule = "... and another's is none"},
            {.name = "NO_TAKE_BACK",
             .rule = "a claim that is given up without an answer is taken back",
             .scenario = "long-locks"},
            {.name = "TAKE_BACK_LAST", .rule = "... whichever copy of it landed", .scenario = "long-locks"},
            {.name = "TAKE_BACK_ANY", .rule = "... and nobody else's lock"},
            {.name = "CHANGE_ANY", .rule = "a guarded write tests its own moment"},
            {.name = "CHANGE_IN_PLACE", .rule = "... and moves it on"},
            {.name = "RELEASE_ANY", .rule = "a release tests its own moment"},
            {.name = "RELEASE_KNOWN",
             .rule = "... or the one after a write without an answer",
             .scenario = "long-locks"},
        },
}};

}  // namespace

}  // namespace dynalease::simulation::wall_clocks
