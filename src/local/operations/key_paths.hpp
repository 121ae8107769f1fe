// Paths into key attributes, which are scalars and have no inside.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "local/expression/bindings.hpp"
#include "local/storage/table.hpp"

namespace dynalease::local {

/// Whether it is an attribute of the key.
bool is_part_of(const key_schema& schema, std::string_view attribute);

/// Refuses a path that goes on behind a key attribute of the table or of one of its indexes.
void refuse_nested_keys(const expression::path& path, const expression::bindings& bound, const table& of);
void refuse_nested_keys(const expression::projection& paths, const expression::bindings& bound, const table& of);
void refuse_nested_keys(const expression::condition& tree, const expression::bindings& bound, const table& of);
void refuse_nested_keys(const expression::update& tree, const expression::bindings& bound, const table& of);

}  // namespace dynalease::local
