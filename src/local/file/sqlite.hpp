// A file of SQLite's, and statements on it. What goes wrong is thrown with the file's name.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace dynalease::local {

class sqlite_file;

/// Parameters and columns count from 0. What is bound must stay until the statement is done.
class sqlite_statement {
public:
    /// @param file must outlive it.
    sqlite_statement(sqlite_file& file, std::string_view text);

    sqlite_statement& bind_text(int place, std::string_view value);
    sqlite_statement& bind_blob(int place, std::string_view value);
    sqlite_statement& bind(int place, std::int64_t value);

    /// For a statement without rows. It may be bound and run again.
    void run();
    /// @returns whether there is a row, whose columns can be asked for.
    bool step();
    std::string_view text(int column) const;
    std::string_view blob(int column) const;
    std::int64_t integer(int column) const;

private:
    struct closer {
        void operator()(sqlite3_stmt* statement) const noexcept;
    };
    sqlite_file& file_;
    std::unique_ptr<sqlite3_stmt, closer> statement_;
};

class sqlite_file {
public:
    /// Opens it, or makes it.
    explicit sqlite_file(std::string path);

    void run(std::string_view text) { sqlite_statement(*this, text).run(); }
    std::int64_t number(std::string_view text);

    const std::string& path() const noexcept { return path_; }
    sqlite3* handle() const noexcept { return file_.get(); }
    /// Throws what the last call on the file complained of.
    [[noreturn]] void fail() const;

private:
    struct closer {
        void operator()(sqlite3* file) const noexcept;
    };
    std::string path_;
    std::unique_ptr<sqlite3, closer> file_;
};

}  // namespace dynalease::local
