// Planned writes to attributes, and back.
// SPDX-License-Identifier: BSL-1.0
#include "transaction/protocol/stored_writes.hpp"

#include "item/protocol/item_state.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace dynalease::protocol {

namespace {

using clause = update_expression::clause;

constexpr std::array<std::pair<clause, const char*>, 4> clause_names{
    {{clause::set, "set"}, {clause::remove, "remove"}, {clause::add, "add"}, {clause::delete_from, "delete"}}};

// ---- to attributes -----------------------------------------------------------------------------------------

attribute_value stored(const detail::fragments& parts) {
    attribute_list list;
    for (const auto& part : parts) {
        if (const auto* text = std::get_if<std::string>(&part)) list.emplace_back(*text);
        if (const auto* name = std::get_if<detail::name_fragment>(&part))
            list.emplace_back(attribute_map{{"n", name->name}});
        if (const auto* value = std::get_if<attribute_value>(&part)) list.emplace_back(attribute_map{{"v", *value}});
    }
    return list;
}

attribute_map stored(const planned_write& write) {
    attribute_map map{{"kind", std::string{static_cast<char>(write.kind)}}};
    for (const auto& [which, name] : clause_names) {
        attribute_list actions;
        for (const auto& action : write.change.actions(which)) actions.push_back(stored(action));
        if (!actions.empty()) map.emplace(name, std::move(actions));
    }
    if (!write.demand.empty()) map.emplace("if", stored(write.demand.parts()));
    if (!write.whole.empty()) map.emplace("item", write.whole);
    return map;
}

/// What is as usual, is not said.
attribute_map stored(const guarded_table& on) {
    const item_layout usual{};
    const auto& layout = on.layout;
    attribute_map map{{"name", layout.table}, {"key", layout.key}};
    if (!layout.sort.empty()) map.emplace("sort", layout.sort);
    if (layout.stamp != usual.stamp) map.emplace("stamp", layout.stamp);
    if (layout.lock_prefix != usual.lock_prefix) map.emplace("lock", layout.lock_prefix);
    if (!on.versioned) return map;
    map.emplace("version", layout.version);
    map.emplace("first", layout.first_version);
    map.emplace("step", layout.step);
    map.emplace("limit", layout.version_limit);
    return map;
}

attribute_map stored(const item_sight& seen) {
    attribute_map map;
    if (seen.absent) map.emplace("absent", true);
    if (seen.stamp) map.emplace("stamp", bytes_of(*seen.stamp));
    if (seen.version) map.emplace("version", *seen.version);
    return map;
}

// ---- and back ----------------------------------------------------------------------------------------------

template <class T>
const T* member(const attribute_map& map, std::string_view name) {
    const auto* value = find(map, name);
    return value ? value->get_if<T>() : nullptr;
}

std::optional<detail::fragments> fragments_in(const attribute_list& list) {
    detail::fragments parts;
    for (const auto& each : list) {
        const auto* map = each.get_if<attribute_map>();
        if (const auto* text = each.get_if<std::string>()) {
            parts.emplace_back(*text);
        } else if (const auto* name = map ? member<std::string>(*map, "n") : nullptr) {
            parts.emplace_back(detail::name_fragment{*name});
        } else if (const auto* value = map ? find(*map, "v") : nullptr) {
            parts.emplace_back(*value);
        } else {
            return std::nullopt;
        }
    }
    return parts;
}

std::optional<condition_expression> demand_in(const attribute_map& map) {
    const auto* list = member<attribute_list>(map, "if");
    auto parts = list ? fragments_in(*list) : std::nullopt;
    if (!parts) return std::nullopt;
    return parts->empty() ? condition_expression() : condition_expression(*std::move(parts));
}

std::optional<planned_write> write_in(const attribute_map& map) {
    planned_write write;
    const auto* kind = member<std::string>(map, "kind");
    if (!kind || kind->size() != 1 || std::string_view("UIDL").find(kind->front()) == std::string_view::npos) {
        return std::nullopt;
    }
    write.kind = static_cast<mark_kind>(kind->front());
    for (const auto& [which, name] : clause_names) {
        if (!map.contains(name)) continue;
        const auto* actions = member<attribute_list>(map, name);
        if (!actions) return std::nullopt;
        for (const auto& action : *actions) {
            const auto* list = action.get_if<attribute_list>();
            auto parts = list ? fragments_in(*list) : std::nullopt;
            if (!parts || parts->empty()) return std::nullopt;
            write.change += update_expression(which, *std::move(parts));
        }
    }
    if (map.contains("if")) {
        auto demand = demand_in(map);
        if (!demand || demand->empty()) return std::nullopt;
        write.demand = *std::move(demand);
    }
    if (const auto* whole = member<attribute_map>(map, "item")) write.whole = *whole;
    return write;
}

std::optional<guarded_table> table_in(const attribute_map& map) {
    const auto* name = member<std::string>(map, "name");
    const auto* key = member<std::string>(map, "key");
    if (!name || !key) return std::nullopt;
    guarded_table on{.layout = {.table = *name, .key = *key}};
    auto& layout = on.layout;
    for (const auto& [from, into] : {std::pair<std::string_view, std::string*>{"sort", &layout.sort},
                                     {"stamp", &layout.stamp},
                                     {"lock", &layout.lock_prefix},
                                     {"version", &layout.version}}) {
        if (const auto* text = member<std::string>(map, from)) *into = *text;
    }
    on.versioned = map.contains("version");
    if (!on.versioned) return on;
    for (const auto& [from, into] : {std::pair<std::string_view, std::int64_t*>{"first", &layout.first_version},
                                     {"step", &layout.step},
                                     {"limit", &layout.version_limit}}) {
        const auto value = find_integer(map, from);
        if (!value) return std::nullopt;
        *into = *value;
    }
    return on;
}

std::optional<item_sight> sight_in(const attribute_value& value) {
    const auto* map = value.get_if<attribute_map>();
    if (!map) return std::nullopt;
    item_sight seen{.absent = map->contains("absent")};
    if (const auto* bytes = find(*map, "stamp")) {
        seen.stamp = stamp_in(*bytes);
        if (!seen.stamp) return std::nullopt;
    }
    if (map->contains("version")) {
        seen.version = find_integer(*map, "version");
        if (!seen.version) return std::nullopt;
    }
    return seen;
}

std::optional<planned_item> item_in(const attribute_value& value) {
    const auto* map = value.get_if<attribute_map>();
    const auto* on = map ? member<attribute_map>(*map, "table") : nullptr;
    const auto* key = map ? member<attribute_map>(*map, "key") : nullptr;
    const auto* writes = map ? member<attribute_list>(*map, "writes") : nullptr;
    if (!on || !key || !writes || key->empty() || writes->empty()) return std::nullopt;
    auto table = table_in(*on);
    if (!table) return std::nullopt;
    planned_item planned{.on = *std::move(table), .key = *key, .writes = {}};
    if (const auto* sight = find(*map, "seen")) {
        planned.seen = sight_in(*sight);
        if (!planned.seen) return std::nullopt;
    }
    for (const auto& each : *writes) {
        const auto* attributes = each.get_if<attribute_map>();
        auto write = attributes ? write_in(*attributes) : std::nullopt;
        if (!write) return std::nullopt;
        planned.writes.push_back(*std::move(write));
    }
    return planned;
}

std::optional<planned_check> check_in(const attribute_value& value) {
    const auto* map = value.get_if<attribute_map>();
    const auto* on = map ? member<attribute_map>(*map, "table") : nullptr;
    const auto* key = map ? member<attribute_map>(*map, "key") : nullptr;
    if (!on || !key || key->empty()) return std::nullopt;
    auto table = table_in(*on);
    if (!table) return std::nullopt;
    planned_check check{.on = *std::move(table), .key = *key};
    if (const auto* sight = find(*map, "seen")) {
        check.seen = sight_in(*sight);
        if (!check.seen) return std::nullopt;
    }
    if (map->contains("if")) {
        check.demand = demand_in(*map);
        if (!check.demand) return std::nullopt;
    }
    if (!check.seen && !check.demand) return std::nullopt;
    return check;
}

failure not_ours() {
    failure why(errc::corrupt_row);
    why.details.message = "the writes of a transaction are not as this library stores them";
    return why;
}

}  // namespace

