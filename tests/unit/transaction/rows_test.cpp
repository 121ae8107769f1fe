// Marks and rows of transactions: what they say, and that none is touched that is not as this library writes it.
// SPDX-License-Identifier: BSL-1.0
#include "item/protocol/item_mark.hpp"
#include "item/protocol/item_state.hpp"
#include "session/protocol/row.hpp"
#include "transaction/protocol/stored_writes.hpp"
#include "transaction/protocol/transaction_header.hpp"
#include "transaction/protocol/transaction_requests.hpp"

#include <dynalease/dynamodb/expression.hpp>

#include <catch2/catch.hpp>

#include <string>
#include <utility>

namespace dynalease::protocol::test {

namespace {

item_stamp stamp(int number) {
    item_stamp made{};
    made[0] = static_cast<std::byte>(number);
    return made;
}

/// Balance 10 was made 5, a note was added.
item marked() {
    return {{"id", "ann"},         {"balance", 5},
            {"note", "x"},         {"_stamp", bytes_of(stamp(2))},
            {"_TxId", "4711/run"}, {"_TxP", bytes_of(stamp(1))},
            {"_TxO", "U"},         {"_TxR", 3},
            {"_TxB:balance", 10},  {"_TxB:note", absent_image()},
            {"_TxB:version", 7},   {"_TxV:version", 8}};
}

item with(item shown, const std::string& name, attribute_value value) {
    shown.insert_or_assign(name, std::move(value));
    return shown;
}

item without(item shown, const std::string& name) {
    shown.erase(name);
    return shown;
}

item row() {
    return {{"pk", "tx#4711"},
            {"sk", "-"},
            {"v", 1},
            {"state", "C"},
            {"run", "run"},
            {"born", 1000},
            {"beat", 0},
            {"locks", bytes_of({committed_lock{3, {stamp(2), stamp(1)}}, committed_lock{70'000, {stamp(4), {}}}})}};
}

}  // namespace

TEST_CASE("a mark tells who holds the item, by which lock, and what lies under it") {
    const auto mark = mark_of(marked()).value().value();
    CHECK(mark.owner == run_name{"4711", "run"});
    CHECK(mark.lock == lock_name{stamp(2), stamp(1)});
    CHECK(mark.write == 3);
    CHECK(*before_mark(marked(), mark) ==
          item{{"id", "ann"}, {"balance", 10}, {"version", 7}, {"_stamp", bytes_of(stamp(1))}});
    CHECK(*after_mark(marked(), mark) ==
          item{{"id", "ann"}, {"balance", 5}, {"note", "x"}, {"version", 8}, {"_stamp", bytes_of(stamp(2))}});
}

TEST_CASE("an item without a mark is as it is, and no item is none") {
    const item free{{"id", "ann"}, {"_stamp", bytes_of(stamp(1))}};
    CHECK(!mark_of(free).value());
    CHECK(committed_view(free).value() == free);
    CHECK(!committed_view(std::nullopt).value());
}

TEST_CASE("what is only inserted is not there yet, and what is to be erased still is") {
    auto inserted = with(with(without(marked(), "_TxB:balance"), "_TxO", "I"), "_TxP", no_stamp());
    CHECK(!committed_view(inserted).value());
    const item erased{{"id", "ann"},         {"_stamp", bytes_of(stamp(2))},
                      {"_TxId", "4711/run"}, {"_TxP", no_stamp()},
                      {"_TxO", "D"},         {"_TxR", 1}};
    CHECK(committed_view(erased).value() == item{{"id", "ann"}});
    CHECK(!after_mark(erased, *mark_of(erased).value()));
}

TEST_CASE("a stamp of another name is given back under that name") {
    auto shown = with(with(without(marked(), "_stamp"), "etag", bytes_of(stamp(2))), "_TxS", "etag");
    const auto before = *committed_view(shown).value();
    CHECK(before.at("etag") == attribute_value(bytes_of(stamp(1))));
    CHECK(!before.contains("_stamp"));
}

TEST_CASE("a mark that is not as this library writes it is refused by its name") {
    const auto [name, value] = GENERATE(table<std::string, attribute_value>({
        {"_TxId", "no-run"},
        {"_TxId", "/run"},
        {"_TxId", "4711/"},
        {"_TxId", "4711/run/more"},
        {"_TxId", 4711},
        {"_TxP", binary{}},
        {"_TxP", "text"},
        {"_TxO", "Z"},
        {"_TxO", "UU"},
        {"_TxR", 0},
        {"_TxR", "1"},
        {"_TxS", ""},
        {"_TxV:version", "eight"},
        {"_stamp", binary{std::byte{1}}},
    }));
    const auto refused = mark_of(with(marked(), name, value));
    REQUIRE(!refused);
    CHECK(refused.error().code == errc::corrupt_row);
    CHECK(refused.error().details.message.find("\"" + name + "\"") != std::string::npos);
    CHECK(!committed_view(with(marked(), name, value)));
}

TEST_CASE("a mark that lacks a part is refused by its name") {
    const std::string name = GENERATE("_TxP", "_TxO", "_TxR", "_stamp");
    const auto refused = mark_of(without(marked(), name));
    REQUIRE(!refused);
    CHECK(refused.error().details.message.find("\"" + name + "\"") != std::string::npos);
}

TEST_CASE("the row of a transaction tells its run, its state and its locks") {
    const auto header = parse_transaction_header(nullptr).value();
    CHECK(!header);
    const auto shown = row();
    const auto committed = parse_transaction_header(&shown).value().value();
    CHECK(committed.name == run_name{"4711", "run"});
    CHECK(committed.state == header_state::committed);
    CHECK(!committed.done);
    CHECK(committed.locks == std::vector<committed_lock>{{3, {stamp(2), stamp(1)}}, {70'000, {stamp(4), {}}}});
}

TEST_CASE("a row of a transaction that is damaged, or of another schema, is left alone") {
    const auto [name, value] = GENERATE(table<std::string, attribute_value>({
        {"v", 2},
        {"v", "1"},
        {"state", "X"},
        {"state", 1},
        {"run", ""},
        {"born", "then"},
        {"beat", "now"},
        {"locks", "text"},
        {"locks", binary(27)},
        {"writes", "text"},
        {"until", "then"},
        {"pk", "lock#4711"},
    }));
    const auto shown = with(row(), name, value);
    const auto refused = parse_transaction_header(&shown);
    REQUIRE(!refused);
    const bool newer = name == "v" && value == attribute_value(2);
    CHECK(refused.error().code == (newer ? errc::unsupported_version : errc::corrupt_row));
    if (!newer) CHECK(refused.error().details.message.find("'" + name + "'") != std::string::npos);
}

TEST_CASE("a run that is set aside has a row of its own, which tells until when") {
    const std::string coordination = "coordination";
    const run_name self{"4711", "run"};
    const transaction_requests requests(coordination, self);
    const auto aside = requests.set_aside(1000, {}, 77, 0).new_item;
    CHECK(aside.at("pk") == row().at("pk"));
    CHECK(aside.at("sk") != row().at("sk"));
    CHECK(aside_key({"4711", "run"}) != aside_key({"4711", "another"}));
    const auto header = parse_transaction_header(&aside).value().value();
    CHECK(header.name == run_name{"4711", "run"});
    CHECK(header.aside_until == 77);
    // What one row cannot name, another one does.
    const auto second = requests.set_aside(1000, {}, 77, 1).new_item;
    CHECK(second.at("sk") != aside.at("sk"));
    const auto other = parse_transaction_header(&second).value().value();
    CHECK(requests.finish_aside(0, other.sort).key.at("sk") == second.at("sk"));
    const auto shown = row();
    CHECK(!parse_transaction_header(&shown).value()->aside_until);
}

TEST_CASE("a committed row without its locks is damaged until it is done") {
    const auto bare = without(row(), "locks");
    CHECK(parse_transaction_header(&bare).error().code == errc::corrupt_row);
    const auto done = with(bare, "done", true);
    CHECK(parse_transaction_header(&done).value()->done);
}

TEST_CASE("planned writes come back from the row as they went, but for their stamps") {
    planned_item planned{
        .on = {.layout = {.table = "accounts", .key = "id", .sort = "day", .version = "revision", .stamp = "etag"},
               .versioned = true},
        .key = {{"id", "ann"}, {"day", 3}},
        .writes = {}};
    planned.writes.push_back({.change = set(path("m")["l"][1], if_not_exists("n", 0) + 1) + remove("old") +
                                        add("n", 2) + delete_from("tags", string_set{"a"}),
                              .demand = attr("n") < 5 || !attribute_exists("gone")});
    planned.writes.push_back({.kind = mark_kind::to_erase});
    const planned_item inserted{.on = {.layout = {.table = "accounts", .key = "id"}},
                                .key = {{"id", "bob"}},
                                .writes = {{.kind = mark_kind::inserted, .whole = {{"id", "bob"}, {"n", null{}}}}},
                                .seen = item_sight{.absent = true}};
    const auto back = planned_in(stored({planned, inserted})).value();
    REQUIRE(back.size() == 2);
    CHECK(stored(back) == stored({planned, inserted}));
    CHECK(back[0].on.layout.version == "revision");
    CHECK(back[0].on.layout.sort == "day");
    CHECK(!back[0].seen);
    CHECK(back[1].seen == inserted.seen);
    CHECK(back[1].writes[0].whole == inserted.writes[0].whole);
    // The texts are the same, which is what counts.
    update_item_request one;
    update_item_request other;
    apply(one, planned.writes[0].change);
    apply(one, planned.writes[0].demand);
    apply(other, back[0].writes[0].change);
    apply(other, back[0].writes[0].demand);
    CHECK(one.update_expression == other.update_expression);
    CHECK(one.condition_expression == other.condition_expression);
    CHECK(one.names == other.names);
    CHECK(one.values == other.values);
}

TEST_CASE("what a transaction saw of an item comes back from the row as it went") {
    planned_item planned{
        .on = {.layout = {.table = "t", .key = "id"}}, .key = {{"id", "ann"}}, .writes = {{.change = set("a", 1)}}};
    for (const auto& seen : {item_sight{}, item_sight{.stamp = stamp(3)}, item_sight{.version = 7},
                             item_sight{.stamp = stamp(3), .version = 7}, item_sight{.absent = true}}) {
        planned.seen = seen;
        CHECK(planned_in(stored({planned})).value()[0].seen == seen);
    }
    auto damaged = stored({planned});
    const item wrong = GENERATE(item{{"stamp", "text"}}, item{{"version", "text"}}, item{{"stamp", binary(3)}});
    damaged[0].get_if<attribute_map>()->insert_or_assign("seen", wrong);
    CHECK(!planned_in(damaged));
}

TEST_CASE("planned writes that are damaged are refused") {
    const auto good = stored({planned_item{
        .on = {.layout = {.table = "t", .key = "id"}}, .key = {{"id", "ann"}}, .writes = {{.change = set("a", 1)}}}});
    const auto part = std::string(GENERATE("table", "key", "writes"));
    auto damaged = good;
    damaged[0].get_if<attribute_map>()->insert_or_assign(part, attribute_value("text"));
    const auto refused = planned_in(damaged);
    REQUIRE(!refused);
    CHECK(refused.error().code == errc::corrupt_row);
    CHECK(!planned_in({attribute_value("text")}));
}

}  // namespace dynalease::protocol::test
