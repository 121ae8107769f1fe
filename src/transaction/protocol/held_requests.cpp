// The texts of the call that commits a run which has held its items.
// SPDX-License-Identifier: BSL-1.0
#include "transaction/protocol/held_requests.hpp"

#include "database/protocol/transact_actions.hpp"
#include "item/protocol/item_state.hpp"
#include "transaction/protocol/item_texts.hpp"
#include "transaction/protocol/joint_requests.hpp"
#include "transaction/protocol/marking_requests.hpp"
#include "transaction/protocol/plan_limits.hpp"
#include "transaction/protocol/transaction_requests.hpp"

#include <dynalease/dynamodb/expression.hpp>

#include <algorithm>
#include <utility>
#include <variant>

namespace dynalease::protocol {

namespace {

bool same(const item_ref& one, const item_ref& other) {
    return one.table == other.table && one.key == other.key;
}

template <class Action>
Action action_under(const planned_item& what, const item_mark& mark) {
    Action action;
    action.table_name = what.on.layout.table;
    action.key = what.key;
    action.condition_expression = this_lock;
    action.names = names_in_texts(what.on.layout);
    action.current_on_refusal = true;
    name_lock(mark, action.values);
    return action;
}

/// The stamp of the lock stays, as that of the write.
transact_update change_under(const planned_item& what, const item_mark& mark) {
    const auto& [layout, versioned] = what.on;
    auto action = action_under<transact_update>(what, mark);
    update_clauses text(action.names, action.values);
    if (versioned) {
        action.condition_expression += " AND (attribute_not_exists(#ver) OR #ver <= :top)";
        action.values.emplace(":top", layout.version_limit - layout.step);
        action.values.emplace(":trail", mark.lock.before ? bytes_of(*mark.lock.before) : binary{});
        raise_version(layout, ":trail", text, action.values);
    }
    text.apply(what.writes.front().change);
    text.remove("#tx, #before, #kind, #write");
    if (layout.stamp != item_layout{}.stamp) text.remove("#name");
    action.update_expression = text.text();
    const std::string update = action.update_expression;
    return completed(std::move(action), what, update);
}

/// As it was, and free.
transact_update give_back(const item_ref& place, const item_mark& mark) {
    return detail::as_action(std::get<update_item_request>(unlock(place, mark)));
}

transact_write action_of(const held_call::part& each) {
    if (each.write) {
        const bool under = each.mark && each.write->writes.front().kind != mark_kind::inserted;
        if (!under) return write_at_once(*each.write);
        if (each.write->writes.front().kind == mark_kind::to_erase) {
            return completed(action_under<transact_delete>(*each.write, *each.mark), *each.write);
        }
        return change_under(*each.write, *each.mark);
    }
    if (!each.mark) return check_item(*each.check);
    auto action = give_back(each.place, *each.mark);
    if (each.check && each.check->demand) apply(action, *each.check->demand);
    return action;
}

}  // namespace

held_call::held_call(const transaction_plan& held, std::vector<std::optional<item_mark>> marks, transaction_plan wanted)
    : name_(held.name), held_(held.items), marks_(std::move(marks)), wanted_(std::move(wanted)) {
    for (std::size_t i = 0; i < held_.size(); ++i) {
        const auto place = held_[i].place();
        const auto is_here = [&](const auto& each) { return same(each.place(), place); };
        const bool used = std::ranges::any_of(wanted_.items, is_here) || std::ranges::any_of(wanted_.checks, is_here);
        if (marks_[i] && !used) unused_.push_back(i);
    }
}

std::optional<item_mark> held_call::mark_on(const item_ref& place) const {
    for (std::size_t i = 0; i < held_.size(); ++i) {
        if (same(held_[i].place(), place)) return marks_[i];
    }
    return std::nullopt;
}

std::size_t held_call::size() const noexcept {
    return wanted_.items.size() + wanted_.checks.size() + unused_.size();
}

held_call::part held_call::at(std::size_t index) const {
    part found;
    if (index < wanted_.items.size()) {
        found.write = &wanted_.items[index];
        found.place = found.write->place();
        found.mark = mark_on(found.place);
        return found;
    }
    index -= wanted_.items.size();
    if (index < wanted_.checks.size()) {
        found.check = &wanted_.checks[index];
        found.place = found.check->place();
        if (!found.check->fence) found.mark = mark_on(found.place);
        return found;
    }
    const auto unused = unused_[index - wanted_.checks.size()];
    found.place = held_[unused].place();
    found.mark = marks_[unused];
    return found;
}

bool held_call::fits() const {
    return size() < most_actions && fits_at_once(wanted_);
}

transact_write_items_request held_call::held_commit(const std::string& coordination, std::optional<std::int64_t> expiry,
                                                    std::string token) const {
    const transaction_requests row(coordination, name_);
    transact_write_items_request request{
        .actions = {expiry ? row.commit_and_finish(*expiry) : detail::as_action(row.commit({}))},
        .client_request_token = std::move(token)};
    for (std::size_t i = 0; i < size(); ++i) request.actions.push_back(action_of(at(i)));
    return request;
}

}  // namespace dynalease::protocol