attribute_list stored(const std::vector<planned_item>& items) {
    attribute_list list;
    for (const auto& planned : items) {
        attribute_list writes;
        for (const auto& write : planned.writes) writes.emplace_back(stored(write));
        attribute_map map{{"table", stored(planned.on)}, {"key", planned.key}, {"writes", std::move(writes)}};
        if (planned.seen) map.emplace("seen", stored(*planned.seen));
        list.emplace_back(std::move(map));
    }
    return list;
}

result<std::vector<planned_item>> planned_in(const attribute_list& writes) {
    std::vector<planned_item> items;
    for (const auto& each : writes) {
        auto planned = item_in(each);
        if (!planned) return not_ours();
        items.push_back(*std::move(planned));
    }
    return items;
}

stored_plan stored(const transaction_plan& plan) {
    // What it will write, its own process alone knows.
    stored_plan kept{.writes = stored(plan.items), .fenced = plan.holds};
    for (const auto& each : plan.checks) {
        if (each.fence) {
            kept.fenced = true;
        } else {
            attribute_map map{{"table", stored(each.on)}, {"key", each.key}};
            if (each.seen) map.emplace("seen", stored(*each.seen));
            if (each.demand) map.emplace("if", stored(each.demand->parts()));
            kept.checks.emplace_back(std::move(map));
        }
    }
    return kept;
}

result<transaction_plan> plan_in(const transaction_header& header) {
    auto items = planned_in(header.writes);
    if (!items) return std::move(items).error();
    transaction_plan plan{.name = header.name, .born = header.born, .items = *std::move(items)};
    for (const auto& each : header.checks) {
        auto check = check_in(each);
        if (!check) return not_ours();
        plan.checks.push_back(*std::move(check));
    }
    return plan;
}

}  // namespace dynalease::protocol
