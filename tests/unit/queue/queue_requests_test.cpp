// The requests of a queue, word for word, what each condition does, and late copies of all of them.
// SPDX-License-Identifier: BSL-1.0
#include "queue/protocol/queue_requests.hpp"
#include "queue/protocol/enter_all.hpp"
#include "support/row_world.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace dynalease::protocol::test {

namespace {

const queue_name orders{.entity = "orders", .reason = "ship"};
const std::string a = "a";
const std::string b = "b";
const queue_requests by_a{table, orders, a};
const queue_requests by_b{table, orders, b};
const wall_time now{std::chrono::milliseconds(1000)};
const ticket_face face{.owner = "me", .since = now, .data = {}};

place one(std::int64_t number, std::int64_t from = 0) {
    return {.ticket = number, .from = from ? from : number};
}

queue_head head_in(row_world& world) {
    return parse_queue_head(world.find(queue_head_key(orders)).value()).value();
}

}  // namespace

TEST_CASE("the texts of a queue's requests") {
    const auto take = by_a.take("x", now);
    CHECK(take.key == item_key{{"pk", "queue#orders"}, {"sk", "ship/"}});
    CHECK(
        take.update_expression ==
        "SET #tail = if_not_exists(#tail, :floor) + :one, #passed = if_not_exists(#passed, :floor), #last = :attempt, "
        "#v = :v REMOVE #ttl");
    CHECK(take.condition_expression ==
          "(attribute_not_exists(#pk) OR #v = :v) AND (attribute_not_exists(#last) OR #last <> :attempt) AND "
          "(attribute_not_exists(#tail) OR #tail < :most)");
    CHECK(take.values.at(":floor") == attribute_value(1000));
    CHECK(take.returned == return_values::all_new);
    CHECK(take.current_on_refusal);
    CHECK(by_a.take_if_free("x", now).condition_expression ==
          take.condition_expression + " AND (attribute_not_exists(#tail) OR #tail = #passed)");

    const auto enter = by_a.enter(one(7), "x", face);
    CHECK(*find_string(enter.new_item, "sk") == "ship/00000000000000000000000000000000000007");
    CHECK(enter.condition_expression == "attribute_not_exists(#pk)");
    for (const auto& put : {enter, by_a.bury(7), by_a.cancel(one(7), "x"), by_a.cancel_written(one(7), "x")}) {
        CHECK_FALSE(find(put.new_item, "ttl"));
        CHECK(put.current_on_refusal);
        CHECK(parse_ticket_row(put.new_item).value().ticket == 7);
    }
    CHECK(by_a.bury(7).condition_expression == "attribute_not_exists(#pk)");
    CHECK(by_a.cancel_written(one(7), "x").condition_expression ==
          "#v = :v AND #session = :self AND #attempt = :attempt");
    CHECK(by_a.cancel(one(7), "x").condition_expression ==
          "attribute_not_exists(#pk) OR (#v = :v AND #session = :self AND #attempt = :attempt)");

    const auto leave = by_a.leave({one(7, 5), one(8)}, std::chrono::milliseconds(100));
    CHECK(leave.update_expression ==
          "SET #passed = :x, #skipped_passed = if_not_exists(#skipped_passed, :none) + :skipped, #pace = :pace");
    CHECK(leave.condition_expression == "#v = :v AND #passed BETWEEN :f AND :e AND #tail >= :x");
    CHECK(leave.values.at(":f") == attribute_value(4));
    CHECK(leave.values.at(":e") == attribute_value(6));
    CHECK(leave.values.at(":x") == attribute_value(8));
    CHECK(leave.values.at(":skipped") == attribute_value(2));
    const auto counted = by_a.leave({{.ticket = 7, .from = 5, .rank = 3}, one(8)}, std::chrono::milliseconds(100));
    CHECK(counted.update_expression == "SET #passed = :x, #skipped_passed = :skipped, #pace = :pace");
    CHECK(counted.values.at(":skipped") == attribute_value(4));
    CHECK(by_a.pass({{.ticket = 7, .from = 7, .rank = 7}, one(8)}).update_expression == "SET #passed = :x");
    const auto idle = by_a.leave_idle({one(7)}, std::chrono::milliseconds(100), 99);
    CHECK(idle.update_expression == "SET #passed = :x, #pace = :pace, #ttl = :expiry");
    CHECK(idle.condition_expression == "#v = :v AND #passed BETWEEN :f AND :e AND #tail = :x");
    CHECK(by_a.pass({one(7)}).update_expression == "SET #passed = :x");
    CHECK(by_a.rest(7, 99).condition_expression == "#v = :v AND #passed = :x AND #tail = :x");
    CHECK(by_a.fence(one(7, 5)).condition_expression == "#passed BETWEEN :f AND :e AND #tail >= :t");
    CHECK(by_a.ahead(3, 6).key_condition_expression == "#pk = :pk AND #sk BETWEEN :low AND :high");
    CHECK(by_a.ahead(3, 6).limit == 8);
}

