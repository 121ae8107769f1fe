// The texts of versioned writes.
// SPDX-License-Identifier: BSL-1.0
#include "versioned/protocol/version_requests.hpp"

#include <dynalease/dynamodb/expression.hpp>

#include <map>
#include <utility>

namespace dynalease::protocol {

namespace {

void set_members(update_item_request& request, const member_changes& changes) {
    std::size_t count = 0;
    for (const auto& [name, value] : changes.set) {
        const auto number = "m" + std::to_string(count++);
        request.update_expression += ", #" + number + " = :" + number;
        request.names.emplace("#" + number, name);
        request.values.emplace(":" + number, value);
    }
}

/// Placeholders of places inside of attributes: one for each name, wherever it stands.
class inner_paths {
public:
    explicit inner_paths(attribute_names& names) : names_(names) {}

    std::string operator()(const inner_place& place) {
        std::string text;
        for (const auto& name : place) {
            const auto [known, is_new] = placeholders_.try_emplace(name, "#p" + std::to_string(placeholders_.size()));
            if (is_new) names_.emplace(known->second, name);
            if (!text.empty()) text += '.';
            text += known->second;
        }
        return text;
    }

private:
    attribute_names& names_;
    std::map<std::string, std::string> placeholders_;
};

/// Sets what is set there, and demands the maps that it takes.
/// @returns the paths of what goes
std::string change_inside(update_item_request& request, const std::vector<inner_change>& changes) {
    inner_paths paths(request.names);
    std::string removed;
    std::size_t count = 0;
    for (const auto& [place, value] : changes) {
        if (!value) {
            if (!removed.empty()) removed += ", ";
            removed += paths(place);
            continue;
        }
        const auto placeholder = ":p" + std::to_string(count++);
        request.update_expression += ", " + paths(place) + " = " + placeholder;
        request.values.emplace(placeholder, *value);
    }
    for (const auto& map : maps_needed(changes)) {
        request.condition_expression += " AND attribute_type(" + paths(map) + ", :map)";
        request.values.insert_or_assign(":map", "M");
    }
    return removed;
}

/// @param also further placeholders to remove.
void remove_members(update_item_request& request, const member_changes& changes, std::string_view also = {}) {
    std::string list(also);
    std::size_t count = 0;
    for (const auto& name : changes.remove) {
        const auto placeholder = "#r" + std::to_string(count++);
        if (!list.empty()) list += ", ";
        list += placeholder;
        request.names.emplace(placeholder, name);
    }
    if (!list.empty()) request.update_expression += " REMOVE " + list;
}

std::string_view lock_test(bool ignore_lock) {
    return ignore_lock ? not_in_transaction : unlocked;
}

}  // namespace

update_item_request version_requests::draft(const item_key& key) const {
    return {.table_name = layout_.table, .key = key, .current_on_refusal = true};
}

void version_requests::complete(update_item_request& request) const {
    keep_used_names(layout_, request.names, request.update_expression, request.condition_expression);
}

std::string version_requests::identity(const checked_write& write, attribute_values& values) const {
    const auto& base = write.base;
    std::string text = "attribute_exists(#k) AND attribute_not_exists(#ver)";
    if (base.version) {
        text = "#ver = :n";
        values.emplace(":n", *base.version);
    }
    if (base.born) {
        text += " AND #born = :b";
        values.emplace(":b", bytes_of(*base.born));
    } else {
        // Nothing else tells two lives of such an item apart.
        text += " AND attribute_not_exists(#born)";
        if (write.knows_stamps) text += base.stamp ? " AND #stamp = :s" : " AND attribute_not_exists(#stamp)";
        if (write.knows_stamps && base.stamp) values.emplace(":s", bytes_of(*base.stamp));
    }
    // The base may have come from who goes by another name: as a revision does, or a row without that attribute.
    return text + " AND " + goes_by_name(layout_, values);
}

std::string version_requests::guard(const checked_write& write, attribute_values& values) const {
    return identity(write, values) + " AND " + std::string(lock_test(write.ignore_lock));
}

std::string version_requests::stamping(const checked_write& write, attribute_values& values) const {
    values.emplace(":n1", write.target);
    if (layout_.stamps || !write.base.born) values.emplace(":m", bytes_of(write.mine));
    std::string text = "SET #ver = :n1";
    if (layout_.names_version()) {
        text += ", #by = :by";
        values.emplace(":by", layout_.version);
    }
    if (layout_.stamps && write.knows_stamps) {
        text += ", #stamp = :m, #trail = :tr";
        values.emplace(":tr", bytes_of(pushed_trail(write.base)));
    } else if (layout_.stamps) {
        text += ", #stamp = :m, #trail = if_not_exists(#stamp, :none)";
        values.emplace(":none", binary{});
    }
    if (!write.base.born) text += ", #born = :m";  // adopts it
    return text;
}

/// Without stamps, those of writes before would be taken for those of this one.
std::string_view version_requests::outdated() const {
    return layout_.stamps ? "" : "#stamp, #trail";
}

std::string version_requests::own_stamp_absent() const {
    return " AND (attribute_not_exists(#stamp) OR #stamp <> :m) AND "
           "(attribute_not_exists(#trail) OR NOT contains(#trail, :m))";
}

get_item_request version_requests::look(const item_key& key, bool consistent) const {
    return {.table_name = layout_.table, .key = key, .consistent_read = consistent};
}

put_item_request version_requests::create(const item& members, const item_stamp& mine) const {
    put_item_request request{.table_name = layout_.table,
                             .new_item = members,
                             .condition_expression = "attribute_not_exists(#k)",
                             .current_on_refusal = true};
    request.new_item.insert_or_assign(layout_.version, layout_.first_version);
    if (layout_.names_version()) request.new_item.insert_or_assign(item_attribute::versioned_by, layout_.version);
    request.new_item.insert_or_assign(item_attribute::born, bytes_of(mine));
    if (layout_.stamps) request.new_item.insert_or_assign(layout_.stamp, bytes_of(mine));
    keep_used_names(layout_, request.names, {}, request.condition_expression);
    return request;
}

update_item_request version_requests::create_over(const item_key& key, const checked_write& write,
                                                  const member_changes& changes) const {
    auto request = draft(key);
    request.condition_expression = identity(write, request.values) + " AND attribute_exists(#gone)";
    request.update_expression = stamping(write, request.values);
    set_members(request, changes);
    // A member may have the name of the attribute that let TTL remove the tombstone.
    const bool sets_ttl = changes.set.contains(layout_.time_to_live);
    auto others = changes;
    std::erase(others.remove, layout_.time_to_live);
    std::string also = sets_ttl ? "#gone" : "#gone, #ttl";
    if (!layout_.stamps) also += ", " + std::string(outdated());
    remove_members(request, others, also);
    complete(request);
    return request;
}

put_item_request version_requests::create_in_place(const checked_write& write, const item& tombstone,
                                                   item whole) const {
    put_item_request request{.table_name = layout_.table, .new_item = std::move(whole), .current_on_refusal = true};
    request.condition_expression = identity(write, request.values) + " AND attribute_exists(#gone)";
    for (const auto& [letter, name] : {std::pair<std::string, std::string>{"W", layout_.writer()},
                                       {"R", layout_.readers()},
                                       {"I", layout_.intent()},
                                       {"F", layout_.floor()},
                                       {"tx", item_attribute::transaction}}) {
        const auto* seen = find(tombstone, name);
        request.condition_expression +=
            seen ? " AND #" + letter + " = :" + letter : " AND attribute_not_exists(#" + letter + ")";
        if (seen) request.values.emplace(":" + letter, *seen);
    }
    keep_used_names(layout_, request.names, {}, request.condition_expression);
    return request;
}

update_item_request version_requests::save(const item_key& key, const checked_write& write,
                                           const member_changes& changes) const {
    auto request = draft(key);
    request.condition_expression = guard(write, request.values);
    request.update_expression = stamping(write, request.values);
    set_members(request, changes);
    auto also = change_inside(request, changes.inside);
    if (!also.empty() && !outdated().empty()) also += ", ";
    also += outdated();
    remove_members(request, changes, also);
    complete(request);
    // Without the item before, the one after must be asked for.
    if (!write.knows_stamps) request.returned = return_values::all_new;
    return request;
}

delete_item_request version_requests::erase(const item_key& key, const checked_write& write) const {
    delete_item_request request{.table_name = layout_.table, .key = key, .current_on_refusal = true};
    request.condition_expression = guard(write, request.values);
    keep_used_names(layout_, request.names, {}, request.condition_expression);
    return request;
}

update_item_request version_requests::bury(const item_key& key, const checked_write& write,
                                           const member_changes& changes, std::int64_t expiry) const {
    auto request = draft(key);
    request.condition_expression = guard(write, request.values);
    request.update_expression = stamping(write, request.values) + ", #gone = :true, #ttl = :t";
    request.values.emplace(":true", true);
    request.values.emplace(":t", expiry);
    auto others = changes;
    std::erase(others.remove, layout_.time_to_live);
    remove_members(request, others, outdated());
    complete(request);
    return request;
}

update_item_request version_requests::clear(const item_key& key, const checked_write& write,
                                            const std::vector<std::string>& names) const {
    auto request = draft(key);
    request.condition_expression = "attribute_exists(#gone) AND #ver = :n1";
    request.values.emplace(":n1", write.target);
    if (write.base.born) {
        request.condition_expression += " AND #born = :b";
        request.values.emplace(":b", bytes_of(*write.base.born));
    }
    remove_members(request, {.set = {}, .remove = names});
    request.update_expression.erase(0, 1);
    complete(request);
    return request;
}

update_item_request version_requests::blind(const item_key& key, const update_expression& change,
                                            const item_stamp& mine, bool ignore_lock) const {
    auto request = draft(key);
    request.condition_expression = "attribute_exists(#k) AND " + goes_by_name(layout_, request.values) + " AND " +
                                   std::string(lock_test(ignore_lock));
    if (layout_.stamps) {
        request.values.emplace(":m", bytes_of(mine));
        request.condition_expression += own_stamp_absent();
    }
    request.condition_expression += " AND (attribute_not_exists(#ver) OR #ver <= :top)";
    request.values.emplace(":top", layout_.version_limit - layout_.step);
    complete(request);
    apply(request, change + raised_version(layout_, mine));
    request.returned = return_values::all_new;
    return request;
}

update_item_request version_requests::clobber(const item_key& key, const member_changes& changes,
                                              const item_stamp& mine, bool ignore_lock, bool may_create) const {
    update_expression all;
    for (const auto& [name, value] : changes.set) all += set(name, value);
    for (const auto& name : changes.remove) all += remove(name);
    // Whatever life the item is in stays; one without a birth is adopted.
    all += set(item_attribute::born, if_not_exists(item_attribute::born, bytes_of(mine)));
    auto request = blind(key, all, mine, ignore_lock);
    if (may_create) {
        request.condition_expression.erase(0, std::string_view("attribute_exists(#k) AND ").size());
        complete(request);
    }
    return request;
}

delete_item_request version_requests::clobber_erase(const item_key& key, bool ignore_lock) const {
    delete_item_request request{.table_name = layout_.table, .key = key, .current_on_refusal = true};
    request.condition_expression = lock_test(ignore_lock);
    keep_used_names(layout_, request.names, {}, request.condition_expression);
    return request;
}

condition_check version_requests::check(const item_key& key, const checked_write& write) const {
    attribute_values values;
    condition_check request{.table_name = layout_.table,
                            .key = key,
                            .condition_expression = guard(write, values),
                            .current_on_refusal = true};
    request.values = std::move(values);
    keep_used_names(layout_, request.names, {}, request.condition_expression);
    return request;
}

}  // namespace dynalease::protocol
