// What a put leaves of what its struct does not know, whoever else reads and writes the item in the same transaction.
// SPDX-License-Identifier: BSL-1.0
#include "bank.hpp"

#include <dynalease/dynamodb/expression.hpp>

#include <catch2/catch.hpp>

#include <functional>
#include <map>
#include <optional>
#include <string>

namespace cellar {

struct box {
    int in = 0;
};
BOOST_DESCRIBE_STRUCT(box, (), (in))

struct boxed {
    std::string name{};
    int a = 0;
    std::optional<cellar::box> box{};
};
BOOST_DESCRIBE_STRUCT(boxed, (), (name, a, box))

struct slim {
    std::string name{};
    int a = 0;
    std::optional<int> d{};
};
BOOST_DESCRIBE_STRUCT(slim, (), (name, a, d))

}  // namespace cellar

using namespace dynalease;
using namespace dynalease::tests;

namespace {

using box_contents = std::optional<std::map<std::string, int>>;

}  // namespace

namespace {

/// What structs of three kinds see of an item with a member that none of them knows whole.
struct mixed {
    explicit mixed(node& in) : target(in.network) {}
    dynalease::database target;
    versioned<cellar::boxed> boxes{target, {.table = "accounts", .key = "name"}};
    versioned<cellar::slim> narrows{target, {.table = "accounts", .key = "name"}};
    versioned_items raw{target, {.table = "accounts", .key = "name"}};
};

/// The item's box: what stands in it, by name.
box_contents box_in(const item& stored) {
    const auto* box = find(stored, "box");
    const auto* members = box ? box->get_if<attribute_map>() : nullptr;
    if (!members) return std::nullopt;
    std::map<std::string, int> out;
    for (const auto& [name, value] : *members)
        out.emplace(name, static_cast<int>(find_integer(*members, name).value()));
    return out;
}

using mixed_body = std::function<asio::awaitable<void>(transaction&, const mixed&)>;

/// An item with a box that has more than the struct knows, and what becomes of it.
item after(transaction_tier how, const mixed_body& does) {
    bank s;
    s.where.apply(put_item_request{
        .table_name = "accounts",
        .new_item = {{"name", "ann"}, {"a", 1}, {"d", 1}, {"box", attribute_map{{"in", 1}, {"more", 9}}}}});
    const auto commit = [](bank& in, transaction_tier tier, const mixed_body& body) -> asio::awaitable<void> {
        const mixed of(in.a);
        auto tx = bank::transactions_of(in.a).begin(by(tier));
        co_await body(tx, of);
        co_await tx.commit();
    };
    s.in_a(commit, how, does);
    return s.stored("ann");
}

asio::awaitable<cellar::boxed> read_box(transaction& tx, const mixed& of) {
    auto found = co_await tx.get(of.boxes, "ann");
    co_return found.value();
}

}  // namespace

TEST_CASE("what a struct does not know inside of its members stays, whoever else reads and writes the item") {
    const auto tier = tiers();
    const box_contents changed{{{"in", 2}, {"more", 9}}};
    const cellar::slim other{.name = "ann", .a = 5, .d = 5};
    const auto change_box = [](transaction& tx, const mixed& of) -> asio::awaitable<void> {
        auto mine = co_await read_box(tx, of);
        mine.box->in = 2;
        tx.put(of.boxes, mine);
    };
    CHECK(box_in(after(tier, change_box)) == changed);
    CHECK(box_in(after(tier, [&](transaction& tx, const mixed& of) -> asio::awaitable<void> {
              co_await tx.get(of.narrows, "ann");
              tx.put(of.narrows, other);
              co_await change_box(tx, of);
              tx.put(of.narrows, other);
          })) == changed);
    CHECK(box_in(after(tier, [&](transaction& tx, const mixed& of) -> asio::awaitable<void> {
              co_await change_box(tx, of);
              co_await tx.get(of.narrows, "ann");
              tx.put(of.narrows, other);
              co_await change_box(tx, of);
          })) == changed);
    CHECK(box_in(after(tier, [&](transaction& tx, const mixed& of) -> asio::awaitable<void> {
              auto all = co_await tx.get(of.raw, "ann");
              tx.put(of.raw, *all);
              co_await change_box(tx, of);
          })) == changed);
}

TEST_CASE("an update between leaves what it does not touch as it is known to be") {
    const auto end =
        after(transaction_tier::inline_undo, [](transaction& tx, const mixed& of) -> asio::awaitable<void> {
            auto mine = co_await read_box(tx, of);
            tx.update(of.raw, "ann", set("d", 7));
            mine.box->in = 2;
            tx.put(of.boxes, mine);
        });
    CHECK(box_in(end) == box_contents{{{"in", 2}, {"more", 9}}});
    CHECK(find_integer(end, "d") == 7);
}

