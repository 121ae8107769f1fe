// Looking for `key.member` and `key[0]`.
// SPDX-License-Identifier: BSL-1.0
#include "local/operations/key_paths.hpp"

#include "dynamodb/key_parts.hpp"
#include "local/expression/paths.hpp"
#include "local/values/refusal.hpp"

namespace dynalease::local {

namespace {

[[noreturn]] void refuse_nested(const char* what, std::string_view attribute) {
    refuse(std::string("Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: ") +
           what + ": " + std::string(attribute));
}

}  // namespace

bool is_part_of(const key_schema& schema, std::string_view attribute) {
    bool is_part = false;
    each_part(schema, [&](const key_attribute& each) { is_part = is_part || each.name == attribute; });
    return is_part;
}

void refuse_nested_keys(const expression::path& path, const expression::bindings& bound, const table& of) {
    if (path.size() == 1) return;
    const std::string_view head = bound.name(path.front());
    if (is_part_of(of.key(), head)) refuse_nested("Key", head);
    for (const table_index& index : of.indexes()) {
        if (is_part_of(index.key(), head)) refuse_nested("IndexKey", head);
    }
}

void refuse_nested_keys(const expression::projection& paths, const expression::bindings& bound, const table& of) {
    for (const expression::path& path : paths) refuse_nested_keys(path, bound, of);
}

void refuse_nested_keys(const expression::condition& tree, const expression::bindings& bound, const table& of) {
    expression::each_path(tree, [&](const expression::path& path) { refuse_nested_keys(path, bound, of); });
}

void refuse_nested_keys(const expression::update& tree, const expression::bindings& bound, const table& of) {
    refuse_nested_keys(tree.targets, bound, of);
    const auto check = [&](const expression::path& path) { refuse_nested_keys(path, bound, of); };
    for (const expression::set_action& action : tree.set) expression::each_path(action.value, check);
}

}  // namespace dynalease::local
