// The service's own rule for the names of tables.
// SPDX-License-Identifier: BSL-1.0
#include "database/table_name.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace dynalease::detail {

std::optional<failure> malformed_table_name(const std::string& name) {
    const auto allowed = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.'; };
    if (name.size() >= 3 && name.size() <= 255 && std::all_of(name.begin(), name.end(), allowed)) return {};
    failure why(errc::invalid_name);
    why.details.message = "the table name '" + name + "' must have 3 to 255 characters of A-Z a-z 0-9 _ - .";
    return why;
}

void check_table_name(const std::string& name) {
    auto why = malformed_table_name(name);
    if (!why) return;
    why->details.operation = "table";
    throw error(errc::invalid_name, std::move(why->details));
}

}  // namespace dynalease::detail
