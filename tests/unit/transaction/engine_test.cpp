// Transactions on the embedded engine: what they cost, what they leave, and what they say of bad input.
// SPDX-License-Identifier: BSL-1.0
#include "engine_stage.hpp"

#include "transaction/protocol/native_call.hpp"
#include "transaction/protocol/stored_writes.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace dynalease::protocol::test {

namespace {

using phase = coordinator::phase;
using verdict = coordinator::verdict;

item account(const std::string& id, int balance) {
    return {{"id", id}, {"balance", balance}};
}

planned_item paying(const std::string& id, int amount) {
    return updating(plain_accounts(), id, set("balance", attr("balance") - amount), attr("balance") >= amount);
}

bool marked(const std::optional<item>& shown) {
    return shown && mark_of(*shown).value().has_value();
}

}  // namespace

TEST_CASE("a transaction over N items costs 2N + 3 writes, no reads, and three round trips to the commit") {
    const int count = GENERATE(1, 2, 30, 99, 100, 101, 250, 1000);
    engine_stage stage;
    std::vector<planned_item> items;
    for (int i = 0; i < count; ++i) {
        stage.put(account(std::to_string(i), 10));
        items.push_back(paying(std::to_string(i), 3));
    }
    auto transaction = coordinated(std::move(items));
    const auto seen = stage.run(transaction);
    CHECK(transaction.decided() == verdict::committed);
    CHECK(seen.writes == static_cast<unsigned>(2 * count + 3));
    CHECK(seen.reads == 0);
    if (count <= 30) {
        CHECK(seen.rounds_to_verdict == 3);
        CHECK(seen.rounds == 5);
    }
    for (int i = 0; i < count; ++i) {
        const auto now = stage.find(std::to_string(i));
        CHECK(find_integer(*now, "balance") == 7);
        CHECK(!marked(now));
    }
    CHECK(stage.header("4711")->done);
}

TEST_CASE("what was changed and is undone is as it was, bit for bit") {
    const item before{{"id", "ann"},
                      {"balance", number("1234567890123456789012345678901234567.8")},
                      {"empty", ""},
                      {"nothing", null{}},
                      {"n.dot", 1},
                      {"size", 3},
                      {"m", attribute_map{{"l", attribute_list{1, 2}}, {"z", ""}}},
                      {"s", string_set{"x", "y"}},
                      {"bytes", binary{}},
                      {"_stamp", bytes_of(drawn_stamp())}};
    engine_stage stage;
    stage.put(before);
    stage.put(account("bob", 1));
    const auto change = set("balance", 0) + set(path("m")["l"][1], attr("size")) + set("new", attr("empty")) +
                        remove("nothing") + remove("size") + add("n.dot", 41) + delete_from("s", string_set{"x", "y"}) +
                        set("empty", if_not_exists("absent", attr("bytes")));
    auto transaction = coordinated({updating(plain_accounts(), "ann", change), paying("bob", 5)});
    stage.run(transaction, phase::rolling_back);
    CHECK(marked(stage.find("ann")));
    CHECK(find_integer(*stage.find("ann"), "n.dot") == 42);
    CHECK(committed_view(stage.find("ann")).value() == before);

    stage.run(transaction);
    CHECK(transaction.decided() == verdict::rolled_back);
    CHECK(transaction.why().code == errc::condition_failed);
    CHECK(transaction.why().current == account("bob", 1));
    CHECK(stage.find("ann") == before);
    CHECK(stage.find("bob") == account("bob", 1));
}

