// The texts of versioned writes, and that the engine takes them.
// SPDX-License-Identifier: BSL-1.0
#include "versioned/protocol/version_requests.hpp"

#include <dynalease/local/engine.hpp>

#include <catch2/catch.hpp>

#include <variant>

namespace dynalease::protocol::test {

namespace {

const item_layout layout{.table = "books", .key = "isbn"};
const item_key key{{"isbn", "1"}};
constexpr std::string_view free_of_locks =
    "attribute_not_exists(#W) AND attribute_not_exists(#R) AND attribute_not_exists(#tx) AND "
    "attribute_not_exists(#gone)";

item_stamp stamp(int n) {
    item_stamp s{};
    s[0] = static_cast<std::byte>(n);
    return s;
}

checked_write write_onto(item_version base, int mine) {
    const auto target = version_after(layout, base).value();
    return {.base = std::move(base), .mine = stamp(mine), .target = target};
}

class shelf {
public:
    shelf() {
        create_table_request table{.table_name = layout.table, .key = {.hash = {layout.key}}};
        if (!store_.execute(any_request(std::move(table)), now_)) throw std::logic_error("no table");
    }
    template <class Request>
    bool applies(Request request) {
        auto answer = store_.execute(any_request(std::move(request)), now_);
        if (answer) return true;
        if (answer.error().code != errc::condition_failed) throw std::logic_error(answer.error().details.message);
        return false;
    }
    item_version state() { return state_of(layout, stands()).value().state; }
    item stands() {
        auto answer = store_.execute(any_request(version_requests(layout).look(key, true)), now_);
        return std::get<get_item_response>(answer.value()).found.value_or(item{});
    }
    void put(item whole) {
        if (!applies(put_item_request{.table_name = layout.table, .new_item = std::move(whole)})) {
            throw std::logic_error("no put");
        }
    }

private:
    local::engine store_;
    local::engine::time now_{std::chrono::sys_days{std::chrono::year{2026} / 3 / 1}};
};

}  // namespace

TEST_CASE("a save tests life and version, and raises version, stamp and trail") {
    const item_version base{.version = 5, .born = stamp(1), .stamp = stamp(4), .trail = {stamp(3), stamp(2), stamp(1)}};
    const auto request = version_requests(layout).save(key, write_onto(base, 9), {{{"title", "x"}}, {"note"}});
    CHECK(request.condition_expression ==
          "#ver = :n AND #born = :b AND attribute_not_exists(#by) AND " + std::string(free_of_locks));
    CHECK(request.update_expression == "SET #ver = :n1, #stamp = :m, #trail = :tr, #m0 = :m0 REMOVE #r0");
    CHECK(request.values.at(":n1") == attribute_value(6));
    CHECK(request.values.at(":tr") == attribute_value(bytes_of({stamp(4), stamp(3), stamp(2)})));
    CHECK(request.names.at("#W") == "_lockW");
    CHECK(request.names.at("#tx") == "_TxId");
    CHECK(request.current_on_refusal);
}

TEST_CASE("a save that ignores locks still respects transactions and tombstones") {
    auto write = write_onto({.version = 5, .born = stamp(1)}, 9);
    write.ignore_lock = true;
    const auto request = version_requests(layout).save(key, write, {});
    CHECK(request.condition_expression ==
          "#ver = :n AND #born = :b AND attribute_not_exists(#by) AND attribute_not_exists(#tx) AND "
          "attribute_not_exists(#gone)");
}

TEST_CASE("each write is taken by the engine, and by it once") {
    shelf s;
    const version_requests requests(layout);
    REQUIRE(s.applies(requests.create(key, stamp(1))));
    CHECK_FALSE(s.applies(requests.create(key, stamp(1))));
    CHECK(s.state() == item_version{.version = 1, .born = stamp(1), .stamp = stamp(1)});

    const auto save = requests.save(key, write_onto(s.state(), 2), {{{"title", "x"}}, {}});
    REQUIRE(s.applies(save));
    CHECK_FALSE(s.applies(save));
    CHECK(s.state() == item_version{.version = 2, .born = stamp(1), .stamp = stamp(2), .trail = {stamp(1)}});

    const auto blind = requests.blind(key, add("visits", 3), stamp(3), false);
    REQUIRE(s.applies(blind));
    CHECK_FALSE(s.applies(blind));
    CHECK(find_integer(s.stands(), "visits") == 3);
    CHECK(s.state() == item_version{.version = 3, .born = stamp(1), .stamp = stamp(3), .trail = {stamp(2)}});

    const auto clobber = requests.clobber(key, {{{"title", "y"}}, {"visits"}}, stamp(4), false, true);
    REQUIRE(s.applies(clobber));
    CHECK_FALSE(s.applies(clobber));
    CHECK_FALSE(s.stands().contains("visits"));
    CHECK(s.state().version == 4);
    CHECK(s.state().born == stamp(1));

    const auto bury = requests.bury(key, write_onto(s.state(), 5), {{}, {"title"}}, 1'900'000'000);
    REQUIRE(s.applies(bury));
    CHECK_FALSE(s.applies(bury));
    CHECK(state_of(layout, s.stands()).value().gone);
    CHECK(find_integer(s.stands(), "ttl") == 1'900'000'000);
    CHECK_FALSE(s.applies(requests.create(key, stamp(6))));

    const auto over = requests.create_over(key, write_onto(s.state(), 6), {{{"title", "z"}}, {}});
    REQUIRE(s.applies(over));
    CHECK_FALSE(s.applies(over));
    CHECK(s.state().version == 6);
    CHECK_FALSE(s.stands().contains("ttl"));

    const auto erase = requests.erase(key, write_onto(s.state(), 7));
    REQUIRE(s.applies(erase));
    CHECK_FALSE(s.applies(erase));
    CHECK(s.applies(requests.clobber_erase(key, false)));
}

TEST_CASE("an item of another library is adopted by the first save, with or without a version") {
    const auto foreign = GENERATE(item{{"isbn", "1"}, {"version", 7}}, item{{"isbn", "1"}});
    shelf s;
    s.put(foreign);
    const auto base = s.state();
    const auto save = version_requests(layout).save(key, write_onto(base, 2), {});
    REQUIRE(s.applies(save));
    CHECK_FALSE(s.applies(save));
    CHECK(s.state().born == stamp(2));
    CHECK(s.state().version == (base.version ? 8 : 1));
}

TEST_CASE("a locked item, and one in a transaction, refuse every write") {
    const auto mark = GENERATE("_lockW", "_lockR", "_TxId");
    shelf s;
    const version_requests requests(layout);
    REQUIRE(s.applies(requests.create(key, stamp(1))));
    const auto write = write_onto(s.state(), 2);
    auto held = s.stands();
    held.emplace(mark,
                 std::string_view(mark) == "_lockR" ? attribute_value(string_set{"s.1"}) : attribute_value("s.1.0"));
    s.put(held);
    CHECK_FALSE(s.applies(requests.save(key, write, {})));
    CHECK_FALSE(s.applies(requests.erase(key, write)));
    CHECK_FALSE(s.applies(requests.bury(key, write, {}, 1)));
    CHECK_FALSE(s.applies(requests.blind(key, add("n", 1), stamp(3), false)));
    CHECK_FALSE(s.applies(requests.clobber(key, {}, stamp(3), false, true)));
    CHECK_FALSE(s.applies(requests.clobber_erase(key, false)));
}

TEST_CASE("a revision names a state, and a write from it rebuilds the trail as far as it can") {
    shelf s;
    const version_requests requests(layout);
    REQUIRE(s.applies(requests.create(key, stamp(1))));
    REQUIRE(s.applies(requests.save(key, write_onto(s.state(), 2), {})));
    const item_revision revision(s.state().revision());
    auto write = write_onto(revision.state(), 3);
    write.knows_stamps = false;
    REQUIRE(s.applies(requests.save(key, write, {})));
    CHECK(s.state() == item_version{.version = 3, .born = stamp(1), .stamp = stamp(3), .trail = {stamp(2)}});
    CHECK_THROWS_AS(item_revision("7"), error);
    CHECK_THROWS_AS(item_revision("x-"), error);
    CHECK_THROWS_AS(item_revision("7-AAAA"), error);
    CHECK(item_revision("-7-").state().version == -7);
}

TEST_CASE("stamps and versions that are none are told by name") {
    const auto [name, value, code] = GENERATE(table<std::string, attribute_value, errc>({
        {"version", "seven", errc::bad_version},
        {"version", number("7.5"), errc::bad_version},
        {"version", number("9223372036854775808"), errc::bad_version},
        {"_born", binary(8), errc::corrupt_row},
        {"_stamp", "text", errc::corrupt_row},
        {"_trail", binary(48), errc::corrupt_row},
    }));
    const auto sight = state_of(layout, item{{"isbn", "1"}, {name, value}});
    REQUIRE(sight.has_error());
    CHECK(sight.error().code == code);
    CHECK(sight.error().details.message.find("\"" + name + "\"") != std::string::npos);
}

}  // namespace dynalease::protocol::test
