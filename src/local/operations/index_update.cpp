// Types of index keys in updates, before and after the item is known.
// SPDX-License-Identifier: BSL-1.0
#include "local/operations/index_update.hpp"

#include "dynamodb/key_parts.hpp"
#include "local/values/refusal.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace dynalease::local {

namespace {

/// The type of a right-hand side whatever the item; empty where the item decides.
std::string_view type_of(const expression::operand& of, const expression::bindings& bound) {
    if (const auto* placeholder = std::get_if<expression::value_placeholder>(&of.what)) {
        return bound.value(*placeholder).type_name();
    }
    if (std::holds_alternative<expression::arithmetic>(of.what)) return "N";
    const auto* function = std::get_if<expression::call>(&of.what);
    return function && function->function == expression::function::list_append ? "L" : std::string_view{};
}

template <class Visit>
void each_index_key(const table& of, std::string_view attribute, const Visit& visit) {
    for (const table_index& index : of.indexes()) {
        each_part(index.key(), [&](const key_attribute& part) {
            if (part.name == attribute) visit(index, part);
        });
    }
}

void refuse_empty_key(const attribute_value& value) {
    if (!value.is<std::string>() && !value.is<binary>()) return;
    if (!is_empty(value)) return;
    refuse_whole_request(
        "One or more parameter values are not valid. The update expression attempted to update a secondary index key "
        "to a value that is not supported. The AttributeValue for a key attribute cannot contain an empty " +
        std::string(value.is<std::string>() ? "string" : "binary") + " value.");
}

}  // namespace

void check_index_types(const expression::update& tree, const expression::bindings& bound, const table& of) {
    const auto writes = [&](const expression::path& target, const key_attribute& part) {
        return target.size() == 1 && bound.name(target.front()) == part.name;
    };
    const auto check = [](const table_index& index, const key_attribute& part, std::string_view type) {
        if (type.empty() || type == name_of(part.type)) return;
        refuse("One or more parameter values were invalid: Type mismatch for Index Key " + part.name + " Expected: " +
               std::string(name_of(part.type)) + " Actual: " + std::string(type) + " IndexName: " + index.name());
    };
    for (const table_index& index : of.indexes()) {
        each_part(index.key(), [&](const key_attribute& part) {
            for (const auto& action : tree.set) {
                if (!writes(action.target, part)) continue;
                check(index, part, type_of(action.value, bound));
                const auto* placeholder = std::get_if<expression::value_placeholder>(&action.value.what);
                if (placeholder) refuse_empty_key(bound.value(*placeholder));
            }
            for (const auto& action : tree.add) {
                if (writes(action.target, part)) check(index, part, bound.value(action.value).type_name());
            }
        });
    }
}

void check_updated_indexes(const expression::projection& targets, const expression::bindings& bound, const table& of,
                           const item& after) {
    if (of.indexes().empty()) return;
    for (const expression::path& target : targets) {
        const std::string_view name = bound.name(target.front());
        const auto* value = find(after, name);
        if (!value) continue;
        each_index_key(of, name, [&](const table_index&, const key_attribute& part) {
            if (!has_type(*value, part.type)) {
                refuse("The update expression attempted to update the secondary index key to unsupported type");
            }
            refuse_empty_key(*value);
        });
    }
}

}  // namespace dynalease::local
