// What the engine keeps between requests, and how a request finds its table.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "local/expression/cache.hpp"
#include "local/operations/fault_source.hpp"
#include "local/storage/table.hpp"
#include "local/storage/token_memory.hpp"
#include "local/storage/unsaved.hpp"
#include "local/storage/work_in_progress.hpp"
#include "local/values/allowance.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace dynalease::local {

struct database_state {
    std::map<std::string, table, std::less<>> tables;
    expression::caches expressions;
    token_memory tokens;
    work_in_progress work;
    fault_source faults;
    allowance allowed;                    ///< of the request that is being carried out
    std::optional<unsaved> changed = {};  ///< only where the tables are kept elsewhere, too

    /// By name or by ARN; without what has expired. Refuses names that no table can have, and tables that are not.
    table& table_named(std::string_view name_or_arn, std::chrono::sys_seconds now);
    /// The same, in the words for requests about the table itself.
    table& described_table(std::string_view name_or_arn, std::chrono::sys_seconds now);

    /// Each change is noted where the tables are kept. Before or after it.
    void note_table(const table& made_or_set);
    void note_deleted(const table& gone);
    void note_row(const table& in, const row_key& which);
    void note_token(const std::string& token);

private:
    table* find(std::string_view name_or_arn, std::chrono::sys_seconds now);
};

/// Whose tables these are: the account that AWS's own examples have.
inline constexpr std::string_view own_account = "111122223333";

/// "arn:aws:dynamodb:us-east-1:111122223333:table/NAME"
std::string arn_of_table(std::string_view name);

/// Refuses a name that is not 3 to 255 of letters, digits, '_', '.' and '-'.
void check_table_name(std::string_view name);

}  // namespace dynalease::local