TEST_CASE("a put counts from what stood there when it was made, and not from a later read") {
    const auto tier = tiers();
    const cellar::boxed mine{.name = "ann", .a = 1, .box = cellar::box{.in = 2}};
    // It had not seen the item, and writes all that it knows.
    const box_contents whole{{{"in", 2}}};
    CHECK(box_in(after(tier, [&](transaction& tx, const mixed& of) -> asio::awaitable<void> {
              tx.put(of.boxes, mine);
              co_return;
          })) == whole);
    CHECK(box_in(after(tier, [&](transaction& tx, const mixed& of) -> asio::awaitable<void> {
              tx.put(of.boxes, mine);
              co_await read_box(tx, of);
          })) == whole);
    // Emptied and filled again, as by two saves.
    CHECK(box_in(after(tier, [&](transaction& tx, const mixed& of) -> asio::awaitable<void> {
              auto seen = co_await read_box(tx, of);
              seen.box.reset();
              tx.put(of.boxes, seen);
              tx.put(of.boxes, mine);
          })) == whole);
}

TEST_CASE("a put replaces what its struct cannot read") {
    const auto tier = tiers();
    const auto end = after(tier, [](transaction& tx, const mixed& of) -> asio::awaitable<void> {
        const item odd{{"name", "ann"}, {"a", 1}, {"box", "no box"}};
        tx.put(of.raw, odd);
        error_code told;
        try {
            co_await tx.get(of.boxes, "ann");
        } catch (const error& why) {
            told = why.code();
        }
        CHECK(told == errc::bad_attribute);
        const cellar::boxed mine{.name = "ann", .a = 1, .box = cellar::box{.in = 3}};
        tx.put(of.boxes, mine);
        const auto seen = co_await read_box(tx, of);
        CHECK(seen.box->in == 3);
    });
    CHECK(box_in(end) == box_contents{{{"in", 3}}});
}

TEST_CASE("a put over a map that an update has changed is refused, where its struct may know but a part") {
    bank s;
    s.where.apply(put_item_request{.table_name = "accounts",
                                   .new_item = {{"name", "ann"}, {"a", 1}, {"box", attribute_map{{"in", 1}}}}});
    const auto body = [](bank& in) -> asio::awaitable<void> {
        const mixed of(in.a);
        auto tx = bank::transactions_of(in.a).begin(by(transaction_tier::inline_undo));
        const auto mine = co_await read_box(tx, of);
        tx.update(of.raw, "ann", set(path("box")["more"], 9));
        error_code told;
        try {
            tx.put(of.boxes, mine);
        } catch (const error& why) {
            told = why.code();
            CHECK(why.diagnostics().message.find("\"box\"") != std::string::npos);
        }
        CHECK(told == errc::updated_blindly);
        // Who knows nothing of it may put.
        const cellar::slim other{.name = "ann", .a = 2};
        tx.put(of.narrows, other);
        co_await tx.commit();
    };
    s.in_a(body);
    CHECK(box_in(s.stored("ann")) == box_contents{{{"in", 1}, {"more", 9}}});
    CHECK(find_integer(s.stored("ann"), "a") == 2);
}

TEST_CASE("an item that is there is not inserted, though the read that shows it answers later") {
    const auto tier = tiers();
    bank s;
    s.has("ann", 1);
    const auto body = [](bank& in, transaction_tier how) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.a);
        auto tx = bank::transactions_of(in.a).begin(by(how));
        bool answered = false;
        tx.get(book, "ann", [&](error_code, const std::optional<account>&) { answered = true; });
        tx.insert(book, worth("ann", 5));
        co_await sleep(in.a, 1s);
        CHECK(answered);
        const auto [code] = co_await tx.commit(as_pair);
        CHECK(code == errc::exists);
    };
    s.in_a(body, tier);
    CHECK(s.balance("ann") == 1);
}

TEST_CASE("an erasure of nothing is told, though the read that shows nothing answers later") {
    const auto tier = tiers();
    bank s;
    const auto body = [](bank& in, transaction_tier how) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.a);
        auto tx = bank::transactions_of(in.a).begin(by(how));
        tx.get(book, "ann", [](error_code, const std::optional<account>&) {});
        tx.erase(book, "ann");
        co_await sleep(in.a, 1s);
        const auto [code] = co_await tx.commit(as_pair);
        CHECK(code == errc::missing);
    };
    s.in_a(body, tier);
}

TEST_CASE("who has inserted an item, and erased it, has seen what is put there after") {
    const auto tier = tiers();
    bank s;
    const auto body = [](bank& in, transaction_tier how) -> asio::awaitable<void> {
        const mixed of(in.a);
        auto tx = bank::transactions_of(in.a).begin(by(how));
        cellar::boxed mine{.name = "ann", .a = 1, .box = cellar::box{.in = 1}};
        tx.insert(of.boxes, mine);
        tx.erase(of.raw, "ann");
        const item anew{{"name", "ann"}, {"a", 1}, {"box", attribute_map{{"in", 1}, {"more", 9}}}};
        tx.put(of.raw, anew);
        mine.box->in = 2;
        tx.put(of.boxes, mine);
        co_await tx.commit();
    };
    s.in_a(body, tier);
    CHECK(box_in(s.stored("ann")) == box_contents{{{"in", 2}, {"more", 9}}});
}