TEST_CASE("the first ticket counts from the wall clock, and each attempt draws one ticket") {
    row_world world;
    const auto first = by_a.take("x", now);
    REQUIRE(world.applies(first));
    CHECK_FALSE(world.applies(first));
    CHECK(head_in(world) == queue_head{.tail = 1001, .passed = 1000, .last = "x"});
    REQUIRE(world.applies(by_b.take("y", now)));
    CHECK(head_in(world).tail == 1002);
    CHECK_FALSE(world.applies(by_b.take_if_free("z", now)));
}

TEST_CASE("late copies: a leave or a pass moves nothing twice, a row does not revive what is void") {
    row_world world;
    REQUIRE(world.applies(by_a.take("x", now)));
    REQUIRE(world.applies(by_b.take("y", now)));
    const auto leave = by_a.leave({one(1001)}, std::chrono::milliseconds(1));
    const auto enter = by_b.enter(one(1002), "y", face);
    CHECK_FALSE(world.applies(by_b.leave({one(1002)}, std::chrono::milliseconds(1))));
    CHECK_FALSE(world.applies(by_a.leave_idle({one(1001)}, std::chrono::milliseconds(1), 99)));
    REQUIRE(world.applies(leave));
    CHECK_FALSE(world.applies(leave));
    REQUIRE(world.applies(by_a.bury(1002)));
    CHECK_FALSE(world.applies(enter));
    REQUIRE(world.applies(by_a.pass({one(1002)})));
    CHECK_FALSE(world.applies(by_a.pass({one(1002)})));
    CHECK(head_in(world).passed == 1002);
}

TEST_CASE("a row that has landed is not buried, but its owner gives it up") {
    row_world world;
    REQUIRE(world.applies(by_b.enter(one(7), "y", face)));
    CHECK_FALSE(world.applies(by_a.bury(7)));
    REQUIRE(world.applies(by_b.cancel(one(7), "y")));
    CHECK(parse_ticket_row(world.find(ticket_key(orders, 7)).value()).value().is_void);
}

TEST_CASE("only a row of the very ticket that is given up becomes void, and where none stands only if that is wanted") {
    row_world world;
    CHECK_FALSE(world.applies(by_b.cancel_written(one(7), "y")));
    REQUIRE(world.applies(by_b.enter(one(7), "y", face)));
    for (const auto& cancel : {by_a.cancel(one(7), "y"), by_a.cancel_written(one(7), "y"), by_b.cancel(one(7), "z"),
                               by_b.cancel_written(one(7), "z")}) {
        CHECK_FALSE(world.applies(cancel));
    }
    REQUIRE(world.applies(by_b.cancel_written(one(7), "y")));
    CHECK_FALSE(world.applies(by_b.cancel(one(7), "y")));
    REQUIRE(world.applies(by_b.cancel(one(8), "y")));
}

TEST_CASE("nobody passes over a number that was not issued: a restored queue has not come to it yet") {
    row_world world;
    REQUIRE(world.applies(by_a.take("x", now)));
    REQUIRE(world.applies(by_a.pass({one(1001)})));
    CHECK_FALSE(world.applies(by_a.pass({one(1002)})));
    CHECK_FALSE(world.applies(by_a.leave({one(1002)}, std::chrono::milliseconds(1))));
    CHECK_FALSE(world.applies(by_a.leave_idle({one(1002)}, std::chrono::milliseconds(1), 99)));
}

