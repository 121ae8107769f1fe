// The known mistakes of locks whose sessions have no rows: when a holder is taken for dead, and how it shows that it
// lives.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/primitive.hpp"
#include "simulation/framework/rewriting_database.hpp"
#include "simulation/item_lock/stand_ins.hpp"
#include "simulation/versioned/item_history.hpp"

#include "item_lock/protocol/plain_watch.hpp"

#include <string>
#include <string_view>

namespace dynalease::simulation::item_locks {

using namespace protocol;

holder_is mutated::plain_watch_judge(const plain_watch& self, const item_claimant& who, time_point now) {
    if (active("PLAIN_NEVER_OVER")) return holder_is::alive;
    if (active("PLAIN_HASTY")) now += plain_lease(who.session).value_or(std::chrono::milliseconds(0)) / 2;
    return real::plain_watch_judge(self, who, now);
}

namespace {

/// A renewal of that text, or null.
update_item_request* renewal(any_request& request, std::string_view text) {
    auto* update = std::get_if<update_item_request>(&request);
    const bool ours = update && versions::item_history::item_in(update->key) && update->update_expression == text;
    return ours ? update : nullptr;
}

void extend_in_place(any_request& request, purpose, const environment&) {
    if (auto* update = renewal(request, "SET #W = :next")) update->values.at(":next") = update->values.at(":k");
}
void succeed_in_place(any_request& request, purpose, const environment&) {
    auto* update = renewal(request, "ADD #R :next");
    if (update) update->values.at(":next") = string_set{*update->values.at(":me").get_if<std::string>()};
}
void succeed_unseen(any_request& request, purpose, const environment&) {
    auto* update = renewal(request, "ADD #R :next");
    if (!update) return;
    drop_clause(*update, "contains(#R, :me)");
    update->values.erase(":me");
    if (update->condition_expression.starts_with(" AND ")) update->condition_expression.erase(0, 5);
}

const contribution plain_mutants{{
    .name = "item_lock",
    .mutants =
        {
            {.name = "PLAIN_NEVER_OVER",
             .rule = "who stands still for a lease is over [8, plain]",
             .scenario = "plain-sessions"},
            {.name = "PLAIN_HASTY", .rule = "... for a whole lease [8, plain]", .scenario = "plain-sessions"},
            {.name = "PLAIN_SAME_STEP",
             .rule = "a writer's sign of life changes its text [8, plain]",
             .wrap = editing<extend_in_place>,
             .scenario = "plain-sessions"},
            {.name = "PLAIN_SAME_READER",
             .rule = "a reader's sign of life changes its text [8, plain]",
             .wrap = editing<succeed_in_place>,
             .scenario = "plain-readers"},
            {.name = "PLAIN_REVENANT",
             .rule = "a reader's new entry goes by the old one [8, plain]",
             .wrap = editing<succeed_unseen>,
             .scenario = "plain-readers"},
        },
}};

}  // namespace

}  // namespace dynalease::simulation::item_locks
