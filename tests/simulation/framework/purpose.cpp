// The texts of src/protocol, as far as they tell one request from the next.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/purpose.hpp"

#include "simulation/framework/mutant.hpp"
#include "support/changed_texts.hpp"

#include <array>
#include <cstdlib>
#include <iostream>
#include <string>

namespace dynalease::simulation {

namespace {

struct beginning {
    std::string_view text;
    purpose meaning;
};
// The longer of two that begin alike comes first.
constexpr std::array beginnings{
    beginning{"SET #beat = :n", purpose::beat},
    beginning{"SET #state = :closed", purpose::close_session},
    beginning{"SET #state = :dead", purpose::mark_dead},
    beginning{"SET #v = :v, #holder = :s, #attempt = :a", purpose::take},
    beginning{"SET #v = :v, #line = list_append(", purpose::join},
    beginning{"SET #attempt = :b, #token = :t, #floor = :t", purpose::hand_over},
    beginning{"SET #ttl = :expiry", purpose::release},
    beginning{"SET #v = :v, #floor = :t, #ttl = :expiry", purpose::void_free},
    beginning{"SET #floor = :t REMOVE #line[", purpose::leave},
    beginning{"SET #floor = :t", purpose::void_held},
    beginning{"REMOVE #line[", purpose::leave_closed},
};

std::string_view partition_of(const item& key) {
    const auto* text = find_string(key, "pk");
    return text ? std::string_view(*text) : std::string_view();
}

bool of_a_session(const item& key) {
    return partition_of(key).starts_with("session#");
}
bool of_a_lock(const item& key) {
    return partition_of(key).starts_with("lock#");
}

purpose purpose_of_update(const update_item_request& request) {
    if (!of_a_session(request.key) && !of_a_lock(request.key)) return purpose::none;
    for (const auto& known : beginnings) {
        if (!request.update_expression.starts_with(known.text)) continue;
        if (known.meaning == purpose::take && request.values.contains(":h")) return purpose::take_over;
        return known.meaning;
    }
    stale("an update of " + std::string(partition_of(request.key)), request.update_expression);
}

bool holds_a_fence(const transact_write_items_request& request) {
    for (const auto& action : request.actions) {
        const auto* check = std::get_if<condition_check>(&action);
        if (check && of_a_lock(check->key)) return true;
    }
    return false;
}

}  // namespace

purpose purpose_of(const any_request& request) {
    if (const auto* update = std::get_if<update_item_request>(&request)) return purpose_of_update(*update);
    if (const auto* get = std::get_if<get_item_request>(&request)) {
        if (of_a_session(get->key)) return purpose::look_at_session;
        return of_a_lock(get->key) ? purpose::look_at_lock : purpose::none;
    }
    if (const auto* put = std::get_if<put_item_request>(&request)) {
        return of_a_session(put->new_item) ? purpose::create_session : purpose::none;
    }
    if (const auto* transaction = std::get_if<transact_write_items_request>(&request)) {
        return holds_a_fence(*transaction) ? purpose::fenced_write : purpose::none;
    }
    return purpose::none;
}

void stale(std::string_view request, std::string_view text) {
    const auto* now = active_mutant();
    std::cerr << "mutant " << (now ? now->name : "?") << " does not know " << request << " with the text '" << text
              << "': the protocol has changed, the mutant must follow\n";
    std::abort();
}

void replace_clause(update_item_request& request, std::string_view from, std::string_view to) {
    bool found = false;
    for (auto* text : {&request.condition_expression, &request.update_expression}) {
        found = tests::replace(*text, from, to) || found;
    }
    if (!found) stale(from, request.condition_expression + " / " + request.update_expression);
    tests::prune(request);
}

void drop_clause(update_item_request& request, std::string_view clause) {
    replace_clause(request, clause, {});
}

}  // namespace dynalease::simulation
