// Known mistakes in giving up, giving back and guarding: what requests and answers lack, and each by its rule.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/lock/request_edits.hpp"

namespace dynalease::simulation::locks {

namespace {

namespace asio = boost::asio;

// ---- requests ----------------------------------------------------------------------------------------------

void hand_over_for_the_session(any_request& request, purpose meaning, const environment&) {
    if (meaning == purpose::hand_over) drop_clause(update_of(request), " AND #attempt = :a AND #floor < :t");
}

void hand_over_without_floor(any_request& request, purpose meaning, const environment&) {
    if (meaning == purpose::hand_over) drop_clause(update_of(request), " AND #floor < :t");
}

void release_for_the_session(any_request& request, purpose meaning, const environment&) {
    if (meaning != purpose::release) return;
    const bool two = update_of(request).values.contains(":b");
    drop_clause(update_of(request), two ? " AND #attempt IN (:a, :b)" : " AND #attempt = :a");
}

void release_the_first_only(any_request& request, purpose meaning, const environment&) {
    if (meaning == purpose::release && update_of(request).values.contains(":b"))
        replace_clause(update_of(request), "#attempt IN (:a, :b)", "#attempt = :a");
}

void lock_row_expires_at_once(any_request& request, purpose meaning, const environment& world) {
    if (meaning != purpose::release && meaning != purpose::void_free) return;
    update_of(request).values.at(":expiry") = expiry_in(world, std::chrono::seconds(0));
}

void void_lowers_the_floor(any_request& request, purpose meaning, const environment&) {
    if (meaning == purpose::void_free || meaning == purpose::void_held) drop_clause(update_of(request), above_floor);
}

constexpr std::string_view by_this_grant = "#holder = :s AND #attempt = :a";

template <class Change>
void change_fence(any_request& request, purpose meaning, Change change) {
    if (meaning != purpose::fenced_write) return;
    for (auto& action : std::get<transact_write_items_request>(request).actions) {
        auto* check = std::get_if<condition_check>(&action);
        if (!check || !check->names.contains("#holder")) continue;
        if (check->condition_expression != by_this_grant) stale("a fence", check->condition_expression);
        change(*check);
    }
}
void guard_for_the_session(any_request& request, purpose meaning, const environment&) {
    change_fence(request, meaning, [](condition_check& check) {
        check.condition_expression = "#holder = :s";
        check.names.erase("#attempt");
        check.values.erase(":a");
    });
}

void guard_nothing(any_request& request, purpose meaning, const environment&) {
    change_fence(request, meaning, [](condition_check& check) {
        check.condition_expression = "attribute_exists(#holder) OR attribute_not_exists(#holder)";
        check.names.erase("#attempt");
        check.values.clear();
    });
}

// ---- answers -----------------------------------------------------------------------------------------------

/// A released lock's row is deleted, floor and all.
struct release_deletes final : rewriting_database {
    using rewriting_database::rewriting_database;
    boost::asio::awaitable<result<any_response>> perform(any_request request, call_options options) override;
};

asio::awaitable<result<any_response>> release_deletes::perform(any_request request, call_options options) {
    if (purpose_of(request) != purpose::release) {
        auto answer = co_await network()->perform(std::move(request), options);
        co_return answer;
    }
    auto update = std::get<update_item_request>(std::move(request));
    auto answer = co_await delete_instead(network(), std::move(update), options);
    co_return answer;
}

/// Hand-overs never show that others wait.
struct line_not_seen final : rewriting_database {
    using rewriting_database::rewriting_database;
    void change_answer(result<any_response>& answer, const any_request& sent, purpose meaning) override;
};

void line_not_seen::change_answer(result<any_response>& answer, const any_request&, purpose meaning) {
    if (meaning == purpose::hand_over && answer) std::get<update_item_response>(*answer).attributes.erase("line");
}

// ---- all of them -------------------------------------------------------------------------------------------

const contribution leaving_mutants{{
    .name = "lock",
    .mutants =
        {
            {.name = "NO_VOID",
             .rule = "a given-up claim with an unanswered copy is closed by a write [lock 4]",
             .scenario = "late-take-under-a-holder"},
            {.name = "AMBIGUOUS_DROPPED", .rule = "what had no answer is resolved, not forgotten [mode 1]"},
            {.name = "NO_AUDIT",
             .rule = "copies of refused claims are looked after [lock 4]",
             .scenario = "copy-after-a-try"},
            {.name = "VOID_FREE_ONLY",
             .rule = "'held by another' closes no claim [lock 4]",
             .scenario = "late-take-under-a-holder"},
            {.name = "VOID_LOWERS",
             .rule = "a void only ever raises the floor [lock 3]",
             .wrap = editing<void_lowers_the_floor>},
            {.name = "HAND_SESSION",
             .rule = "a hand-over tests the attempt and the floor [lock 3]",
             .wrap = editing<hand_over_for_the_session>},
            {.name = "HAND_NO_FLOOR",
             .rule = "a hand-over tests the floor [lock 9]",
             .wrap = editing<hand_over_without_floor>},
            {.name = "TWO_HANDS",
             .rule = "never a second hand-over beside an open one [lock 4]",
             .wrap = wrap<rewriting_database>,
             .scenario = "hand-over-after-hand-over"},
            {.name = "HANDS_ON_FOR_EVER",
             .rule = "others in line end the hand-overs inside a process [lock 4]",
             .wrap = wrap<line_not_seen>},
            {.name = "REL_SESSION",
             .rule = "a release tests the attempt [lock 3, mode 31]",
             .wrap = editing<release_for_the_session>},
            {.name = "REL_FIRST_ONLY",
             .rule = "a release after an open hand-over names both claims [lock 4]",
             .wrap = editing<release_the_first_only>,
             .scenario = "abandoned-hand-over"},
            {.name = "REL_DELETES",
             .rule = "a released row stays, and with it the floor [mode 9]",
             .wrap = wrap<release_deletes>},
            {.name = "TTL_SHORT",
             .rule = "a free row outlives all late copies [lock 3]",
             .wrap = editing<lock_row_expires_at_once>},
            // ---- guarding ----
            {.name = "GUARD_SESSION",
             .rule = "the fence names the attempt [lock 4]",
             .wrap = editing<guard_for_the_session>},
            {.name = "NO_FENCE",
             .rule = "a write of a holder that was paused is refused [mode 7]",
             .wrap = editing<guard_nothing>},
        },
}};

}  // namespace

}  // namespace dynalease::simulation::locks
