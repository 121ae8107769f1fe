// The known mistakes of locks by the wall clock, each by its rule; what is wrong is in decisions.cpp.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/primitive.hpp"
#include "simulation/framework/rewriting_database.hpp"

namespace dynalease::simulation::wall_clocks {

namespace {

/// Notes when the answer came that the library goes by next.
class answers_noted final : public rewriting_database {
    using rewriting_database::rewriting_database;
    void change_answer(result<any_response>&, const any_request&, purpose) override {
        notes_of_this_world().claim_answered = environment().clock->now();
    }
};

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
