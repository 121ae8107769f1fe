// Looking for `key.member` and `key[0]`.
#include "local/key_paths.hpp"

#include "local/refusal.hpp"

namespace dynalease::local {

namespace {

bool is_part_of(const key_schema& schema, std::string_view attribute) {
    return attribute == schema.hash.name || (schema.range && attribute == schema.range->name);
}

[[noreturn]] void refuse_nested(const char* what, std::string_view attribute) {
    refuse(std::string("Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: ") +
           what + ": " + std::string(attribute));
}

}  // namespace

void refuse_nested_keys(const expression::projection& paths, const expression::bindings& bound, const table& of) {
    for (const expression::path& path : paths) {
        if (path.size() == 1) continue;
        const std::string_view head = bound.name(path.front());
        if (is_part_of(of.key(), head)) refuse_nested("Key", head);
        for (const table_index& index : of.indexes()) {
            if (is_part_of(index.key(), head)) refuse_nested("IndexKey", head);
        }
    }
}

}  // namespace dynalease::local
