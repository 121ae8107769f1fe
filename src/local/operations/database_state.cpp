// Finding tables.
// SPDX-License-Identifier: BSL-1.0
#include "local/operations/database_state.hpp"

#include "local/values/refusal.hpp"

#include <algorithm>

namespace dynalease::local {

namespace {

bool is_name_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '-';
}

}  // namespace

void check_table_name(std::string_view name) {
    constexpr std::size_t shortest = 3;
    constexpr std::size_t longest = 255;
    const std::string fault = "1 validation error detected: Value '" + std::string(name.substr(0, longest + 1)) +
                              "' at 'tableName' failed to satisfy constraint: Member must ";
    if (name.size() < shortest) refuse(fault + "have length greater than or equal to 3");
    if (name.size() > longest) refuse(fault + "have length less than or equal to 255");
    if (!std::ranges::all_of(name, is_name_character)) {
        refuse(fault + "satisfy regular expression pattern: [a-zA-Z0-9_.-]+");
    }
}

std::string arn_of_table(std::string_view name) {
    return "arn:aws:dynamodb:us-east-1:" + std::string(own_account) + ":table/" + std::string(name);
}

table* database_state::find(std::string_view name_or_arn, std::chrono::sys_seconds now) {
    std::string_view name = name_or_arn;
    if (name.starts_with("arn:")) name.remove_prefix(name.rfind('/') + 1);
    const auto found = tables.find(name);
    if (found == tables.end()) {
        check_table_name(name);
        return nullptr;
    }
    for (const row_key& each : found->second.expire(now)) note_row(found->second, each);
    return &found->second;
}

void database_state::note_table(const table& made_or_set) {
    if (changed) changed->tables.insert(made_or_set.name());
}

void database_state::note_deleted(const table& gone) {
    if (!changed) return;
    changed->deleted_tables.insert(gone.name());
    changed->rows.erase(gone.name());
}

void database_state::note_row(const table& in, const row_key& which) {
    if (changed) changed->rows[in.name()].insert(which);
}

void database_state::note_token(const std::string& token) {
    if (changed) changed->tokens.insert(token);
}

table& database_state::table_named(std::string_view name_or_arn, std::chrono::sys_seconds now) {
    if (table* found = find(name_or_arn, now)) return *found;
    throw refusal(errc::table_not_found, "Requested resource not found");
}

table& database_state::described_table(std::string_view name_or_arn, std::chrono::sys_seconds now) {
    if (table* found = find(name_or_arn, now)) return *found;
    throw refusal(errc::table_not_found,
                  "Requested resource not found: Table: " + std::string(name_or_arn) + " not found");
}

}  // namespace dynalease::local
