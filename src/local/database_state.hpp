// What the engine keeps between requests, and how a request finds its table.
#pragma once

#include "local/expression/cache.hpp"
#include "local/table.hpp"
#include "local/token_memory.hpp"

#include <chrono>
#include <map>
#include <string>
#include <string_view>

namespace dynalease::local {

struct database_state {
    std::map<std::string, table, std::less<>> tables;
    expression::caches expressions;
    token_memory tokens;

    /// By name or by ARN; without what has expired. Refuses names that no table can have, and tables that are not.
    table& table_named(std::string_view name_or_arn, std::chrono::sys_seconds now);
};

/// Refuses a name that is not 3 to 255 of letters, digits, '_', '.' and '-'.
void check_table_name(std::string_view name);

}  // namespace dynalease::local
