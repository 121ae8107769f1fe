// The known mistakes of queues: what requests and answers lack, and each by its rule. In brackets the section of the
// protocol of queues.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/primitive.hpp"
#include "simulation/framework/rewriting_database.hpp"
#include "simulation/queue/row_name.hpp"

#include "queue/protocol/queue_requests.hpp"

#include <chrono>
#include <string>
#include <utility>
#include <variant>

namespace dynalease::simulation::queues {

namespace {

template <class Key>
bool of_a_queue(const Key& key) {
    const auto* text = find_string(key, "pk");
    return text && text->starts_with("queue#");
}

/// Takes a clause out of every update of a head that has it.
void drop_from_head(any_request& request, std::string_view clause) {
    auto* update = std::get_if<update_item_request>(&request);
    if (!update || !of_a_queue(update->key)) return;
    const bool there = update->condition_expression.find(clause) != std::string::npos ||
                       update->update_expression.find(clause) != std::string::npos;
    if (there) drop_clause(*update, clause);
}

/// The update that ends a turn, or passes over others; null: another request.
update_item_request* end_of_turn(any_request& request) {
    auto* update = std::get_if<update_item_request>(&request);
    return update && of_a_queue(update->key) && update->values.contains(":e") ? update : nullptr;
}
update_item_request* draw(any_request& request) {
    auto* update = std::get_if<update_item_request>(&request);
    return update && of_a_queue(update->key) && update->values.contains(":attempt") ? update : nullptr;
}
/// The put of a ticket's row; null: another request.
template <class Request>
auto* ticket_row(Request& request, bool is_void) {
    auto* put = std::get_if<put_item_request>(&request);
    return put && of_a_queue(put->new_item) && put->new_item.contains("void") == is_void ? put : nullptr;
}

void put_over_anything(put_item_request* put) {
    if (!put) return;
    put->condition_expression.clear();
    put->names.clear();
    put->values.clear();
}

bool unanswered(const result<any_response>& answer) {
    return !answer && answer.error().outcome == outcome::unknown;
}

// ---- requests ------------------------------------------------------------------------------------------------

void end_without_condition(any_request& request, purpose, const environment&) {
    drop_from_head(request, " AND #passed BETWEEN :f AND :e");
}

void idle_leave_without_tail(any_request& request, purpose, const environment&) {
    drop_from_head(request, " AND #tail = :x");
}

void draw_leaves_ttl(any_request& request, purpose, const environment&) {
    drop_from_head(request, " REMOVE #ttl");
}

void draw_forgets_its_copy(any_request& request, purpose, const environment&) {
    drop_from_head(request, " AND (attribute_not_exists(#last) OR #last <> :attempt)");
}

void draw_without_floor(any_request& request, purpose, const environment&) {
    if (auto* update = draw(request)) update->values.insert_or_assign(":floor", 0);
}

void draw_without_schema(any_request& request, purpose, const environment&) {
    if (draw(request)) drop_from_head(request, "(attribute_not_exists(#pk) OR #v = :v) AND ");
}

void end_ignores_from(any_request& request, purpose, const environment&) {
    if (auto* update = end_of_turn(request)) update->values.insert_or_assign(":f", update->values.at(":e"));
}

void bury_over_anything(any_request& request, purpose, const environment&) {
    put_over_anything(ticket_row(request, true));
}

void enter_over_anything(any_request& request, purpose, const environment&) {
    put_over_anything(ticket_row(request, false));
}

void waiting_row_expires(any_request& request, purpose, const environment& world) {
    auto* put = ticket_row(request, false);
    if (!put) return;
    const auto now = std::chrono::floor<std::chrono::seconds>(world.clock->wall().time_since_epoch());
    put->new_item.insert_or_assign("ttl", (now + std::chrono::seconds(1)).count());
}

void forget_one_too_many(any_request& request, purpose, const environment&) {
    auto* batch = std::get_if<batch_write_item_request>(&request);
    if (!batch) return;
    for (auto& [name, writes] : batch->tables) {
        auto* last = writes.empty() ? nullptr : std::get_if<batch_delete>(&writes.back());
        if (!last || !of_a_queue(last->key)) continue;
        const auto sort = *find_string(last->key, "sk");
        const auto slash = sort.find('/') + 1;
        auto digits = std::to_string(std::stoll(sort.substr(slash)) + 1);
        digits.insert(0, protocol::ticket_digits - digits.size(), '0');
        auto next = last->key;
        next.insert_or_assign("sk", sort.substr(0, slash) + digits);
        writes.emplace_back(batch_delete{std::move(next)});
    }
}

void several_without_tail(any_request& request, purpose, const environment&) {
    auto* transaction = std::get_if<transact_write_items_request>(&request);
    if (!transaction) return;
    for (auto& action : transaction->actions) {
        auto* update = std::get_if<transact_update>(&action);
        if (!update || !update->values.contains(":seen") || !of_a_queue(update->key)) continue;
        update->condition_expression = "#v = :v";
        update->values.erase(":seen");
        if (update->update_expression.find(":p") == std::string::npos) update->values.erase(":p");
    }
}

void several_cover_nothing(any_request& request, purpose, const environment&) {
    auto* transaction = std::get_if<transact_write_items_request>(&request);
    if (!transaction) return;
    for (auto& action : transaction->actions) {
        auto* put = std::get_if<transact_put>(&action);
        if (!put || !of_a_queue(put->new_item)) continue;
        put->new_item.insert_or_assign(
            "from",
            std::stoll(find_string(put->new_item, "sk")->substr(find_string(put->new_item, "sk")->find('/') + 1)));
    }
}

void fence_without_end(any_request& request, purpose, const environment&) {
    auto* transaction = std::get_if<transact_write_items_request>(&request);
    auto* fence = transaction ? std::get_if<condition_check>(&transaction->actions.front()) : nullptr;
    if (!fence || !of_a_queue(fence->key)) return;
    fence->condition_expression = "#tail >= :t";
    fence->names.erase("#passed");
    fence->values.erase(":f");
    fence->values.erase(":e");
}

// ---- answers -------------------------------------------------------------------------------------------------

/// Takes the unanswered end of a turn for done.
class once_is_enough final : public rewriting_database {
    using rewriting_database::rewriting_database;
    void change_answer(result<any_response>& answer, const any_request& sent, purpose) override {
        const auto* update = std::get_if<update_item_request>(&sent);
        if (!unanswered(answer) || !update || !update->values.contains(":pace")) return;
        failure refused(errc::condition_failed);
        refused.current = item{{"v", 1}, {"tail", update->values.at(":x")}, {"passed", update->values.at(":x")}};
        answer = std::move(refused);
    }
};

/// Leaves a turn whose guard was dropped once, whatever becomes of that.
class owed_by_the_guard final : public rewriting_database {
    using rewriting_database::rewriting_database;
    void change_answer(result<any_response>& answer, const any_request& sent, purpose) override {
        const auto* update = std::get_if<update_item_request>(&sent);
        if (!unanswered(answer) || !update || !update->values.contains(":pace")) return;
        const auto ticket = std::stoll(update->values.at(":x").get_if<number>()->text());
        if (!notes_of_this_world().turns_dropped.contains({text_of_head(update->key), ticket})) return;
        // Whoever sees such a head has nothing to leave.
        failure refused(errc::condition_failed);
        refused.current = item{{"v", 1}, {"tail", 0}, {"passed", 0}};
        answer = std::move(refused);
    }
};

/// Takes its row, or an unanswered giving up, for written before it is known.
template <bool Void>
class row_is_believed final : public rewriting_database {
    using rewriting_database::rewriting_database;
    void change_answer(result<any_response>& answer, const any_request& sent, purpose) override {
        if (unanswered(answer) && ticket_row(sent, Void)) answer = any_response(put_item_response{});
    }
};

/// Gives up a ticket by deleting its row.
class deleting final : public rewriting_database {
    using rewriting_database::rewriting_database;
    void change_request(any_request& request, purpose) override {
        const auto* put = ticket_row(request, true);
        // Those who bury a ticket of others need the row that says so.
        if (!put || put->values.empty()) return;
        const item_key key{{"pk", *find_string(put->new_item, "pk")}, {"sk", *find_string(put->new_item, "sk")}};
        request = delete_item_request{.table_name = put->table_name, .key = key};
    }
    void change_answer(result<any_response>& answer, const any_request& sent, purpose) override {
        if (answer && std::holds_alternative<delete_item_request>(sent)) answer = any_response(put_item_response{});
    }
};

/// Keeps in mind when a ticket was last asked for.
class noting_draws final : public rewriting_database {
    using rewriting_database::rewriting_database;
    void change_request(any_request& request, purpose) override {
        if (draw(request)) notes_of_this_world().last_draw_sent = environment().clock->now();
    }
};

// ---- all of them ---------------------------------------------------------------------------------------------

const contribution queue_mutants{
    {.name = "queue",
     .mutants = {
         {.name = "ARTICLE",
          .rule = "the turn is what the head says, not that no row is seen before mine [9]",
          .wrap = wrap<rewriting_database>,
          .scenario = "article",
          .told = true},
         {.name = "NOTOMB", .rule = "a missing row is made impossible before it is passed over [0]"},
         {.name = "SKIPNOW", .rule = "a missing row is not buried at once [3]"},
         {.name = "NOWAIT", .rule = "a missing row is not buried before its owner's claim is over [0]"},
         {.name = "OVERTAKEN", .rule = "an answer that was overtaken is not taken for the newest [0]"},
         {.name = "NOCLAIM", .rule = "a turn that is not written down is valid only while its claim runs [0]"},
         {.name = "FROMANSWER",
          .rule = "the claim counts from the send, not from the answer [0]",
          .wrap = wrap<rewriting_database>},
         {.name = "FROMCOPY",
          .rule = "the claim counts from the first of all copies that were sent [10]",
          .wrap = wrap<noting_draws>},
         {.name = "DEADEARLY", .rule = "a ticket is passed over only when its session is over [3]"},
         {.name = "USHER", .rule = "an usher passes over no live ticket [3]"},
         {.name = "VOIDSTAY", .rule = "void rows are passed over [3]"},
         {.name = "GHOST", .rule = "a row of ours that nobody of us knows is given up [3]", .scenario = "own-ghost"},
         {.name = "NOVOID", .rule = "a place that is given up is voided [3]"},
         {.name = "LEAVES_TOO_MUCH", .rule = "a leaver passes over nobody but itself and its own void tickets [3]"},
         {.name = "LIFE_GUESSED",
          .rule = "whether anybody lives is known by the next heartbeat, not before [ask]",
          .scenario = "one-call-at-a-dead-holder"},
         {.name = "LIFE_UNSEEN", .rule = "who beats lives [ask]", .scenario = "one-call-at-a-living-holder"},
         {.name = "LEFT_TAKEN",
          .rule = "what a living holder leaves is not for who asks whether anybody lives [ask]",
          .scenario = "one-call-at-a-short-turn"},
         {.name = "LEAVE",
          .rule = "`passed` moves only from where the turn is [2]",
          .wrap = editing<end_without_condition>},
         {.name = "BEATS_TOO_OFTEN", .rule = "one heartbeat for each period, whatever is held [budget S2]"},
         {.name = "LEAVE_IDLE", .rule = "only an idle head gets a ttl [0]", .wrap = editing<idle_leave_without_tail>},
         {.name = "TTL_STAYS", .rule = "a ticket takes the ttl off the head [2]", .wrap = editing<draw_leaves_ttl>},
         {.name = "RETRY", .rule = "a copy of a draw draws nothing [2]", .wrap = editing<draw_forgets_its_copy>},
         {.name = "NOFLOOR",
          .rule = "a head that was lost is made anew above all that was issued [8]",
          .wrap = editing<draw_without_floor>},
         {.name = "NOSCHEMA",
          .rule = "a row of a version that is not known is left alone [1]",
          .wrap = editing<draw_without_schema>,
          .scenario = "lost-rows"},
         {.name = "FROM_IGNORED",
          .rule = "a place has the turn from the first number that it covers [7]",
          .wrap = editing<end_ignores_from>},
         {.name = "COVERS_NOTHING",
          .rule = "a place covers the numbers that were skipped for it [7]",
          .wrap = editing<several_cover_nothing>},
         {.name = "NOCOND",
          .rule = "several are entered only if nobody entered any of them meanwhile [7]",
          .wrap = editing<several_without_tail>},
         {.name = "SEPARATE",
          .rule = "several are entered at once under one number: one by one, each has what the other waits for [7]",
          .scenario = "several-at-once"},
         {.name = "TOMBPUT",
          .rule = "a tombstone is put only where no row is [2]",
          .wrap = editing<bury_over_anything>,
          .scenario = "row-against-grave"},
         {.name = "ROWPUT",
          .rule = "a ticket is not written down over its tombstone [2]",
          .wrap = editing<enter_over_anything>},
         {.name = "WAITER_TTL", .rule = "no row that matters carries a ttl [0]", .wrap = editing<waiting_row_expires>},
         {.name = "FORGETS_TOO_MUCH",
          .rule = "a row is deleted only when it was passed [0]",
          .wrap = editing<forget_one_too_many>},
         {.name = "NOFENCE",
          .rule = "a fence holds from the moment anyone else may have the turn [3]",
          .wrap = editing<fence_without_end>},
         {.name = "LEAVEONCE", .rule = "an unanswered leave is repeated [3]", .wrap = wrap<once_is_enough>},
         {.name = "DROPPED",
          .rule = "what is owed for a turn outlives its guard, as long as the session lives [3]",
          .wrap = wrap<owed_by_the_guard>,
          .scenario = "dropped-turn"},
         {.name = "VOIDONCE", .rule = "an unanswered giving up is repeated [3]", .wrap = wrap<row_is_believed<true>>},
         {.name = "PUTONCE", .rule = "a row is known only by its answer [3]", .wrap = wrap<row_is_believed<false>>},
         {.name = "CANCELDEL",
          .rule = "a place is given up by a void row, which a late one cannot follow [3]",
          .wrap = wrap<deleting>},
     }}};

}  // namespace

}  // namespace dynalease::simulation::queues
