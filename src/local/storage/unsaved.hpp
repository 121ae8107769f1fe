// What of the tables differs from what is kept of them elsewhere.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "local/storage/key.hpp"

#include <map>
#include <set>
#include <string>

namespace dynalease::local {

/// By name. Where a table was deleted there may be another of its name.
struct unsaved {
    std::set<std::string> deleted_tables{};
    std::set<std::string> tables{};  ///< made, or set in another way
    std::map<std::string, std::set<row_key>> rows{};
    std::set<std::string> tokens{};

    bool empty() const noexcept { return deleted_tables.empty() && tables.empty() && rows.empty() && tokens.empty(); }
};

}  // namespace dynalease::local