TEST_CASE("the fence of a turn holds until anyone after it can have the turn") {
    row_world world;
    REQUIRE(world.applies(by_a.take("x", now)));
    const auto fence = by_a.fence(one(1001));
    CHECK(world.holds(fence));
    REQUIRE(world.applies(by_b.take("y", now)));
    CHECK(world.holds(fence));
    REQUIRE(world.applies(by_a.leave({one(1001)}, std::chrono::milliseconds(1))));
    CHECK_FALSE(world.holds(fence));
    CHECK(world.holds(by_b.fence(one(1002))));
}

TEST_CASE("rows of another schema, or of nobody's, are left alone and named") {
    row_world world;
    auto head = queue_head_key(orders);
    head.emplace("v", 2);
    head.emplace("tail", 5);
    head.emplace("passed", 4);
    REQUIRE(world.applies(put_item_request{.table_name = table, .new_item = head}));
    CHECK_FALSE(world.applies(by_a.take("x", now)));
    CHECK_FALSE(world.applies(by_a.leave({one(5)}, std::chrono::milliseconds(1))));
    CHECK(parse_queue_head(head).error().code == errc::unsupported_version);
    head.insert_or_assign("v", 1);
    head.insert_or_assign("tail", number(std::string(38, '9')));
    CHECK(parse_queue_head(head).error().code == errc::corrupt_row);
    head.erase("v");
    CHECK(parse_queue_head(head).error().code == errc::corrupt_row);
    auto row = by_a.enter(one(7), "x", face).new_item;
    row.erase("attempt");
    CHECK(parse_ticket_row(row).error().code == errc::corrupt_row);
}

TEST_CASE("counters of a queue that no library wrote are corrupt, and are reckoned with by nobody") {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    constexpr auto least = std::numeric_limits<std::int64_t>::min();
    const auto code_of = [](const item& row) {
        const auto parsed = parse_queue_head(row);
        return parsed ? error_code() : parsed.error().code;
    };
    auto sound = queue_head_key(orders);
    sound.insert({{"v", 1}, {"tail", 9}, {"passed", 7}, {"skipped", 9}, {"skipped_passed", 7}});
    REQUIRE(code_of(sound) == error_code());
    sound.insert_or_assign("pace", most);
    CHECK(parse_queue_head(sound).value().pace == std::chrono::milliseconds(0));
    const std::pair<const char*, std::vector<attribute_value>> wrong_counters[] = {
        {"tail", {most, least, "9"}},
        {"passed", {-1, least, 10, "7"}},
        {"skipped", {-1, least, 10, most, "9"}},
        {"skipped_passed", {-1, least, 8, most, "7"}}};
    for (const auto& [name, wrong] : wrong_counters) {
        for (const auto& each : wrong) {
            auto row = sound;
            row.insert_or_assign(name, each);
            INFO(name);
            CHECK(code_of(row) == errc::corrupt_row);
        }
    }
    auto ticket = by_a.enter(one(7), "x", face).new_item;
    ticket.insert_or_assign("from", least);
    CHECK(parse_ticket_row(ticket).error().code == errc::corrupt_row);
}

TEST_CASE("several queues are entered under one number above all, and what it skips is covered") {
    const seen_heads heads{queue_head{.tail = 50, .passed = 50}, queue_head{.tail = 20, .passed = 18}, std::nullopt};
    const auto places = choose_places(heads, 0, now);
    REQUIRE(places.size() == 3);
    CHECK(places[0] == place{.ticket = 1001, .from = 1001, .rank = 51});
    CHECK(places[1] == place{.ticket = 1001, .from = 21, .rank = 21});
    CHECK(places[2] == place{.ticket = 1001, .from = 1001, .rank = 1001});
    CHECK(choose_places({queue_head{.tail = last_ticket_ever, .passed = 1}}, 0, now).empty());
    CHECK(choose_places({queue_head{.tail = 50, .passed = 50}}, last_ticket_ever, now).empty());

    // A number that is known to be taken is skipped as those are that one of the queues has issued.
    CHECK(choose_places(heads, 1001, now)[1] == place{.ticket = 1002, .from = 21, .rank = 21});
    CHECK(choose_places(heads, 40, now) == places);

    const auto after = head_after(heads[1], places[1], "z");
    CHECK(after == queue_head{.tail = 1001, .passed = 18, .last = "z", .skipped = 980});
    CHECK(after.outstanding() == 3);
    CHECK(head_after(heads[0], places[0], "z").outstanding() == 1);
    CHECK(head_after(heads[2], places[2], "z") == queue_head{.tail = 1001, .passed = 1000, .last = "z"});
}

