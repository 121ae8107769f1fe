// From what callers want to happen together to the actions that do it.
// SPDX-License-Identifier: BSL-1.0
#include "versioned/joint_plan.hpp"

#include <string>
#include <utility>
#include <variant>

namespace dynalease::detail {

namespace {

constexpr std::size_t most_actions = 100;

failure refused(errc code, std::string message) {
    failure why(code);
    why.details.message = std::move(message);
    return why;
}

/// What a part writes to; empty: another's Put, of whose table nobody here knows the key.
std::optional<item_key> key_in(const joint_plan& plan, const joint_plan::part& part) {
    if (part.intent) return part.intent->key;
    if (auto key = protocol::key_of(part.action)) return key;
    const auto* put = std::get_if<transact_put>(&part.action);
    for (const auto& other : plan.parts) {
        if (!put || !other.intent || other.intent->layout->table != put->table_name) continue;
        return protocol::key_of(*other.intent->layout, put->new_item);
    }
    return std::nullopt;
}

/// The service refuses two actions on one item.
std::optional<failure> check_duplicates(const joint_plan& plan) {
    std::vector<std::optional<item_key>> keys;
    for (const auto& part : plan.parts) keys.push_back(key_in(plan, part));
    for (std::size_t i = 0; i < keys.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const bool same = keys[i] && keys[i] == keys[j] &&
                              protocol::table_of(plan.parts[i].action) == protocol::table_of(plan.parts[j].action);
            if (!same) continue;
            return refused(errc::duplicate_item, "entries " + std::to_string(j) + " and " + std::to_string(i) +
                                                     " are one item: " + text_of(*keys[i]));
        }
    }
    return std::nullopt;
}

}  // namespace

result<joint_plan> plan_jointly(std::vector<joint_entry> entries) {
    if (entries.empty()) return refused(errc::invalid_option, "there is nothing to write");
    if (entries.size() > most_actions) {
        return refused(errc::too_many_items, std::to_string(entries.size()) + " entries, of at most 100");
    }
    joint_plan plan;
    std::optional<item_stamp> mine;
    for (auto& each : entries) {
        auto& part = plan.parts.emplace_back();
        if (auto* foreign = std::get_if<transact_write>(&each)) {
            part.action = std::move(*foreign);
            continue;
        }
        auto& entry = std::get<joint_write>(each);
        if (!mine) mine = entry.core->new_stamp();
        if (entry.only_checks) part.demand = entry.order.condition;
        const auto place = "entry " + std::to_string(plan.parts.size() - 1) + ": ";
        auto intent = plan_write(*entry.core, std::move(entry.order), mine);
        if (!intent) {
            auto why = std::move(intent).error();
            why.details.message = place + why.details.message;
            return why;
        }
        plan.tables.push_back(std::move(entry.core));
        if (intent->buries && !left_on_tombstone(*intent, intent->stored).empty()) {
            return refused(errc::too_many_members, place + "more attributes than one action removes");
        }
        part.intent = *std::move(intent);
        part.only_checks = entry.only_checks;
        if (entry.only_checks) part.intent->removes = true;  // it leaves nothing to show
        plan_action(part);
    }
    if (auto why = check_duplicates(plan)) return *std::move(why);
    return plan;
}

}  // namespace dynalease::detail
