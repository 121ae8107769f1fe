// Rows are read strictly: what is not as ours are is refused, and never guessed.
// SPDX-License-Identifier: BSL-1.0
#include "lock/protocol/lock_row.hpp"
#include "session/protocol/claim.hpp"

#include <catch2/catch.hpp>

#include <limits>

namespace dynalease::protocol {

namespace {

const item held{{"pk", "lock#orders"},
                {"sk", "-"},
                {"v", 1},
                {"floor", 9},
                {"token", 8},
                {"holder", "a"},
                {"attempt", 3},
                {"passed", 2},
                {"line", attribute_list{"b", "c"}},
                {"data", item{{"k", 1}}}};
const item session{{"pk", "session#a"}, {"sk", "-"},     {"v", 1},        {"state", "alive"},
                   {"beat", 4},         {"lease", 9000}, {"owner", "h/1"}};

item with(item row, const char* name, attribute_value value) {
    row.insert_or_assign(name, std::move(value));
    return row;
}
item without(item row, const char* name) {
    row.erase(name);
    return row;
}
error_code fault(const item& row) {
    const auto parsed = parse_lock_row(&row);
    return parsed ? error_code() : parsed.error().code;
}
error_code session_fault(const item& row) {
    const auto parsed = parse_session_row(row);
    return parsed ? error_code() : parsed.error().code;
}

}  // namespace

TEST_CASE("a lock row") {
    const auto row = parse_lock_row(&held).value();
    CHECK(row.floor == 9);
    CHECK(row.token == 8);
    CHECK(row.held_by("a", 3));
    CHECK_FALSE(row.held_by("a", 4));
    CHECK(row.place_of("c") == 1);
    CHECK_FALSE(row.place_of("a"));
    CHECK(row.passed == 2);
    CHECK(row.data == item{{"k", 1}});
    CHECK(parse_lock_row(nullptr).value().free());
}

TEST_CASE("a lock row of another kind is refused") {
    CHECK(fault(with(held, "v", 2)) == errc::unsupported_version);
    for (const auto& bad :
         {without(held, "v"), without(held, "floor"), without(held, "attempt"), without(held, "holder"),
          with(held, "floor", "9"), with(held, "token", "8"), with(held, "passed", "2"), with(held, "line", "b"),
          with(held, "line", attribute_list{1}), with(held, "holder", 1), with(held, "attempt", "3"),
          without(with(held, "holder", 1), "attempt"), without(with(held, "attempt", "3"), "holder")}) {
        CHECK(fault(bad) == errc::corrupt_row);
    }
    CHECK(fault(without(without(held, "holder"), "attempt")) == error_code());
}

TEST_CASE("a floor that leaves no token above it is refused") {
    CHECK(fault(with(held, "floor", token_limit - 1)) == error_code());
    for (const auto floor : {token_limit, std::numeric_limits<std::int64_t>::max()}) {
        const auto row = with(held, "floor", floor);
        const auto parsed = parse_lock_row(&row);
        REQUIRE_FALSE(parsed.has_value());
        CHECK(parsed.error().code == errc::corrupt_row);
        CHECK(parsed.error().details.key == "lock#orders");
        CHECK(parsed.error().details.message.find("floor") != std::string::npos);
    }
}

TEST_CASE("a session row") {
    const auto row = parse_session_row(session).value();
    CHECK(row.alive);
    CHECK(row.beat == 4);
    CHECK(row.lease == std::chrono::seconds(9));
    CHECK(row.owner == "h/1");
    CHECK_FALSE(parse_session_row(with(session, "state", "dead")).value().alive);
    CHECK_FALSE(parse_session_row(with(session, "state", "closed")).value().alive);
    CHECK(session_fault(with(session, "v", 7)) == errc::unsupported_version);
    for (const auto& bad : {without(session, "state"), without(session, "beat"), without(session, "lease"),
                            with(session, "lease", 0), with(session, "beat", "4")}) {
        CHECK(session_fault(bad) == errc::corrupt_row);
    }
}

}  // namespace dynalease::protocol
