// Tables in a file: whatever was answered is there again, whenever the process ended.
// SPDX-License-Identifier: BSL-1.0
#include "local/file/tables_file.hpp"
#include "local/codec/server_codec.hpp"
#include "unit/local/engine_world.hpp"

#include <catch2/catch.hpp>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>

namespace dynalease::local::test {

namespace {

namespace fs = std::filesystem;

class folder {
public:
    folder() : path_(fs::temp_directory_path() / ("tables_file_test_" + std::to_string(::getpid()))) {
        fs::create_directories(path_);
    }
    ~folder() { fs::remove_all(path_); }
    folder(const folder&) = delete;
    folder& operator=(const folder&) = delete;

    std::string file(const std::string& name) const { return path_ / name; }
    /// What a process that is killed now leaves behind.
    std::string left_by_kill(const std::string& name) const {
        const std::string left = file("left");
        for (const char* part : {"", "-wal"}) {
            fs::copy_file(file(name + part), left + part, fs::copy_options::overwrite_existing);
        }
        return left;
    }

private:
    fs::path path_;
};

engine opened(const std::string& path) {
    return engine(std::make_unique<tables_file>(path));
}

constexpr engine::time start{std::chrono::sys_days{std::chrono::year{2026} / 3 / 1}};

/// What the engine says to the request, as a client would see it.
template <class Request>
std::string said(engine& store, const Request& request, engine::time now = start) {
    const auto answer = store.execute(any_request(request), now);
    return answer ? codec::encode_response(*answer) : answer.error().details.message;
}

template <class Request>
Request on_things(Request request) {
    request.table_name = "things";
    return request;
}

put_item_request put(const std::string& key, const attribute_value& value) {
    put_item_request request = on_things(put_item_request{});
    request.new_item = {{"pk", key}, {"v", value}};
    return request;
}

delete_item_request removal(const std::string& key) {
    delete_item_request request = on_things(delete_item_request{});
    request.key = {{"pk", key}};
    return request;
}

void make_things(engine& store) {
    create_table_request request = on_things(create_table_request{});
    request.key.hash.name = "pk";
    secondary_index index;
    index.name = "by_v";
    index.key.hash = {"v", scalar_type::n};
    index.projected = projection::keys_only;
    request.global_indexes.push_back(index);
    request.tags = {{"stage", "test"}};
    request.deletion_protected = true;
    REQUIRE(store.execute(any_request(request), start));
}

/// All that can be asked of the table.
std::string everything(engine& store) {
    scan_request by_index = on_things(scan_request{});
    by_index.index_name = "by_v";
    list_tags_of_resource_request tags;
    tags.resource_arn = "arn:aws:dynamodb:us-east-1:111122223333:table/things";
    return said(store, on_things(describe_table_request{})) + said(store, on_things(scan_request{})) +
           said(store, by_index) + said(store, tags) + said(store, on_things(describe_time_to_live_request{}));
}

}  // namespace

TEST_CASE("tables, items, indexes, tags and times to live outlive the process") {
    const folder here;
    engine store = opened(here.file("a"));
    make_things(store);
    update_time_to_live_request expiry = on_things(update_time_to_live_request{});
    expiry.attribute_name = "until";
    expiry.enabled = true;
    said(store, expiry);
    said(store, put("one", 1));
    said(store, put("two", 2));
    said(store, put("odd \x01\"\\", std::string("\0\xc3\xa4", 3)));
    said(store, put("two", 22));
    said(store, put("gone", 4));
    said(store, removal("gone"));
    batch_write_item_request batch;
    batch.tables["things"] = {batch_put{{{"pk", "batched"}, {"v", 5}}}, batch_delete{{{"pk", "one"}}}};
    said(store, batch);
    const std::string before = everything(store);
    CHECK_THAT(before, Catch::Contains("batched") && Catch::Contains("22") && !Catch::Contains("gone"));
    engine again = opened(here.left_by_kill("a"));
    CHECK(everything(again) == before);
}

TEST_CASE("a table that was made again has none of the older one's items") {
    const folder here;
    engine store = opened(here.file("a"));
    const auto make = [&] {
        create_table_request request = on_things(create_table_request{});
        request.key.hash.name = "pk";
        said(store, request);
    };
    make();
    said(store, put("old", 1));
    said(store, on_things(delete_table_request{}));
    CHECK(said(*std::make_unique<engine>(opened(here.left_by_kill("a"))), list_tables_request{}) ==
          R"({"TableNames":[]})");
    make();
    said(store, put("new", 1));
    engine again = opened(here.left_by_kill("a"));
    CHECK_THAT(said(again, on_things(scan_request{})), Catch::Contains("new") && !Catch::Contains("old"));
}

TEST_CASE("a transaction that is sent again after a restart is not done twice") {
    const folder here;
    engine store = opened(here.file("a"));
    make_things(store);
    transact_update add;
    add.table_name = "things";
    add.key = {{"pk", "count"}};
    add.update_expression = "ADD n :one";
    add.values = {{":one", 1}};
    transact_write_items_request request;
    request.actions.push_back(add);
    request.client_request_token = "token";
    said(store, request);
    engine again = opened(here.left_by_kill("a"));
    CHECK(said(again, request) == "{}");
    CHECK_THAT(said(again, on_things(scan_request{})), Catch::Contains(R"("n":{"N":"1"})"));
    said(again, request, start + std::chrono::minutes(11));
    CHECK_THAT(said(again, on_things(scan_request{})), Catch::Contains(R"("n":{"N":"2"})"));
}

TEST_CASE("a file is of one server at a time, and of dynalease-local") {
    const folder here;
    const auto fault = [](const std::string& path) -> std::string {
        try {
            const engine store = opened(path);
        } catch (const std::runtime_error& failure) {
            return failure.what();
        }
        return {};
    };
    {
        engine store = opened(here.file("a"));
        make_things(store);
        CHECK_THAT(fault(here.file("a")), Catch::Contains(here.file("a")) && Catch::Contains("locked"));
    }
    CHECK(fault(here.file("a")).empty());
    std::ofstream(here.file("text")) << "This is no file of tables, but long enough to be looked at.\n";
    CHECK_THAT(fault(here.file("text")), Catch::Contains("not a database"));
    sqlite_file(here.file("others")).run("CREATE TABLE people (name TEXT)");
    const auto bytes_of = [](const std::string& path) {
        std::ifstream file(path, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(file), {});
    };
    const auto before = bytes_of(here.file("others"));
    CHECK_THAT(fault(here.file("others")), Catch::Contains("is not a file of dynalease-local's"));
    CHECK(bytes_of(here.file("others")) == before);
    sqlite_file(here.file("empty")).run("PRAGMA application_id = 77");
    CHECK_THAT(fault(here.file("empty")), Catch::Contains("is not a file of dynalease-local's"));
    sqlite_file(here.file("a")).run("PRAGMA user_version = 2");
    CHECK_THAT(fault(here.file("a")), Catch::Contains("newer"));
    CHECK_THAT(fault(here.file("no/such/folder")), Catch::Contains("unable to open"));
}

TEST_CASE("a damaged file is told, and left as it is") {
    const folder here;
    {
        engine store = opened(here.file("a"));
        make_things(store);
        said(store, put("one", 1));
    }
    sqlite_file(here.file("a")).run("UPDATE items SET item = '{\"Item\":{\"pk\":7}}'");
    CHECK_THROWS_WITH(opened(here.file("a")), Catch::Contains("is damaged: an item of table things"));
    CHECK(sqlite_file(here.file("a")).number("SELECT count(*) FROM items") == 1);
}

TEST_CASE("what cannot be kept is in doubt, and kept with the next change") {
    const folder here;
    engine store = opened(here.file("a"));
    make_things(store);
    struct full_disk final : table_keeper {
        explicit full_disk(bool& is_full) : full(is_full) {}
        void load(database_state&) override {}
        void save(const database_state&, const unsaved& changed) override {
            if (full) throw std::runtime_error("tables.db: database or disk is full");
            rows = changed.rows.empty() ? 0 : changed.rows.at("things").size();
        }
        bool& full;
        std::size_t rows = 0;
    };
    bool is_full = false;
    auto keeper = std::make_unique<full_disk>(is_full);
    const full_disk& seen = *keeper;
    engine kept(std::move(keeper));
    make_things(kept);
    is_full = true;
    const auto answer = kept.execute(any_request(put("one", 1)), start);
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code == errc::server_error);
    CHECK(answer.error().outcome == outcome::unknown);
    CHECK(answer.error().details.message == "tables.db: database or disk is full");
    is_full = false;
    CHECK(said(kept, put("two", 2)) == "{}");
    CHECK(seen.rows == 2);
}

}  // namespace dynalease::local::test
