// The file's tables, and how they are read and written.
// SPDX-License-Identifier: BSL-1.0
#include "local/file/tables_file.hpp"

#include "local/codec/server_codec.hpp"
#include "local/values/values.hpp"

#include <cstring>
#include <stdexcept>
#include <utility>
#include <variant>

namespace dynalease::local {

namespace {

constexpr std::int64_t own_id = 0x64796e61;  // "dyna"
constexpr std::int64_t own_version = 1;

/// Another program's file stays as it is.
void check_owner(const std::string& path) {
    sqlite_file file(path);
    const auto owner = file.number("PRAGMA application_id");
    const bool is_new = owner == 0 && file.number("SELECT count(*) FROM sqlite_schema") == 0;
    if (!is_new && owner != own_id) throw std::runtime_error(path + ": is not a file of dynalease-local's");
}

/// Opened by one process at a time: two would each have tables of its own in memory.
sqlite_file opened(std::string path) {
    check_owner(path);
    sqlite_file file(std::move(path));
    file.run("PRAGMA locking_mode = EXCLUSIVE");
    file.run("PRAGMA journal_mode = WAL");
    file.run("PRAGMA synchronous = NORMAL");
    if (file.number("PRAGMA user_version") > own_version) {
        throw std::runtime_error(file.path() + ": is of a newer dynalease-local");
    }
    file.run("BEGIN EXCLUSIVE");
    file.run("PRAGMA application_id = " + std::to_string(own_id));
    file.run("PRAGMA user_version = " + std::to_string(own_version));
    file.run(
        "CREATE TABLE IF NOT EXISTS tables (name TEXT PRIMARY KEY, description TEXT, tags TEXT, ttl TEXT) "
        "WITHOUT ROWID");
    file.run(
        "CREATE TABLE IF NOT EXISTS items (in_table TEXT, key BLOB, item TEXT, PRIMARY KEY (in_table, key)) "
        "WITHOUT ROWID");
    file.run("CREATE TABLE IF NOT EXISTS tokens (token TEXT PRIMARY KEY, request BLOB, done INTEGER) WITHOUT ROWID");
    file.run("COMMIT");
    return file;
}

/// What an answer of an operation says, as it was written.
template <class Request>
result<any_response> read_answer(std::string_view text) {
    return codec::decode_response(any_request(Request{}).index(), text);
}

std::string bytes_of(const row_key& key) {
    std::string bytes = std::to_string(key.hash.size());
    return bytes.append(":").append(key.hash).append(key.range);
}

std::int64_t milliseconds_of(token_memory::time when) {
    return when.time_since_epoch().count();
}

}  // namespace

tables_file::statements::statements(sqlite_file& file)
    : put_table(file, "INSERT OR REPLACE INTO tables VALUES (?, ?, ?, ?)"),
      delete_table(file, "DELETE FROM tables WHERE name = ?"),
      delete_items(file, "DELETE FROM items WHERE in_table = ?"),
      put_item(file, "INSERT OR REPLACE INTO items VALUES (?, ?, ?)"),
      delete_item(file, "DELETE FROM items WHERE in_table = ? AND key = ?"),
      put_token(file, "INSERT OR REPLACE INTO tokens VALUES (?, ?, ?)"),
      forget_tokens(file, "DELETE FROM tokens WHERE done < ?") {}

tables_file::tables_file(std::string path) : file_(opened(std::move(path))), run_(file_) {}

void tables_file::refuse_damaged(std::string_view what) const {
    throw std::runtime_error(file_.path() + ": is damaged: " + std::string(what));
}

// ---- reading ----------------------------------------------------------------------------------------------

void tables_file::load(database_state& into) {
    load_tables(into);
    load_items(into);
    load_tokens(into);
}

void tables_file::load_tables(database_state& into) {
    sqlite_statement all(file_, "SELECT name, description, tags, ttl FROM tables");
    while (all.step()) {
        const std::string name(all.text(0));
        auto described = read_answer<describe_table_request>(all.text(1));
        auto tagged = read_answer<list_tags_of_resource_request>(all.text(2));
        if (!described || !tagged) refuse_damaged("the description of table " + name);
        table_description settings = std::get<describe_table_response>(*std::move(described)).table;
        const auto global = std::exchange(settings.global_indexes, {});
        const auto local = std::exchange(settings.local_indexes, {});
        settings.item_count = settings.size_bytes = 0;  // they are counted
        table& made = into.tables.try_emplace(name, std::move(settings)).first->second;
        for (const index_description& each : global) made.add_index(each, true);
        for (const index_description& each : local) made.add_index(each, false);
        made.tags() = std::get<list_tags_of_resource_response>(*std::move(tagged)).tags;
        if (!all.text(3).empty()) made.set_ttl_attribute(std::string(all.text(3)));
    }
}

void tables_file::load_items(database_state& into) {
    sqlite_statement all(file_, "SELECT in_table, item FROM items");
    while (all.step()) {
        const auto found = into.tables.find(all.text(0));
        auto answer = read_answer<get_item_request>(all.text(1));
        if (found == into.tables.end() || !answer) refuse_damaged("an item of table " + std::string(all.text(0)));
        auto held = std::get<get_item_response>(*std::move(answer)).found;
        if (!held) refuse_damaged("an item of table " + std::string(all.text(0)));
        const row_key key = encode_key(found->second.key(), *held);
        const std::size_t size = item_size(*held);
        found->second.put(key, *std::move(held), size).commit();
    }
}

void tables_file::load_tokens(database_state& into) {
    sqlite_statement all(file_, "SELECT token, request, done FROM tokens ORDER BY done");
    while (all.step()) {
        fingerprint request{};
        if (all.blob(1).size() != sizeof request) refuse_damaged("a token of a transaction");
        std::memcpy(request.data(), all.blob(1).data(), sizeof request);
        const token_memory::time done{std::chrono::milliseconds(all.integer(2))};
        into.tokens.remember(std::string(all.text(0)), request, done);
    }
}

// ---- writing ----------------------------------------------------------------------------------------------

void tables_file::save(const database_state& of, const unsaved& changed) {
    file_.run("BEGIN");
    try {
        save_all(of, changed);
        file_.run("COMMIT");
    } catch (...) {
        try {
            file_.run("ROLLBACK");
        } catch (const std::runtime_error&) {
            // Some faults have rolled it back already.
        }
        throw;
    }
}

void tables_file::save_all(const database_state& of, const unsaved& changed) {
    for (const std::string& name : changed.deleted_tables) {
        run_.delete_items.bind_text(0, name).run();
        run_.delete_table.bind_text(0, name).run();
    }
    for (const std::string& name : changed.tables) save_table(of, name);
    for (const auto& [name, keys] : changed.rows) {
        const auto found = of.tables.find(name);
        if (found != of.tables.end()) save_rows(found->second, keys);
    }
    for (const std::string& token : changed.tokens) save_token(of, token);
}

void tables_file::save_table(const database_state& of, const std::string& name) {
    const auto found = of.tables.find(name);
    if (found == of.tables.end()) return;
    const std::string description = codec::encode_response(describe_table_response{found->second.describe()});
    const std::string tags = codec::encode_response(list_tags_of_resource_response{found->second.tags(), {}});
    run_.put_table.bind_text(0, name).bind_text(1, description).bind_text(2, tags);
    run_.put_table.bind_text(3, found->second.ttl_attribute()).run();
}

void tables_file::save_rows(const table& of, const std::set<row_key>& keys) {
    for (const row_key& each : keys) {
        const std::string key = bytes_of(each);
        if (const row* held = of.find(each)) {
            get_item_response answer;
            answer.found = held->attributes;
            const std::string text = codec::encode_response(std::move(answer));
            run_.put_item.bind_text(0, of.name()).bind_blob(1, key).bind_text(2, text).run();
        } else {
            run_.delete_item.bind_text(0, of.name()).bind_blob(1, key).run();
        }
    }
}

void tables_file::save_token(const database_state& of, const std::string& token) {
    const auto* known = of.tokens.find(token);
    if (!known) return;
    const std::string request(reinterpret_cast<const char*>(known->request.data()), sizeof known->request);
    const std::int64_t done = milliseconds_of(known->done);
    run_.forget_tokens.bind(0, milliseconds_of(known->done - token_memory::lifetime)).run();
    run_.put_token.bind_text(0, token).bind_blob(1, request).bind(2, done).run();
}

}  // namespace dynalease::local
