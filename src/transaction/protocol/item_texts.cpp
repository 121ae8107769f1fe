// Names, clauses and conditions of requests about items.
// SPDX-License-Identifier: BSL-1.0
#include "transaction/protocol/item_texts.hpp"

#include "item/protocol/item_state.hpp"

#include <utility>

namespace dynalease::protocol {

attribute_names names_in_texts(const item_layout& layout) {
    return {{"#k", layout.key},
            {"#ver", layout.version},
            {"#by", item_attribute::versioned_by},
            {"#born", item_attribute::born},
            {"#stamp", layout.stamp},
            {"#trail", item_attribute::trail},
            {"#gone", item_attribute::gone},
            {"#W", layout.writer()},
            {"#R", layout.readers()},
            {"#tx", mark_attribute::owner},
            {"#before", mark_attribute::before},
            {"#kind", mark_attribute::kind},
            {"#write", mark_attribute::write},
            {"#name", mark_attribute::stamp_name},
            {"#next", next_version_name(layout.version)}};
}

// ---- clauses -----------------------------------------------------------------------------------------------

void update_clauses::add(std::string& list, const std::string& text) {
    if (!list.empty()) list += ", ";
    list += text;
}

std::string update_clauses::name(const std::string& attribute) {
    return names_.render(path(attribute).parts());
}

void update_clauses::apply(const update_expression& change) {
    using kind = update_expression::clause;
    for (const auto& [clause, list] : {std::pair<kind, std::string*>{kind::set, &sets_},
                                       {kind::remove, &removes_},
                                       {kind::add, &adds_},
                                       {kind::delete_from, &deletes_}}) {
        for (const auto& action : change.actions(clause)) add(*list, names_.render(action));
    }
}

std::string update_clauses::text() const {
    std::string text;
    for (const auto& [keyword, list] : {std::pair<std::string_view, const std::string&>{"SET ", sets_},
                                        {"REMOVE ", removes_},
                                        {"ADD ", adds_},
                                        {"DELETE ", deletes_}}) {
        if (list.empty()) continue;
        if (!text.empty()) text += ' ';
        text += keyword;
        text += list;
    }
    return text;
}

// ---- conditions --------------------------------------------------------------------------------------------

std::string same_stamp(const guarded_table& on, const item_sight& seen, attribute_values& values) {
    std::string text = seen.stamp ? " AND #stamp = :seen" : " AND attribute_not_exists(#stamp)";
    if (seen.stamp) values.emplace(":seen", bytes_of(*seen.stamp));
    if (!on.versioned) return text;
    if (!seen.stamp) text += " AND " + goes_by_name(on.layout, values);
    text += seen.version ? " AND #ver = :version" : " AND attribute_not_exists(#ver)";
    if (seen.version) values.emplace(":version", *seen.version);
    return text;
}

std::string free_item(const guarded_table& on, mark_kind kind, const std::optional<item_sight>& seen,
                      attribute_values& values) {
    // What is left of another mark would be taken for a part of this one.
    auto text = "attribute_exists(#k) AND " + std::string(unlocked) + " AND attribute_not_exists(#before)";
    if (!on.versioned) {
        text += " AND attribute_not_exists(#born)";
    } else if (kind == mark_kind::updated) {
        text += " AND (attribute_not_exists(#ver) OR #ver <= :top)";
        values.emplace(":top", on.layout.version_limit - on.layout.step);
        if (!seen) text += " AND " + goes_by_name(on.layout, values);
    }
    if (!seen) {
        // A lock moves the stamp: what is none could not be told from one, nor be given back.
        text += " AND (attribute_not_exists(#stamp) OR (attribute_type(#stamp, :binary) AND size(#stamp) = :bytes))";
        values.emplace(":binary", "B");
        values.emplace(":bytes", static_cast<std::int64_t>(item_stamp{}.size()));
        return text;
    }
    // Only an insert can be made where nothing was: any other write is refused.
    return text + (seen->absent ? " AND attribute_not_exists(#k)" : same_stamp(on, *seen, values));
}

void name_lock(const item_mark& mark, attribute_values& values) {
    values.emplace(":tx", mark.owner.text());
    values.emplace(":held", bytes_of(mark.lock.stamp));
    values.emplace(":before", mark.lock.before ? bytes_of(*mark.lock.before) : no_stamp());
}

void raise_version(const item_layout& layout, std::string_view trail, update_clauses& text, attribute_values& values) {
    values.emplace(":base", layout.first_version - layout.step);
    values.emplace(":step", layout.step);
    text.set("#ver = if_not_exists(#ver, :base) + :step, #trail = " + std::string(trail));
    if (!layout.names_version()) return;
    values.emplace(":by", layout.version);
    text.set("#by = :by");
}

// ---- items -------------------------------------------------------------------------------------------------

item made_item(const guarded_table& on, const planned_write& insert) {
    const auto& layout = on.layout;
    auto made = insert.whole;
    made.insert_or_assign(layout.stamp, bytes_of(insert.stamp));
    if (!on.versioned) return made;
    // Should it be undone, no other item will ever have this birth: its version may be seen.
    made.insert_or_assign(item_attribute::born, bytes_of(insert.stamp));
    made.insert_or_assign(layout.version, layout.first_version);
    if (layout.names_version()) made.insert_or_assign(item_attribute::versioned_by, layout.version);
    return made;
}

std::string token_of(const item_stamp& stamp, std::string_view form) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const auto byte : stamp) {
        text += digits[std::to_integer<std::size_t>(byte >> 4)];
        text += digits[std::to_integer<std::size_t>(byte & std::byte{15})];
    }
    text += form;
    return text;
}

}  // namespace dynalease::protocol
