// The plans of the world's transactions.
// SPDX-License-Identifier: BSL-1.0
#include "world_plans.hpp"

#include "item/protocol/item_state.hpp"

#include <string_view>
#include <utility>

namespace dynalease::protocol::test {

guarded_table table_of_things() {
    return {.layout = {.table = things, .key = "id"}, .versioned = true};
}

item_key key_of_thing(std::size_t which) {
    return {{"id", names.at(which)}};
}

item_key key_of_guard() {
    return {{"pk", "guard"}, {"sk", "-"}};
}

namespace {

/// What everybody saw before all began.
item_sight first_sight(const world_setting& setting, std::size_t which) {
    if (!setting.exist.at(which)) return {.absent = true};
    return sight_of(table_of_things(), first_thing(which)).value();
}

/// Never used twice.
item_stamp stamp_of(std::size_t transaction, std::size_t coordinator, std::size_t which, std::size_t write) {
    item_stamp stamp{};
    stamp[0] = static_cast<std::byte>(transaction + 1);
    stamp[1] = static_cast<std::byte>(coordinator + 1);
    stamp[2] = static_cast<std::byte>(which + 1);
    stamp[3] = static_cast<std::byte>(write + 1);
    return stamp;
}

}  // namespace

item_stamp stamp_of_save(std::size_t count) {
    item_stamp stamp{};
    stamp[4] = static_cast<std::byte>(count + 1);
    return stamp;
}

attribute_value appended(const item& to, const std::string& what) {
    attribute_list list;
    if (const auto* before = find(to, "h")) list = *before->get_if<attribute_list>();
    list.emplace_back(what);
    return list;
}

transaction_plan plan_of(const world_setting& setting, std::size_t transaction, std::size_t coordinator) {
    const auto digit = std::to_string(transaction + 1);
    transaction_plan plan{
        .name = {"t" + digit, "run-" + digit}, .born = static_cast<std::int64_t>(transaction), .items = {}};
    for (std::size_t i = 0; i < names.size(); ++i) {
        std::string_view letters(setting.transactions[transaction][i]);
        if (letters.empty()) continue;
        if (letters == "r") {
            plan.checks.push_back({.on = table_of_things(), .key = key_of_thing(i), .seen = first_sight(setting, i)});
            continue;
        }
        if (letters == "d") {
            plan.checks.push_back(
                {.on = table_of_things(), .key = key_of_thing(i), .demand = attribute_not_exists("last")});
            continue;
        }
        planned_item planned{.on = table_of_things(), .key = key_of_thing(i), .writes = {}};
        if (letters.front() == 'p') {
            planned.seen = first_sight(setting, i);
            letters.remove_prefix(1);
        }
        for (std::size_t w = 0; w < letters.size(); ++w) {
            planned_write write{.kind = static_cast<mark_kind>(letters[w]),
                                .stamp = stamp_of(transaction, coordinator, i, w)};
            if (write.kind == mark_kind::updated) {
                write.change = set("h", list_append(attr("h"), attribute_list{digit})) + set("last", digit);
            }
            if (write.kind == mark_kind::inserted) {
                write.whole = planned.key;
                write.whole.emplace("h", attribute_list{digit});
            }
            planned.writes.push_back(std::move(write));
        }
        plan.items.push_back(std::move(planned));
    }
    plan.keeps_outcome = setting.native.at(transaction) && setting.keeps_outcome;
    if (setting.guarded && transaction == 0) {
        plan.checks.push_back({.fence = condition_check{.table_name = coordination,
                                                        .key = key_of_guard(),
                                                        .condition_expression = "attribute_exists(#pk)",
                                                        .names = {{"#pk", "pk"}}}});
    }
    return plan;
}

transaction_plan holding_plan_of(const world_setting& setting, std::size_t transaction, std::size_t coordinator) {
    auto plan = plan_of(setting, transaction, coordinator);
    plan.items.clear();
    plan.checks.clear();
    plan.holds = true;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (std::string_view(setting.transactions[transaction][i]).empty()) continue;
        planned_item planned{.on = table_of_things(), .key = key_of_thing(i), .writes = {}};
        planned.writes.push_back({.kind = mark_kind::read, .stamp = stamp_of(transaction, coordinator, i, 9)});
        plan.items.push_back(std::move(planned));
    }
    return plan;
}

item first_thing(std::size_t which) {
    auto made = key_of_thing(which);
    const auto born = bytes_of(stamp_of(20, 20, which, 0));
    made.emplace("h", attribute_list{"0"});
    made.emplace("version", 1);
    made.emplace("_born", born);
    made.emplace("_stamp", born);
    return made;
}

}  // namespace dynalease::protocol::test
