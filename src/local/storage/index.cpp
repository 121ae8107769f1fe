// Keeping an index, and what it shows of an item.
// SPDX-License-Identifier: BSL-1.0
#include "local/storage/index.hpp"

#include "dynamodb/key_parts.hpp"
#include "dynamodb/value_size.hpp"
#include "local/storage/capacity.hpp"
#include "local/storage/hash_order.hpp"
#include "local/storage/table.hpp"
#include "local/values/refusal.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::local {

namespace {

/// What was there before the index may have a value that no key can have: then the item is not in it.
bool has_key(const key_schema& schema, const item& whole) {
    bool has_all = true;
    each_part(schema, [&](const key_attribute& attribute) {
        const auto* value = has_all ? find(whole, attribute.name) : nullptr;
        has_all = value && has_type(*value, attribute.type) && !is_empty(*value);
    });
    return has_all && !is_too_long(hash_bytes(schema, whole), true) && !is_too_long(range_bytes(schema, whole), false);
}

void check_index_part(const secondary_index& index, const key_attribute& attribute, const item& whole) {
    const auto* value = find(whole, attribute.name);
    if (!value) return;
    if (!has_type(*value, attribute.type)) {
        refuse("One or more parameter values were invalid: Type mismatch for Index Key " + attribute.name +
               " Expected: " + std::string(name_of(attribute.type)) + " Actual: " + std::string(value->type_name()) +
               " IndexName: " + index.name);
    }
    if (is_empty(*value)) {
        refuse_whole_request(
            "One or more parameter values are not valid. A value specified for a secondary index key is not supported. "
            "The AttributeValue for a key attribute cannot contain an empty " +
            std::string(attribute.type == scalar_type::s ? "string" : "binary") + " value. IndexName: " + index.name +
            ", IndexKey: " + attribute.name);
    }
}

}  // namespace

index_key::index_key(row_key index, row_key table) : at(std::move(index)), row(std::move(table)) {
    if (!row.hash.empty()) row.slot = hash_order(row.hash, row.range);
}

std::size_t item_change::size(const std::string& name) {
    const auto [known, first] = sizes_.try_emplace(name, 0);
    if (!first) return known->second;
    if (const auto* value = find(*after_, name)) known->second = name.size() + value_size(*value);
    return known->second;
}

bool item_change::is_same() {
    if (!same_) same_ = *before_ == *after_;
    return *same_;
}

bool item_change::is_same(const std::string& name) {
    const auto [known, first] = same_parts_.try_emplace(name, true);
    if (!first) return known->second;
    const auto* left = find(*before_, name);
    const auto* right = find(*after_, name);
    known->second = left && right ? *left == *right : left == right;
    return known->second;
}

table_index::table_index(secondary_index definition, const key_schema& table_key, bool is_global)
    : definition_(std::move(definition)), is_global_(is_global) {
    for (const key_schema* schema : {&table_key, &std::as_const(definition_.key)}) {
        each_part(*schema, [this](const key_attribute& each) { projected_.insert(each.name); });
    }
    if (definition_.projected == projection::include) {
        projected_.insert(definition_.included.begin(), definition_.included.end());
    }
}

index_description table_index::describe() const {
    index_description result;
    static_cast<secondary_index&>(result) = definition_;
    if (is_global_) {
        result.status = "ACTIVE";
        // The service gives zeros for what is billed per request.
        if (!result.provisioned) result.provisioned.emplace();
    }
    result.item_count = static_cast<std::int64_t>(entries_.size());
    result.size_bytes = static_cast<std::int64_t>(bytes_);
    return result;
}

void table_index::check(const item& whole) const {
    const auto check_part = [&](const key_attribute& each) { check_index_part(definition_, each, whole); };
    each_hash(key(), check_part);
    check_key_length(hash_bytes(key(), whole), true);
    each_range(key(), check_part);
    check_key_length(range_bytes(key(), whole), false);
}

std::optional<row_key> table_index::place(const item& whole) const {
    if (!has_key(key(), whole)) return std::nullopt;
    return encode_key(key(), whole);
}

void table_index::add(const row_key& where, const row& held) {
    item_change made(nullptr, &held.attributes, held.size);
    insert(entry_of(where, held, made));
}

/// Empty for a row that lacks the key.
table_index::entries::node_type table_index::entry_of(const row_key& where, const row& held, item_change& of) const {
    auto at = place(held.attributes);
    if (!at) return {};
    entries made;
    made.emplace(index_key{*std::move(at), where}, index_entry{&held, size_afterwards(of)});
    return made.extract(made.begin());
}

table_index::entries::iterator table_index::find(const row_key& where, const row& held) {
    auto at = place(held.attributes);
    return at ? entries_.find(index_key{*std::move(at), where}) : entries_.end();
}

void table_index::insert(entries::node_type entry) noexcept {
    if (!entry) return;
    bytes_ += entry.mapped().size;
    entries_.insert(std::move(entry));
}

void table_index::erase(entries::iterator entry) noexcept {
    if (entry == entries_.end()) return;
    bytes_ -= entry->second.size;
    entries_.erase(entry);
}

bool table_index::projects(std::string_view attribute) const {
    return projects_all() || projected_.contains(attribute);
}

item table_index::projected(const item& whole) const {
    if (projects_all()) return whole;
    item part;
    for (const auto& name : projected_) {
        if (const auto found = whole.find(name); found != whole.end()) part.insert(*found);
    }
    return part;
}

std::size_t table_index::size_afterwards(item_change& of) const {
    if (projects_all()) return of.size();
    std::size_t sum = 0;
    for (const auto& name : projected_) sum += of.size(name);
    return sum;
}

bool table_index::is_same_part(item_change& of) const {
    return projects_all() ? of.is_same()
                          : std::ranges::all_of(projected_, [&](const std::string& name) { return of.is_same(name); });
}

double table_index::write_units(const row_key& where, item_change& of) const {
    const auto old_place = of.before() ? place(*of.before()) : std::nullopt;
    const auto new_place = of.after() ? place(*of.after()) : std::nullopt;
    if (!old_place && !new_place) return 0;
    const double old_units = local::write_units(old_place ? entries_.at({*old_place, where}).size : 0);
    const double new_units = local::write_units(new_place ? size_afterwards(of) : 0);
    if (!old_place) return new_units;
    if (!new_place) return old_units;
    if (*old_place != *new_place) return old_units + new_units;  // removed there, written here
    if (is_same_part(of)) return 0;
    return std::max(old_units, new_units);
}

}  // namespace dynalease::local
