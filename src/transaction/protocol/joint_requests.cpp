// The texts of the requests that write or test several items at once.
// SPDX-License-Identifier: BSL-1.0
#include "transaction/protocol/joint_requests.hpp"

#include "item/protocol/item_state.hpp"
#include "transaction/protocol/item_texts.hpp"
#include "transaction/protocol/transaction_requests.hpp"

#include <dynalease/dynamodb/expression.hpp>

#include <algorithm>
#include <utility>

namespace dynalease::protocol {

namespace {

/// A write or a check of an item that is there.
template <class Action>
Action action_on(const planned_item& what) {
    const auto& write = what.writes.front();
    Action action;
    action.table_name = what.on.layout.table;
    action.key = what.key;
    action.current_on_refusal = true;
    action.names = names_in_texts(what.on.layout);
    action.condition_expression = free_item(what.on, write.kind, what.seen, action.values);
    return action;
}

transact_update update_of(const planned_item& what) {
    const auto& [table, versioned] = what.on;
    const auto& write = what.writes.front();
    auto action = action_on<transact_update>(what);
    update_clauses text(action.names, action.values);
    action.values.emplace(":n", bytes_of(write.stamp));
    text.set("#stamp = :n");
    if (versioned) {
        action.values.emplace(":trail", binary{});
        raise_version(table, "if_not_exists(#stamp, :trail)", text, action.values);
    }
    text.apply(write.change);
    action.update_expression = text.text();
    const std::string update = action.update_expression;
    return completed(std::move(action), what, update);
}

/// With its placeholders as others, whatever they are.
std::string renamed(std::string_view text, std::string_view by) {
    std::string out;
    for (const char c : text) {
        out += c;
        if (c == '#' || c == ':') out += by;
    }
    return out;
}

}  // namespace

void add_fence(condition_check& to, const condition_check& fence) {
    // Several fences of one item say the same of different guards.
    std::string by = "f";
    const auto taken = [&](const auto& mine, const auto& theirs) {
        return std::ranges::any_of(theirs, [&](const auto& each) { return mine.contains(renamed(each.first, by)); });
    };
    while (taken(to.names, fence.names) || taken(to.values, fence.values)) by += 'f';
    to.condition_expression = "(" + to.condition_expression + ") AND (" + renamed(fence.condition_expression, by) + ")";
    for (const auto& [name, attribute] : fence.names) to.names.emplace(renamed(name, by), attribute);
    for (const auto& [name, value] : fence.values) to.values.emplace(renamed(name, by), value);
}

namespace {

/// Names the body: the call has one for ever, but for the run that it goes over.
std::string token_of_call(const transaction_plan& plan, const std::optional<std::string>& over) {
    // Checks alone do no harm twice.
    if (plan.items.empty()) return {};
    return token_of(plan.items.front().writes.front().stamp, over ? "-over" : "");
}

}  // namespace

transact_write write_at_once(const planned_item& what) {
    const auto& layout = what.on.layout;
    const auto& write = what.writes.front();
    switch (write.kind) {
        case mark_kind::updated:
            return update_of(what);
        case mark_kind::to_erase:
            return completed(action_on<transact_delete>(what), what);
        case mark_kind::read:
            return completed(action_on<condition_check>(what), what);
        case mark_kind::inserted:
            break;
    }
    return transact_put{.table_name = layout.table,
                        .new_item = made_item(what.on, write),
                        .condition_expression = "attribute_not_exists(#k)",
                        .names = {{"#k", layout.key}},
                        .current_on_refusal = true};
}

condition_check check_item(const planned_check& what) {
    if (what.is_fence()) {
        auto fence = *what.fence;
        fence.current_on_refusal = true;
        return fence;
    }
    const auto& layout = what.on.layout;
    condition_check check{.table_name = layout.table,
                          .key = what.key,
                          .condition_expression = "attribute_not_exists(#k) OR attribute_exists(#gone)",
                          .names = names_in_texts(layout),
                          .current_on_refusal = true};
    if (!what.seen || !what.seen->absent) {
        check.condition_expression = "attribute_exists(#k) AND " + std::string(not_in_transaction);
        if (what.seen) check.condition_expression += same_stamp(what.on, *what.seen, check.values);
    }
    if (what.demand) apply(check, *what.demand);
    keep_used_names(layout, check.names, {}, check.condition_expression);
    // One call names an item once.
    if (what.fence) add_fence(check, *what.fence);
    return check;
}

transact_write_items_request native_call_of(const std::string& coordination, const transaction_plan& plan,
                                            const std::optional<std::string>& over, std::int64_t expiry) {
    transact_write_items_request request{.actions = {}, .client_request_token = token_of_call(plan, over)};
    if (plan.keeps_outcome) {
        const transaction_requests row(coordination, plan.name);
        request.actions.emplace_back(row.outcome(plan.born, over, expiry));
    }
    for (const auto& each : plan.items) request.actions.push_back(write_at_once(each));
    for (const auto& each : plan.checks) request.actions.emplace_back(check_item(each));
    return request;
}

transact_get_items_request look_at_one_moment(const std::vector<item_ref>& items) {
    transact_get_items_request request;
    for (const auto& [table, key] : items) {
        request.gets.push_back(transact_get{.table_name = std::string(table), .key = item_key(key)});
    }
    return request;
}

batch_get_item_request look_at_each(const std::vector<item_ref>& items) {
    batch_get_item_request request;
    for (const auto& [table, key] : items) {
        auto& of_table = request.tables[table];
        of_table.consistent_read = true;
        of_table.keys.push_back(key);
    }
    return request;
}

}  // namespace dynalease::protocol
