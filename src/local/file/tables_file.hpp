// An engine's tables in a file, of one server at a time.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "local/file/sqlite.hpp"
#include "local/operations/table_keeper.hpp"

#include <string>

namespace dynalease::local {

/// Descriptions and items are kept as the JSON of the service's answers, for whoever wants to look at them.
class tables_file final : public table_keeper {
public:
    /// Opens the file, or makes it.
    /// @throws std::runtime_error for a file that is no such file, or of a newer version, or in another's use.
    explicit tables_file(std::string path);

    void load(database_state& into) override;
    void save(const database_state& of, const unsaved& changed) override;

private:
    /// Made at once: a statement is prepared when what it is about is there.
    struct statements {
        explicit statements(sqlite_file& file);
        sqlite_statement put_table, delete_table, delete_items, put_item, delete_item, put_token, forget_tokens;
    };

    void load_tables(database_state& into);
    void load_items(database_state& into);
    void load_tokens(database_state& into);
    void save_all(const database_state& of, const unsaved& changed);
    void save_table(const database_state& of, const std::string& name);
    void save_rows(const table& of, const std::set<row_key>& keys);
    void save_token(const database_state& of, const std::string& token);
    [[noreturn]] void refuse_damaged(std::string_view what) const;

    sqlite_file file_;
    statements run_;
};

}  // namespace dynalease::local
