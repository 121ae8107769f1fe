// What others do inside of an attribute that a save changes inside of, too, without raising the version.
// SPDX-License-Identifier: BSL-1.0
#include "book_shop.hpp"

#include <dynalease/dynamodb/expression.hpp>
#include <dynalease/item_lock.hpp>

#include <catch2/catch.hpp>

#include <map>
#include <optional>
#include <string>

namespace bookshelf {

struct place {
    std::string room{};
    int shelf = 0;
};
BOOST_DESCRIBE_STRUCT(place, (), (room, shelf))

struct copy {
    std::string isbn{};
    int pages = 0;
    std::optional<place> stands{};
    std::map<std::string, int> lent{};
};
BOOST_DESCRIBE_STRUCT(copy, (), (isbn, pages, stands, lent))

}  // namespace bookshelf

using namespace dynalease;
using namespace dynalease::tests;
using bookshelf::copy;

namespace {

using copies = versioned<copy>;

item a_copy() {
    return {{"isbn", isbn},
            {"version", 1},
            {"pages", 1},
            {"stands", attribute_map{{"room", "A"}, {"shelf", 1}, {"of a newer program", 1}}},
            {"lent", attribute_map{{"ann", 1}}}};
}

/// By a program that knows nothing of versions.
void by_hand(shop& in, const update_expression& change) {
    update_item_request request{.table_name = "books", .key = {{"isbn", isbn}}};
    apply(request, change);
    in.where.apply(std::move(request));
}

enum class way { save, update, promoted, together };

copy changed(copy value) {
    value.stands->shelf = 2;
    ++value.lent["ann"];
    value.lent["bob"] = 1;
    return value;
}

/// Changes the copy, while another does something to it once it is loaded.
asio::awaitable<void> change_by(shop& in, way how, update_expression meanwhile) {
    copies table{database(in.a.network), in_books()};
    if (how == way::save || how == way::together) {
        auto found = co_await table.load(isbn);
        by_hand(in, meanwhile);
        found->value = changed(std::move(found->value));
        if (how == way::save) {
            co_await table.save(*found);
            co_return;
        }
        versioned_writes writes;
        writes.save(table, *found);
        co_await save_all(database(in.a.network), writes);
        co_return;
    }
    unsigned calls = 0;
    auto make = [&](copy value) {
        ++calls;
        // Under the lock, and not at the try that is to fail for another's sake.
        if (how == way::promoted && calls == 1) {
            auto now = in.stored();
            now["version"] = 2;
            in.put(now);
        } else if (calls == (how == way::promoted ? 2U : 1U)) {
            by_hand(in, meanwhile);
        }
        return value.stands ? changed(std::move(value)) : value;
    };
    update_options options;
    if (how == way::promoted) options.promote = promotion{.with = &*in.a.session, .after = 1};
    co_await table.update(isbn, make, options);
}

const attribute_map& map_in(const item& whole, const std::string& name) {
    return *whole.at(name).get_if<attribute_map>();
}

}  // namespace

TEST_CASE("a save inside of a struct or a map keeps what others put beside the change since it was loaded") {
    const auto how = GENERATE(way::save, way::update, way::promoted, way::together);
    shop s;
    s.put(a_copy());
    s.in_a(change_by, s, how, set(path("stands")["since"], 2026) + set(path("lent")["cid"], 5));
    CHECK(map_in(s.stored(), "stands") ==
          attribute_map{{"room", "A"}, {"shelf", 2}, {"of a newer program", 1}, {"since", 2026}});
    CHECK(map_in(s.stored(), "lent") == attribute_map{{"ann", 2}, {"bob", 1}, {"cid", 5}});
}

TEST_CASE("a save inside of a struct that another has taken away is a conflict, which shows what is there now") {
    const auto together = GENERATE(false, true);
    shop s;
    s.put(a_copy());
    s.in_a(
        [](shop& in, bool jointly) -> asio::awaitable<void> {
            copies table{database(in.a.network), in_books()};
            auto found = co_await table.load(isbn);
            by_hand(in, dynalease::remove("stands"));
            found->value = changed(std::move(found->value));
            diagnostics why;
            if (jointly) {
                versioned_writes writes;
                const auto entry = writes.save(table, *found);
                auto [error, done] = co_await save_all(database(in.a.network), writes, why, as_pair);
                CHECK(error == errc::conflict);
                CHECK_FALSE(done.current(table, entry)->value.stands);
            } else {
                auto [error, done] = co_await table.save(*found, why, as_pair);
                CHECK(error == errc::conflict);
                CHECK_FALSE(done.current->value.stands);
            }
            CHECK(why.message.find("expected version 1, found version 1, but a map") != std::string::npos);
            CHECK(in.stored_version() == 1);
        },
        s, together);
}

