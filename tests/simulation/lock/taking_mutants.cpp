// Known mistakes in taking a lock and in the line before it: what requests and answers lack, and each by its rule.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/lock/request_edits.hpp"

#include <map>

namespace dynalease::simulation::locks {

namespace {

constexpr std::string_view above_known_floor = " AND #floor >= :seen AND #floor < :t";
constexpr std::string_view our_schema = "(attribute_not_exists(#pk) OR #v = :v) AND ";

bool takes(purpose meaning) {
    return meaning == purpose::take || meaning == purpose::take_over;
}
/// The forms that drop an absent head name the floor they saw instead.
void drop_floor_of_take(update_item_request& request) {
    if (request.values.contains(":head")) return;
    drop_clause(request, request.values.contains(":seen") ? above_known_floor : above_floor);
}

// ---- requests ----------------------------------------------------------------------------------------------

void take_without_floor(any_request& request, purpose meaning, const environment&) {
    if (meaning == purpose::take) drop_floor_of_take(update_of(request));
}

void take_over_without_floor(any_request& request, purpose meaning, const environment&) {
    if (meaning == purpose::take_over) drop_floor_of_take(update_of(request));
}

void take_behind_the_known_floor(any_request& request, purpose meaning, const environment&) {
    if (takes(meaning) && update_of(request).values.contains(":seen"))
        replace_clause(update_of(request), above_known_floor, above_floor);
}

void take_over_from_anybody(any_request& request, purpose meaning, const environment&) {
    if (meaning == purpose::take_over) drop_clause(update_of(request), " AND #holder = :h AND #attempt = :ha");
}

void take_without_condition(any_request& request, purpose meaning, const environment&) {
    if (!takes(meaning)) return;
    update_of(request).condition_expression.clear();
    tests::prune(update_of(request));
}

void take_beside_expiry(any_request& request, purpose meaning, const environment&) {
    if (takes(meaning)) replace_clause(update_of(request), " REMOVE #ttl, ", " REMOVE ");
}

void take_expires(any_request& request, purpose meaning, const environment& world) {
    if (!takes(meaning)) return;
    auto& update = update_of(request);
    replace_clause(update, " REMOVE #ttl, ", " REMOVE ");
    replace_clause(update, "SET #v = :v, ", "SET #v = :v, #ttl = :soon, ");
    update.names.emplace("#ttl", "ttl");
    update.values.emplace(":soon", expiry_in(world, std::chrono::seconds(2)));
}

void take_without_schema(any_request& request, purpose meaning, const environment&) {
    if (takes(meaning) || meaning == purpose::join) drop_clause(update_of(request), our_schema);
    if (meaning == purpose::release || meaning == purpose::hand_over) drop_clause(update_of(request), "#v = :v AND ");
}

void take_before_the_line(any_request& request, purpose meaning, const environment&) {
    if (!takes(meaning)) return;
    auto& update = update_of(request);
    constexpr std::string_view nobody_waits = " AND attribute_not_exists(#line[0])";
    if (update.condition_expression.find(nobody_waits) == std::string::npos) return;  // it stands in line
    drop_clause(update, nobody_waits);
    replace_clause(update, ", #passed, #line", "");
}

void take_past_the_bound(any_request& request, purpose meaning, const environment&) {
    if (takes(meaning) && update_of(request).values.contains(":kp"))
        drop_clause(update_of(request), " AND (attribute_not_exists(#passed) OR #passed < :kp)");
}

void join_without_floor(any_request& request, purpose meaning, const environment&) {
    if (meaning == purpose::join) drop_clause(update_of(request), above_floor);
}

// ---- answers -----------------------------------------------------------------------------------------------

bool unknown(const result<any_response>& answer) {
    return !answer && answer.error().outcome == outcome::unknown;
}
bool about_a_lock(purpose meaning) {
    return meaning >= purpose::take && meaning <= purpose::leave_closed;
}

/// A refusal is taken for the answer of the next request about the same lock.
struct answer_of_an_older_request final : rewriting_database {
    using rewriting_database::rewriting_database;
    void change_answer(result<any_response>& answer, const any_request& sent, purpose meaning) override;

private:
    std::map<std::string, failure> refusals_;  ///< by lock
};

void answer_of_an_older_request::change_answer(result<any_response>& answer, const any_request& sent, purpose meaning) {
    if (!about_a_lock(meaning)) return;
    const auto lock = partition_of(sent);
    const auto older = refusals_.find(lock);
    if (older != refusals_.end()) {
        answer = older->second;
        refusals_.erase(older);
    } else if (!answer && answer.error().code == errc::condition_failed) {
        refusals_.emplace(lock, answer.error());
    }
}

/// A write without an answer counts as done.
struct doubt_is_success final : rewriting_database {
    using rewriting_database::rewriting_database;
    void change_answer(result<any_response>& answer, const any_request& sent, purpose meaning) override;
};

void doubt_is_success::change_answer(result<any_response>& answer, const any_request&, purpose meaning) {
    if (about_a_lock(meaning) && unknown(answer)) answer = any_response(update_item_response{});
}

/// A write without an answer counts as never done.
struct doubt_is_failure final : rewriting_database {
    using rewriting_database::rewriting_database;
    void change_answer(result<any_response>& answer, const any_request& sent, purpose meaning) override;
};

void doubt_is_failure::change_answer(result<any_response>& answer, const any_request&, purpose meaning) {
    if (about_a_lock(meaning) && unknown(answer)) answer = failure(errc::throttled, outcome::not_applied);
}

// ---- all of them -------------------------------------------------------------------------------------------

const contribution taking_mutants{{
    .name = "lock",
    .mutants =
        {
            {.name = "ACQ_NO_FLOOR",
             .rule = "a grant tests the floor: late copies are refused [lock 3]",
             .wrap = editing<take_without_floor>},
            {.name = "TAKE_NO_FLOOR",
             .rule = "a take-over tests the floor, too [lock 3]",
             .wrap = editing<take_over_without_floor>,
             .scenario = "late-take-over"},
            {.name = "ROW_GOES_BACK",
             .rule = "a row that went back behind the floor it had gets no token chosen before [lock 3]",
             .wrap = editing<take_behind_the_known_floor>,
             .scenario = "row-goes-back"},
            {.name = "TAKE_UNCOND",
             .rule = "a take-over names the grant it takes from [lock 3]",
             .wrap = editing<take_over_from_anybody>},
            {.name = "NO_CONDITION",
             .rule = "no write goes without its condition [mode 36]",
             .wrap = editing<take_without_condition>},
            {.name = "NO_SCHEMA",
             .rule = "a row of another schema is never written [lock 1, mode 39]",
             .wrap = editing<take_without_schema>,
             .scenario = "newer-schema"},
            {.name = "TTL_STAYS", .rule = "a grant removes the ttl [lock 3]", .wrap = editing<take_beside_expiry>},
            {.name = "LOCK_TTL",
             .rule = "a held lock's row carries no ttl [lock 1, mode 8]",
             .wrap = editing<take_expires>},
            {.name = "TOKEN_NO_WALL",
             .rule = "tokens rise across the loss of a row, by the wall clock [lock 3, mode 9]"},
            {.name = "TOKEN_OF_THE_PROCESS",
             .rule = "a floor of the future spoils one lock only [lock 3]",
             .scenario = "floor-of-the-future"},
            {.name = "NO_OWN_COPY", .rule = "an own copy that landed is success, not another holder [lock 4, mode 2]"},
            {.name = "OWN_GHOST_WAITED_FOR",
             .rule = "a forgotten hold of the own session is taken over [lock 4]",
             .scenario = "own-ghost"},
            {.name = "OLDER_ANSWER",
             .rule = "a refusal answers its own request, not the next one [lock 9]",
             .wrap = wrap<answer_of_an_older_request>},
            {.name = "DOUBT_IS_SUCCESS", .rule = "no answer is not a grant [mode 35]", .wrap = wrap<doubt_is_success>},
            {.name = "DOUBT_IS_FAILURE",
             .rule = "no answer is not a refusal [mode 1]",
             .wrap = wrap<doubt_is_failure>,
             .scenario = "unanswered-try"},
            // ---- the line ----
            {.name = "JOIN_NO_FLOOR", .rule = "a late join is refused [lock 3]", .wrap = editing<join_without_floor>},
            {.name = "LINE_KEPT", .rule = "who gives up leaves the line [lock 9]"},
            {.name = "NO_PASSED",
             .rule = "the head of the line is overtaken a bounded number of times [lock 6]",
             .wrap = editing<take_past_the_bound>,
             .scenario = "overtaking"},
            {.name = "NO_SHOW_OFF", .rule = "a head that never comes is dropped [lock 6]", .scenario = "absent-head"},
            {.name = "NEWCOMER_BARGES",
             .rule = "newcomers do not take what others wait for [lock 6]",
             .wrap = editing<take_before_the_line>,
             .scenario = "newcomer"},
        },
}};

}  // namespace

}  // namespace dynalease::simulation::locks