TEST_CASE("entering several is all or nothing, once, and gives what was foretold") {
    row_world world;
    const std::vector<queue_name> queues{orders, {.entity = "bills", .reason = {}}};
    REQUIRE(world.applies(by_b.take("y", now)));
    const auto before = head_in(world);
    const seen_heads heads{before, std::nullopt};
    const auto places = choose_places(heads, 0, now);
    const auto request = enter_all(table, queues, heads, places, "z", a, face);
    REQUIRE(world.execute(request).has_value());
    CHECK(head_in(world) == head_after(before, places[0], "z"));
    CHECK(parse_queue_head(world.find(queue_head_key(queues[1])).value()).value() ==
          head_after(std::nullopt, places[1], "z"));
    CHECK(parse_ticket_row(world.find(ticket_key(orders, places[0].ticket)).value()).value().from == before.tail + 1);

    // Others have moved on: the reasons bring the heads as they are.
    auto stale = heads;
    const auto late = enter_all(table, queues, heads, places, "w", a, face);
    const auto refused = world.execute(late);
    REQUIRE(refused.has_error());
    CHECK(decide_enter_all(refused.error(), "w", stale) == enter_all_step::renew);
    CHECK(stale[0] == head_in(world));
    CHECK(decide_enter_all(refused.error(), "z", stale) == enter_all_step::entered);

    // Others have entered since, the token is forgotten, and only the rows tell that an earlier copy did it.
    world.now += std::chrono::minutes(11);
    for (const auto& queue : queues) REQUIRE(world.applies(queue_requests(table, queue, b).take("v", now)));
    const auto again = world.execute(enter_all(table, queues, heads, places, "z", a, face));
    REQUIRE(again.has_error());
    CHECK(decide_enter_all(again.error(), "z", stale) == enter_all_step::entered);
}

TEST_CASE("a transaction that was only in the way of others is sent again") {
    seen_heads heads{std::nullopt};
    failure why(errc::transaction_canceled);
    why.reasons = {{"TransactionConflict", {}, {}}, {"None", {}, {}}};
    CHECK(decide_enter_all(why, "z", heads) == enter_all_step::again);
    why.reasons = {{"None", {}, {}}, {"ConditionalCheckFailed", {}, {}}};
    CHECK(decide_enter_all(why, "z", heads) == enter_all_step::refused);
    why.reasons = {{"ValidationError", {}, {}}, {"None", {}, {}}};
    CHECK(decide_enter_all(why, "z", heads) == enter_all_step::refused);

    // A ticket's row, where no head has moved, is of a time before the table went back; beside one that is of no queue
    // it does not matter.
    const auto row = by_b.cancel(one(7), "y").new_item;
    why.reasons = {{"None", {}, {}}, {"ConditionalCheckFailed", {}, row}};
    CHECK(decide_enter_all(why, "z", heads) == enter_all_step::beyond);
    why.reasons.insert(why.reasons.end(), {{"TransactionConflict", {}, {}}, {"ConditionalCheckFailed", {}, {}}});
    heads.emplace_back();
    CHECK(decide_enter_all(why, "z", heads) == enter_all_step::refused);
    why.reasons = {{"ConditionalCheckFailed", {}, {}}, {"ConditionalCheckFailed", {}, row}};
    CHECK(decide_enter_all(why, "z", heads) == enter_all_step::renew);
}

}  // namespace dynalease::protocol::test
