// What each of them spoils.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/queue/request_edits.hpp"

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
    if (there) drop(*update, clause);
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

}  // namespace

std::string text_of_head(const item_key& key) {
    return *find_string(key, "pk") + '/' + *find_string(key, "sk");
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

namespace {

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

template <bool Void>
class row_is_believed final : public rewriting_database {
    using rewriting_database::rewriting_database;
    void change_answer(result<any_response>& answer, const any_request& sent, purpose) override {
        if (unanswered(answer) && ticket_row(sent, Void)) answer = any_response(put_item_response{});
    }
};

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

class noting_draws final : public rewriting_database {
    using rewriting_database::rewriting_database;
    void change_request(any_request& request, purpose) override {
        if (draw(request)) notes_of_this_world().last_draw_sent = environment().clock->now();
    }
};

}  // namespace

backend leaves_once(backend network) {
    return std::make_shared<once_is_enough>(std::move(network));
}
backend owes_nothing_when_dropped(backend network) {
    return std::make_shared<owed_by_the_guard>(std::move(network));
}
backend voids_once(backend network) {
    return std::make_shared<row_is_believed<true>>(std::move(network));
}
backend believes_in_its_row(backend network) {
    return std::make_shared<row_is_believed<false>>(std::move(network));
}
backend deletes_instead_of_voiding(backend network) {
    return std::make_shared<deleting>(std::move(network));
}
backend notes_draws(backend network) {
    return std::make_shared<noting_draws>(std::move(network));
}

}  // namespace dynalease::simulation::queues
