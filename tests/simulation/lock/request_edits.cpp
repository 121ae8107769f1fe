// What each of them leaves out.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/lock/request_edits.hpp"

#include "support/changed_texts.hpp"

#include <chrono>
#include <variant>

namespace dynalease::simulation::locks {

namespace {

constexpr std::string_view above_floor = " AND (attribute_not_exists(#floor) OR #floor < :t)";
constexpr std::string_view above_known_floor = " AND #floor >= :seen AND #floor < :t";
constexpr std::string_view our_schema = "(attribute_not_exists(#pk) OR #v = :v) AND ";

bool takes(purpose meaning) {
    return meaning == purpose::take || meaning == purpose::take_over;
}
update_item_request& update_of(any_request& request) {
    return std::get<update_item_request>(request);
}
/// In the words of TTL: seconds of the wall clock.
std::int64_t expiry_in(const environment& world, std::chrono::seconds wait) {
    const auto now = std::chrono::floor<std::chrono::seconds>(world.clock->wall().time_since_epoch());
    return (now + wait).count();
}
/// The forms that drop an absent head name the floor they saw instead.
void drop_floor_of_take(update_item_request& request) {
    if (request.values.contains(":head")) return;
    drop(request, request.values.contains(":seen") ? above_known_floor : above_floor);
}

}  // namespace

// ---- sessions ----------------------------------------------------------------------------------------------

void beat_revives(any_request& request, purpose meaning, const environment&) {
    if (meaning != purpose::beat) return;
    replace(update_of(request), "#state = :alive AND #beat < :n", "#beat < :n");
    replace(update_of(request), "SET #beat = :n", "SET #beat = :n, #state = :alive");
    update_of(request).names.emplace("#state", "state");
    update_of(request).values.emplace(":alive", "alive");
}

void beat_recreates(any_request& request, purpose meaning, const environment&) {
    if (meaning != purpose::beat) return;
    auto& update = update_of(request);
    replace(update, "#state = :alive AND #beat < :n", "attribute_not_exists(#pk) OR (#state = :alive AND #beat < :n)");
    replace(update, "SET #beat = :n", "SET #beat = :n, #state = :alive, #v = :v, #lease = :lease");
    update.names.insert({{"#pk", "pk"}, {"#v", "v"}, {"#lease", "lease"}});
    update.values.insert({{":v", 1}, {":lease", 10'000}});
}

void beat_without_number(any_request& request, purpose meaning, const environment&) {
    if (meaning == purpose::beat) drop(update_of(request), " AND #beat < :n");
}

void mark_without_beat(any_request& request, purpose meaning, const environment&) {
    if (meaning == purpose::mark_dead) drop(update_of(request), " AND #beat = :seen");
}

void create_over_anything(any_request& request, purpose meaning, const environment&) {
    if (meaning != purpose::create_session) return;
    auto& put = std::get<put_item_request>(request);
    if (put.condition_expression != "attribute_not_exists(#pk)") stale("create", put.condition_expression);
    put.condition_expression.clear();
    put.names.clear();
}

void session_row_expires_alive(any_request& request, purpose meaning, const environment& world) {
    if (meaning != purpose::create_session) return;
    auto& put = std::get<put_item_request>(request);
    const auto* lease = find(put.new_item, "lease");
    if (!lease || find(put.new_item, "ttl")) stale("create", "lease");
    put.new_item.emplace("ttl", expiry_in(world, std::chrono::seconds(5)));
}

void session_row_expires_at_its_end(any_request& request, purpose meaning, const environment& world) {
    if (meaning != purpose::mark_dead && meaning != purpose::close_session) return;
    update_of(request).values.at(":expiry") = expiry_in(world, std::chrono::seconds(0));
}

// ---- taking ------------------------------------------------------------------------------------------------

void take_without_floor(any_request& request, purpose meaning, const environment&) {
    if (meaning == purpose::take) drop_floor_of_take(update_of(request));
}

void take_over_without_floor(any_request& request, purpose meaning, const environment&) {
    if (meaning == purpose::take_over) drop_floor_of_take(update_of(request));
}

void take_behind_the_known_floor(any_request& request, purpose meaning, const environment&) {
    if (takes(meaning) && update_of(request).values.contains(":seen"))
        replace(update_of(request), above_known_floor, above_floor);
}

void take_over_from_anybody(any_request& request, purpose meaning, const environment&) {
    if (meaning == purpose::take_over) drop(update_of(request), " AND #holder = :h AND #attempt = :ha");
}

void take_without_condition(any_request& request, purpose meaning, const environment&) {
    if (!takes(meaning)) return;
    update_of(request).condition_expression.clear();
    tests::prune(update_of(request));
}

void take_beside_expiry(any_request& request, purpose meaning, const environment&) {
    if (takes(meaning)) replace(update_of(request), " REMOVE #ttl, ", " REMOVE ");
}

void take_expires(any_request& request, purpose meaning, const environment& world) {
    if (!takes(meaning)) return;
    auto& update = update_of(request);
    replace(update, " REMOVE #ttl, ", " REMOVE ");
    replace(update, "SET #v = :v, ", "SET #v = :v, #ttl = :soon, ");
    update.names.emplace("#ttl", "ttl");
    update.values.emplace(":soon", expiry_in(world, std::chrono::seconds(2)));
}

void take_without_schema(any_request& request, purpose meaning, const environment&) {
    if (takes(meaning) || meaning == purpose::join) drop(update_of(request), our_schema);
    if (meaning == purpose::release || meaning == purpose::hand_over) drop(update_of(request), "#v = :v AND ");
}

void take_before_the_line(any_request& request, purpose meaning, const environment&) {
    if (!takes(meaning)) return;
    auto& update = update_of(request);
    constexpr std::string_view nobody_waits = " AND attribute_not_exists(#line[0])";
    if (update.condition_expression.find(nobody_waits) == std::string::npos) return;  // it stands in line
    drop(update, nobody_waits);
    replace(update, ", #passed, #line", "");
}

void take_past_the_bound(any_request& request, purpose meaning, const environment&) {
    if (takes(meaning) && update_of(request).values.contains(":kp"))
        drop(update_of(request), " AND (attribute_not_exists(#passed) OR #passed < :kp)");
}

void join_without_floor(any_request& request, purpose meaning, const environment&) {
    if (meaning == purpose::join) drop(update_of(request), above_floor);
}

// ---- giving back -------------------------------------------------------------------------------------------

void hand_over_for_the_session(any_request& request, purpose meaning, const environment&) {
    if (meaning == purpose::hand_over) drop(update_of(request), " AND #attempt = :a AND #floor < :t");
}

void hand_over_without_floor(any_request& request, purpose meaning, const environment&) {
    if (meaning == purpose::hand_over) drop(update_of(request), " AND #floor < :t");
}

void release_for_the_session(any_request& request, purpose meaning, const environment&) {
    if (meaning != purpose::release) return;
    const bool two = update_of(request).values.contains(":b");
    drop(update_of(request), two ? " AND #attempt IN (:a, :b)" : " AND #attempt = :a");
}

void release_the_first_only(any_request& request, purpose meaning, const environment&) {
    if (meaning == purpose::release && update_of(request).values.contains(":b"))
        replace(update_of(request), "#attempt IN (:a, :b)", "#attempt = :a");
}

void lock_row_expires_at_once(any_request& request, purpose meaning, const environment& world) {
    if (meaning != purpose::release && meaning != purpose::void_free) return;
    update_of(request).values.at(":expiry") = expiry_in(world, std::chrono::seconds(0));
}

void void_lowers_the_floor(any_request& request, purpose meaning, const environment&) {
    if (meaning == purpose::void_free || meaning == purpose::void_held) drop(update_of(request), above_floor);
}

// ---- guarding ----------------------------------------------------------------------------------

namespace {
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
}  // namespace

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

}  // namespace dynalease::simulation::locks
