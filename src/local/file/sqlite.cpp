// Calls of SQLite's C interface.
// SPDX-License-Identifier: BSL-1.0
#include "local/file/sqlite.hpp"

#include <sqlite3.h>

#include <stdexcept>
#include <utility>

namespace dynalease::local {

void sqlite_statement::closer::operator()(sqlite3_stmt* statement) const noexcept {
    ::sqlite3_finalize(statement);
}

sqlite_statement::sqlite_statement(sqlite_file& file, std::string_view text) : file_(file) {
    sqlite3_stmt* made = nullptr;
    if (::sqlite3_prepare_v2(file.handle(), text.data(), static_cast<int>(text.size()), &made, nullptr) != SQLITE_OK) {
        file.fail();
    }
    statement_.reset(made);
}

sqlite_statement& sqlite_statement::bind_text(int place, std::string_view value) {
    const auto size = static_cast<sqlite3_uint64>(value.size());
    if (::sqlite3_bind_text64(statement_.get(), place + 1, value.data(), size, nullptr, SQLITE_UTF8) != SQLITE_OK) {
        file_.fail();
    }
    return *this;
}

sqlite_statement& sqlite_statement::bind_blob(int place, std::string_view value) {
    const auto size = static_cast<sqlite3_uint64>(value.size());
    if (::sqlite3_bind_blob64(statement_.get(), place + 1, value.data(), size, nullptr) != SQLITE_OK) file_.fail();
    return *this;
}

sqlite_statement& sqlite_statement::bind(int place, std::int64_t value) {
    if (::sqlite3_bind_int64(statement_.get(), place + 1, value) != SQLITE_OK) file_.fail();
    return *this;
}

void sqlite_statement::run() {
    while (step()) continue;
}

bool sqlite_statement::step() {
    const int found = ::sqlite3_step(statement_.get());
    if (found == SQLITE_ROW) return true;
    const bool done = found == SQLITE_DONE;
    // Before it is made ready for the next time, which forgets what was wrong.
    if (!done) {
        const std::runtime_error fault(file_.path() + ": " + ::sqlite3_errmsg(file_.handle()));
        ::sqlite3_reset(statement_.get());
        throw fault;
    }
    ::sqlite3_reset(statement_.get());
    return false;
}

std::string_view sqlite_statement::text(int column) const {
    return blob(column);
}

std::string_view sqlite_statement::blob(int column) const {
    const void* bytes = ::sqlite3_column_blob(statement_.get(), column);
    const auto size = static_cast<std::size_t>(::sqlite3_column_bytes(statement_.get(), column));
    return {static_cast<const char*>(bytes), size};
}

std::int64_t sqlite_statement::integer(int column) const {
    return ::sqlite3_column_int64(statement_.get(), column);
}

void sqlite_file::closer::operator()(sqlite3* file) const noexcept {
    ::sqlite3_close(file);
}

sqlite_file::sqlite_file(std::string path) : path_(std::move(path)) {
    sqlite3* made = nullptr;
    const int opened = ::sqlite3_open_v2(path_.c_str(), &made, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
    file_.reset(made);
    if (opened != SQLITE_OK) fail();
}

std::int64_t sqlite_file::number(std::string_view text) {
    sqlite_statement statement(*this, text);
    return statement.step() ? statement.integer(0) : 0;
}

void sqlite_file::fail() const {
    throw std::runtime_error(path_ + ": " + (file_ ? ::sqlite3_errmsg(file_.get()) : "out of memory"));
}

}  // namespace dynalease::local