TEST_CASE("a save inside of a struct that is gone after a copy without an answer is in doubt at once") {
    shop s;
    s.put(a_copy());
    error_code code;
    s.in_a(
        [](shop& in, error_code& out) -> asio::awaitable<void> {
            copies table{database(in.a.network), in_books()};
            auto found = co_await table.load(isbn);
            found->value = changed(std::move(found->value));
            testing::fault late{testing::fault::kind::lose_answer};
            late.before = 60s;
            in.a.network->set_plan(testing::scripted_faults({late}));
            in.where.scheduler.add_timer(in.where.scheduler.now() + 1ms,
                                         [&in] { by_hand(in, dynalease::remove("stands")); });
            in.a.network->clear_log();
            try {
                co_await table.save(*found);
            } catch (const error& why) {
                out = why.code();
            }
        },
        s, code);
    CHECK(code == errc::in_doubt);
    CHECK(s.requests(s.a) == 2);
    // Back again, it lets the first copy through.
    by_hand(s, dynalease::set("stands", attribute_map{{"room", "B"}}));
    s.where.scheduler.run_for(2min);
    CHECK(find_integer(s.stored(), "version") == 2);
}

TEST_CASE("an update inside of a struct that another has taken away is made anew from what is there") {
    const auto how = GENERATE(way::update, way::promoted);
    shop s;
    s.put(a_copy());
    s.in_a(change_by, s, how, dynalease::remove("stands"));
    CHECK_FALSE(s.stored().contains("stands"));
    CHECK(map_in(s.stored(), "lent") == attribute_map{{"ann", 1}});
    s.where.scheduler.run_for(1s);  // where nothing is to be written the lock is given back in the background
    CHECK_FALSE(s.stored().contains("_lockW"));
}

TEST_CASE("an update under a lock gives up in time where others take away again and again what it changes") {
    shop s;
    s.put(a_copy());
    unsigned writes = 0;
    s.in_a(
        [](shop& in, unsigned& count) -> asio::awaitable<void> {
            copies table{database(in.a.network), in_books()};
            in.a.network->set_plan([&in, &count](const any_request& request, const call_options&) {
                const auto* update = std::get_if<update_item_request>(&request);
                if (!update || update->table_name != "books") return testing::fault{};
                const bool changes = update->condition_expression.find("attribute_type(") != std::string::npos;
                count += changes ? 1 : 0;
                const attribute_value other(attribute_map{{"room", "B"}, {"shelf", 7}});
                by_hand(in, changes ? dynalease::remove("stands") : set("stands", other));
                return testing::fault{};
            });
            const auto make = [](copy value) { return changed(std::move(value)); };
            update_options options;
            options.wait = 3s;
            options.promote = promotion{.with = &*in.a.session, .after = 1};
            auto [error, done] = co_await table.update(isbn, make, options, as_pair);
            CHECK(error == errc::conflict);
        },
        s, writes);
    CHECK(writes > 5);
    CHECK(writes < 50);
    CHECK_FALSE(s.stored().contains("_lockW"));
}

TEST_CASE("a revision, a whole save and a clobbering write members whole") {
    shop s;
    s.put(a_copy());
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            copies table{database(in.a.network), in_books()};
            auto found = co_await table.load(isbn);
            by_hand(in, set(path("stands")["since"], 2026));
            found->value = changed(std::move(found->value));
            auto saved = co_await table.save(*found, {.scope = save_scope::whole});
            CHECK(map_in(in.stored(), "stands") ==
                  attribute_map{{"room", "A"}, {"shelf", 2}, {"of a newer program", 1}});
            const item_revision state(saved.revision());
            co_await table.save(state, saved.value);
            CHECK(map_in(in.stored(), "stands") == attribute_map{{"room", "A"}, {"shelf", 2}});
            by_hand(in, set(path("stands")["since"], 2026));
            co_await table.clobber(saved.value);
            CHECK(map_in(in.stored(), "stands") == attribute_map{{"room", "A"}, {"shelf", 2}});
        },
        s);
}

TEST_CASE("a save inside of a map shows the item as it left it, and tests a condition of the caller's beside") {
    shop s;
    s.put(a_copy());
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            copies table{database(in.a.network), in_books()};
            auto found = co_await table.load(isbn);
            found->value = changed(std::move(found->value));
            auto [error, refused] = co_await table.save(*found, {.condition = attr("pages") > 7}, as_pair);
            CHECK(error == errc::condition_failed);
            auto saved = co_await table.save(*found, {.condition = attr("pages") < 7});
            CHECK(saved.attributes == in.stored());
            CHECK(saved.value.lent == std::map<std::string, int>{{"ann", 2}, {"bob", 1}});
        },
        s);
}
