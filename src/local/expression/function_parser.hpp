// Function calls, common to conditions and updates.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "local/expression/tree.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

namespace dynalease::local::expression {

std::optional<function> function_named(std::string_view name) noexcept;

/// True for those that answer yes or no and so cannot stand where a value is wanted.
bool is_test(function function) noexcept;

/// Refuses a call with a wrong number of arguments.
void check_count(function function, const std::vector<operand>& arguments);
/// Refuses a value where only a path makes sense.
void check_path_wanted(function function, const std::vector<operand>& arguments);

}  // namespace dynalease::local::expression
