// The requests of a session, and that late copies of them do no harm.
// SPDX-License-Identifier: BSL-1.0
#include "support/row_world.hpp"

#include "session/protocol/session_requests.hpp"

#include <catch2/catch.hpp>

namespace dynalease::protocol::test {

namespace {

constexpr wall_time noon{std::chrono::seconds(1'000'000)};
const auto create = create_session(table, "a", std::chrono::seconds(10), "host/1", "c", wall_time(7s));

std::string state_in(row_world& world) {
    return *find_string(*world.find(session_key("a")), "state");
}

}  // namespace

TEST_CASE("the texts of a session's requests") {
    CHECK(create.condition_expression == "attribute_not_exists(#pk)");
    CHECK(create.new_item == item{{"pk", "session#a"},
                                  {"sk", "-"},
                                  {"v", 1},
                                  {"state", "alive"},
                                  {"beat", 1},
                                  {"beat_time", 7000},
                                  {"lease", 10'000},
                                  {"owner", "host/1"},
                                  {"creation", "c"}});
    const auto beat = beat_session(table, "a", 5, {});
    CHECK(beat.update_expression == "SET #beat = :n, #time = :now");
    CHECK(beat.condition_expression == "#state = :alive AND #beat < :n");
    const auto close = close_session(table, "a", noon);
    CHECK(close.update_expression == "SET #state = :closed, #ttl = :expiry");
    CHECK(close.values.at(":expiry") == attribute_value(1'086'400));
    const auto mark = mark_session_dead(table, "a", 4, "b", noon);
    CHECK(mark.update_expression == "SET #state = :dead, #by = :me, #ttl = :expiry");
    CHECK(mark.condition_expression == "#state = :alive AND #beat = :seen");
    CHECK(mark.values.at(":expiry") == attribute_value(1'086'400));
    CHECK(look_at_session(table, "a").consistent_read);
    CHECK(
        (create.current_on_refusal && beat.current_on_refusal && close.current_on_refusal && mark.current_on_refusal));
}

TEST_CASE("a heartbeat neither makes, revives nor ages a row") {
    row_world world;
    CHECK_FALSE(world.applies(beat_session(table, "a", 2, {})));
    CHECK(world.applies(create));
    CHECK_FALSE(world.applies(create));
    CHECK(world.applies(beat_session(table, "a", 3, {})));
    CHECK_FALSE(world.applies(beat_session(table, "a", 2, {})));
    CHECK_FALSE(world.applies(beat_session(table, "a", 3, {})));
    CHECK_FALSE(world.applies(mark_session_dead(table, "a", 2, "b", noon)));
    CHECK(world.applies(mark_session_dead(table, "a", 3, "b", noon)));
    CHECK_FALSE(world.applies(beat_session(table, "a", 4, {})));
    CHECK(state_in(world) == "dead");
}

TEST_CASE("a closed session stays closed, late copies or not") {
    row_world world;
    REQUIRE(world.applies(create));
    CHECK(world.applies(close_session(table, "a", noon)));
    CHECK_FALSE(world.applies(create));
    CHECK_FALSE(world.applies(close_session(table, "a", noon)));
    CHECK_FALSE(world.applies(beat_session(table, "a", 9, {})));
    CHECK_FALSE(world.applies(mark_session_dead(table, "a", 1, "b", noon)));
    CHECK(state_in(world) == "closed");
}

}  // namespace dynalease::protocol::test