TEST_CASE("what the service refuses is named, and leaves nothing held") {
    engine_stage stage;
    stage.put(account("ann", 10));
    stage.put({{"id", "text"}, {"balance", "ten"}});
    stage.put({{"id", "large"}, {"data", std::string(250'000, 'x')}});
    const auto [refused, code] = GENERATE(Catch::Generators::table<planned_item, errc>({
        {updating(plain_accounts(), "text", add("balance", 1)), errc::validation},
        {updating(plain_accounts(), "large", set("data", std::string(250'000, 'y'))), errc::item_too_large},
        {updating({.layout = {.table = "nowhere", .key = "id"}}, "x", set("a", 1)), errc::table_not_found},
        {{.on = plain_accounts(), .key = {{"id", 5}}, .writes = {{.change = set("a", 1)}}}, errc::validation},
        {updating(plain_accounts(), "nobody", set("a", 1)), errc::missing},
        {of_kind(plain_accounts(), "nobody", mark_kind::to_erase), errc::missing},
        {of_kind(plain_accounts(), "nobody", mark_kind::read), errc::missing},
        {inserting(plain_accounts(), account("text", 1)), errc::exists},
        {updating(plain_accounts(), "text", set("a", 1), attr("balance") == "nine"), errc::condition_failed},
    }));
    auto transaction = coordinated({paying("ann", 5), refused});
    stage.run(transaction);
    CHECK(transaction.decided() == verdict::rolled_back);
    CHECK(transaction.why().code == make_error_code(code));
    CHECK(transaction.why().details.table == refused.on.layout.table);
    CHECK(transaction.why().details.key == text_of(refused.key));
    CHECK(stage.find("ann") == account("ann", 10));
    for (const auto* id : {"text", "large", "nobody"}) CHECK(!marked(stage.find(id)));
    CHECK(stage.header("4711")->done);
}

TEST_CASE("a write to an item that is not as it was seen is told as a conflict, and of which item") {
    engine_stage stage;
    const bool versioned = GENERATE(false, true);
    const auto on = versioned ? versioned_accounts() : plain_accounts();
    auto ann = account("ann", 10);
    if (versioned) {
        ann.emplace("_born", bytes_of(drawn_stamp()));
        ann.emplace("version", 7);
    }
    stage.put(ann);
    auto planned = updating(on, "ann", set("balance", 1), attr("balance") == 10);
    planned.seen = sight_of(on, stage.find("ann")).value();
    const auto writing = coordinated({planned});

    auto unhindered = writing;
    SECTION("as it was seen") {
        stage.run(unhindered);
        CHECK(unhindered.decided() == verdict::committed);
        return;
    }
    SECTION("and what else is demanded is not so") {
        auto poorer = ann;
        poorer.insert_or_assign("balance", 9);
        stage.put(poorer);
        stage.run(unhindered);
        CHECK(unhindered.why().code == errc::condition_failed);
        CHECK(unhindered.why().current == poorer);
        return;
    }
    SECTION("another write of the library") {
        ann.insert_or_assign("_stamp", bytes_of(drawn_stamp()));
        stage.put(ann);
    }
    SECTION("gone") {
        REQUIRE(stage.world().execute(delete_item_request{.table_name = accounts, .key = {{"id", "ann"}}}).has_value());
    }
    SECTION("a foreign mapper's write") {
        if (!versioned) return;
        ann.insert_or_assign("version", 8);
        stage.put(ann);
    }
    const auto before = stage.find("ann");
    auto late = writing;
    stage.run(late);
    CHECK(late.decided() == verdict::rolled_back);
    CHECK(late.why().code == errc::conflict);
    CHECK(late.why().details.table == accounts);
    CHECK(late.why().details.key == "ann");
    CHECK(stage.find("ann") == before);
}

TEST_CASE("an insert where nothing was seen is told as a conflict if something is there now") {
    engine_stage stage;
    auto planned = inserting(plain_accounts(), account("ann", 1));
    planned.seen = item_sight{.absent = true};
    stage.put(account("ann", 10));
    auto transaction = coordinated({planned});
    stage.run(transaction);
    CHECK(transaction.why().code == errc::conflict);
    CHECK(stage.find("ann") == account("ann", 10));
}

TEST_CASE("an item that cannot be freed any more keeps no other one from being freed") {
    engine_stage stage;
    stage.put(account("ann", 10));
    stage.make_table("lost");
    const guarded_table lost{.layout = {.table = "lost", .key = "id"}};
    auto transaction = coordinated({inserting(lost, account("x", 1)), paying("ann", 3)});
    stage.run(transaction, phase::closing);
    REQUIRE(stage.world().execute(delete_table_request{.table_name = "lost"}).has_value());
    stage.run(transaction);
    CHECK(transaction.decided() == verdict::committed);
    CHECK(transaction.why().code == errc::table_not_found);
    CHECK(find_integer(*stage.find("ann"), "balance") == 7);
    CHECK(!marked(stage.find("ann")));
    CHECK(!stage.header("4711")->done);
}

TEST_CASE("an item that others hold by a lock, or that has versions nobody spoke of, is not touched") {
    engine_stage stage;
    const auto held =
        GENERATE(item{{"id", "ann"}, {"_lockW", "s.1.1"}}, item{{"id", "ann"}, {"_lockR", string_set{"s.1"}}},
                 item{{"id", "ann"}, {"_born", binary(12)}, {"version", 1}}, item{{"id", "ann"}, {"_gone", true}});
    stage.put(held);
    auto transaction = coordinated({updating(plain_accounts(), "ann", set("a", 1))});
    stage.run(transaction);
    CHECK(transaction.decided() == verdict::rolled_back);
    CHECK(stage.find("ann") == held);
    const bool gone = held.contains("_gone");
    const bool versioned = held.contains("_born");
    CHECK(transaction.why().code == make_error_code(gone        ? errc::missing
                                                    : versioned ? errc::bad_version
                                                                : errc::locked));
}

TEST_CASE("an item whose version is at its limit is told so, and not touched") {
    engine_stage stage;
    auto on = versioned_accounts();
    on.layout.version_limit = 7;
    const item last{{"id", "ann"}, {"version", 7}};
    stage.put(last);
    auto transaction = coordinated({updating(on, "ann", set("a", 1))});
    stage.run(transaction);
    CHECK(transaction.why().code == errc::version_overflow);
    native_call call(table, {.name = {"4712", "run"}, .items = {updating(on, "ann", set("a", 1))}}, {});
    stage.run(call);
    CHECK(call.why().code == errc::version_overflow);
    CHECK(stage.find("ann") == last);
    // What raises no version, may be done.
    auto erasure = coordinated({of_kind(on, "ann", mark_kind::to_erase)}, {"4713", "run"});
    stage.run(erasure);
    CHECK(erasure.decided() == verdict::committed);
}

TEST_CASE("a mark that is no transaction's of this library is not touched") {
    engine_stage stage;
    const item foreign{{"id", "ann"}, {"_TxId", "b4a7-uuid"}, {"_TxD", 1}};
    stage.put(foreign);
    auto transaction = coordinated({updating(plain_accounts(), "ann", set("a", 1))});
    stage.run(transaction);
    CHECK(transaction.decided() == verdict::rolled_back);
    CHECK(transaction.why().code == errc::corrupt_row);
    CHECK(stage.find("ann") == foreign);
}

TEST_CASE("a commit raises the version of a versioned item once, and keeps its birth and its stamps") {
    engine_stage stage;
    const auto born = bytes_of(drawn_stamp());
    const auto last = bytes_of(drawn_stamp());
    stage.put({{"id", "ann"}, {"balance", 10}, {"version", 7}, {"_born", born}, {"_stamp", last}});
    auto planned = updating(versioned_accounts(), "ann", set("balance", 9));
    planned.writes.push_back({.change = set("note", "x"), .stamp = drawn_stamp()});
    const auto stamp = bytes_of(planned.writes.back().stamp);
    auto made = inserting(versioned_accounts(), account("bob", 1));
    const auto birth = bytes_of(made.writes.front().stamp);
    auto transaction = coordinated({std::move(planned), std::move(made)});
    stage.run(transaction, phase::committing);
    CHECK(!stage.find("ann")->contains("version"));
    stage.run(transaction);
    CHECK(stage.find("ann") == item{{"id", "ann"},
                                    {"balance", 9},
                                    {"note", "x"},
                                    {"version", 8},
                                    {"_born", born},
                                    {"_stamp", stamp},
                                    {"_trail", last}});
    CHECK(stage.find("bob") ==
          item{{"id", "bob"}, {"balance", 1}, {"version", 1}, {"_born", birth}, {"_stamp", birth}});
}

TEST_CASE("another process carries on what one left at any of its requests, from the row alone") {
    for (unsigned left_after = 1; left_after < 9; ++left_after) {
        engine_stage stage;
        stage.put(account("ann", 10));
        stage.put(account("old", 1));
        const auto items = [] {
            return std::vector<planned_item>{paying("ann", 3), inserting(plain_accounts(), account("bob", 3)),
                                             of_kind(plain_accounts(), "old", mark_kind::to_erase)};
        };
        auto first = coordinated(items());
        for (unsigned i = 0; i < left_after; ++i) stage.one_step(first);
        auto second = taken_over(stage.header("4711").value());
        stage.run(second);
        INFO("left after " << left_after << " requests");
        CHECK(second.decided() == verdict::committed);
        CHECK(find_integer(*stage.find("ann"), "balance") == 7);
        CHECK(find_integer(*stage.find("bob"), "balance") == 3);
        CHECK(!stage.find("old"));
        CHECK(!marked(stage.find("ann")));
        CHECK(!marked(stage.find("bob")));

        // The first one comes back.
        stage.run(first);
        CHECK(first.decided() == verdict::committed);
        CHECK(find_integer(*stage.find("ann"), "balance") == 7);
        CHECK(!stage.find("old"));
    }
}

TEST_CASE("another process undoes what one left before its commit, and the id may be run again") {
    for (unsigned left_after = 1; left_after < 4; ++left_after) {
        engine_stage stage;
        stage.put(account("ann", 10));
        stage.put(account("old", 1));
        const auto items = [] {
            return std::vector<planned_item>{paying("ann", 3), of_kind(plain_accounts(), "old", mark_kind::to_erase)};
        };
        auto first = coordinated(items());
        for (unsigned i = 0; i < left_after; ++i) stage.one_step(first);
        auto second = taken_over(stage.header("4711").value());
        second.stop(errc::cancelled);
        stage.run(second);
        INFO("left after " << left_after << " requests");
        CHECK(second.decided() == verdict::rolled_back);
        CHECK(stage.find("ann") == account("ann", 10));
        CHECK(stage.find("old") == account("old", 1));
        stage.run(first);
        CHECK(first.decided() == verdict::rolled_back);
        CHECK(stage.find("ann") == account("ann", 10));

        auto again = coordinated(items(), {"4711", "again"});
        stage.run(again);
        CHECK(again.decided() == verdict::committed);
        CHECK(find_integer(*stage.find("ann"), "balance") == 7);
        CHECK(!stage.find("old"));
    }
}

TEST_CASE("an id that was committed is told so, and nothing is written again") {
    engine_stage stage;
    stage.put(account("ann", 10));
    auto first = coordinated({paying("ann", 3)});
    stage.run(first);
    auto again = coordinated({paying("ann", 3)}, {"4711", "again"});
    const auto seen = stage.run(again);
    CHECK(again.decided() == verdict::committed);
    CHECK(seen.writes == 1);
    CHECK(find_integer(*stage.find("ann"), "balance") == 7);
}

TEST_CASE("of two transactions on one item the older one goes first, and the younger one after it") {
    engine_stage stage;
    stage.put(account("ann", 10));
    coordinator younger(table, {.name = {"young", "run"}, .born = 2, .items = {paying("ann", 1)}}, {});
    stage.run(younger, phase::committing);
    coordinator older(table, {.name = {"old", "run"}, .born = 1, .items = {paying("ann", 2)}}, {});
    stage.run(older, phase::committing);
    stage.run(younger);
    CHECK(younger.decided() == verdict::rolled_back);
    CHECK(younger.why().code == errc::conflict);

    coordinator third(table, {.name = {"third", "run"}, .born = 3, .items = {paying("ann", 4)}}, {});
    stage.one_step(third);
    stage.one_step(third);  // meets the older one, which is not decided
    stage.one_step(third);
    stage.run(older);
    stage.run(third);
    CHECK(third.decided() == verdict::committed);
    CHECK(stage.find("ann")->at("balance") == attribute_value(4));
}

TEST_CASE("who waits for one that is not decided gives up at its limit") {
    engine_stage stage;
    stage.put(account("ann", 10));
    coordinator older(table, {.name = {"old", "run"}, .born = 1, .items = {paying("ann", 2)}}, {});
    stage.run(older, phase::committing);
    coordinator younger(table, {.name = {"young", "run"}, .born = 2, .items = {paying("ann", 1)}},
                        {.patience = std::chrono::hours(1)});
    const auto seen = stage.run(younger);
    CHECK(younger.decided() == verdict::rolled_back);
    CHECK(younger.why().code == errc::locked);
    CHECK(younger.why().details.table == accounts);
    CHECK(younger.why().details.key == "ann");
    CHECK(seen.reads < 20);
    stage.run(older);
    CHECK(older.decided() == verdict::committed);
}

}  // namespace dynalease::protocol::test
