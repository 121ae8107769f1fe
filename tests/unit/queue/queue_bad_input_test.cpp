// What cannot be: each is refused by name, and leaves nothing behind.
// SPDX-License-Identifier: BSL-1.0
#include "queue_callers.hpp"

#include "support/edited_answers.hpp"
#include "support/refused_data.hpp"

#include <dynalease/queue.hpp>

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

error_code refusal_of(session& of, const std::string& entity, const queue_options& options) {
    try {
        queue made{of, entity, options};
    } catch (const error& e) {
        CHECK_FALSE(e.diagnostics().message.empty());
        return e.code();
    }
    return {};
}

void check_refused(world& w, node& in, const enter_options& options, errc expected) {
    error_code code;
    queue_turn turn;
    run(w, in, enter_code(queue{*in.session, "x"}, options, code, turn));
    CHECK(code == expected);
    CHECK_FALSE(turn);
}

}  // namespace

TEST_CASE("names and options of a queue have limits") {
    world w;
    node a(w);
    auto& s = *a.session;
    CHECK(refusal_of(s, "", {}) == errc::invalid_name);
    CHECK(refusal_of(s, std::string(2043, 'x'), {}) == errc::invalid_name);
    CHECK(refusal_of(s, std::string(2042, 'x'), {}) == error_code());
    CHECK(refusal_of(s, "x", {.reason = "a/b"}) == errc::invalid_name);
    CHECK(refusal_of(s, "x", {.reason = std::string(986, 'r')}) == errc::invalid_name);
    CHECK(refusal_of(s, "x", {.poll_interval = 9ms}) == errc::invalid_option);
    CHECK(refusal_of(s, "x", {.poll_interval = 2s, .longest_poll_interval = 1s}) == errc::invalid_option);
    // The turn would have been given before its row was refused.
    check_refused(w, a, {.data = item{{"note", std::string(400'000, 'x')}}}, errc::item_too_large);
    check_refused(w, a, {.data = item{{"tags", string_set{}}}}, errc::bad_attribute);
    check_refused(w, a, {.data = item{{"", "x"}}}, errc::bad_attribute);
    check_refused(w, a, {.data = item{{"a", attribute_map{{"", "x"}}}}}, errc::bad_attribute);
    check_refused(w, a, {.data = item{{"a", attribute_list{"\xff"}}}}, errc::bad_attribute);
    check_refused(w, a, {.data = item{{"a", string_set{"b", "\xff"}}}}, errc::bad_attribute);
    check_refused(w, a, {.data = item{{"a", attribute_map{{std::string(65'536, 'n'), 1}}}}}, errc::bad_attribute);
    attribute_value deep("x");
    for (int i = 0; i < 31; ++i) deep = attribute_map{{"m", deep}};
    check_refused(w, a, {.data = item{{"a", deep}}}, errc::bad_attribute);
    item many;  // each with a byte of its own
    for (int i = 0; i < 70'000; ++i) many.emplace(std::to_string(10'000 + i), "");
    check_refused(w, a, {.data = many}, errc::item_too_large);
    CHECK(a.network->log().empty());
}

TEST_CASE("a turn whose row the service refuses is lost with the service's words") {
    world w;
    node a(w);
    error_code code;
    queue_turn turn;
    a.network->set_plan(refusing_data());
    enter_options refused;
    refused.data = item{{refused_member, "x"}};
    run(w, a, enter_code(queue{*a.session, "x"}, refused, code, turn));
    REQUIRE(turn.held());
    w.scheduler.run_for(5s);
    CHECK_FALSE(turn.held());
    diagnostics why;
    run(w, a, [](queue_turn& of, diagnostics& told) -> asio::awaitable<void> {
        co_await of.leave(told, as_tuple);
    }(turn, why));
    CAPTURE(why.message);
    CHECK(why.message.find("it could not be written down in time: the request is malformed") != std::string::npos);
}

TEST_CASE("a row of somebody else where the queue's head would be is left alone") {
    world w;
    node a(w);
    item foreign{{"pk", "queue#x"}, {"sk", "/"}, {"theirs", 1}};
    w.apply(put_item_request{.table_name = table, .new_item = foreign});
    check_refused(w, a, {}, errc::corrupt_row);
    check_refused(w, a, {.wait = 0s}, errc::corrupt_row);
    CHECK(head_of(w, "x") == foreign);

    foreign["v"] = 2;
    w.apply(put_item_request{.table_name = table, .new_item = foreign});
    check_refused(w, a, {}, errc::unsupported_version);
    w.scheduler.run_for(10s);
    CHECK(head_of(w, "x") == foreign);
    CHECK(ticket_rows(w, "x").empty());
}

TEST_CASE("a counter at 38 nines, or at the end of 64 bits, is refused and left as it is") {
    world w;
    node a(w);
    for (const auto& end : {std::string(38, '9'), std::string("9223372036854775806")}) {
        item head{{"pk", "queue#x"}, {"sk", "/"}, {"v", 1}, {"tail", number(end)}, {"passed", number(end)}};
        w.apply(put_item_request{.table_name = table, .new_item = head});
        check_refused(w, a, {}, errc::corrupt_row);
        w.scheduler.run_for(10s);
        CHECK(head_of(w, "x") == head);
        CHECK(ticket_rows(w, "x").empty());
    }
}

TEST_CASE("a foreign row in a ticket's place fails those who meet it, and nobody else") {
    world w;
    node a(w, 1);
    node b(w, 2);
    queue_turn first;
    run(w, a, enter(queue{*a.session, "x"}, first));
    auto foreign = ticket_key("x", first.ticket() + 1);
    foreign.emplace("theirs", 1);
    w.apply(put_item_request{.table_name = table, .new_item = foreign});
    check_refused(w, b, {}, errc::corrupt_row);
    w.scheduler.run_for(10s);
    CHECK(first.held());
    run(w, a, leave(first));
    w.scheduler.run_for(10s);
    CHECK(ticket_rows(w, "x") == std::vector<item>{foreign});
}

namespace {
asio::awaitable<void> enter_all_code(std::vector<queue> queues, enter_options options, error_code& code,
                                     diagnostics* details = nullptr) {
    diagnostics why;
    auto done = co_await enter_all(std::move(queues), std::move(options), why, asio::as_tuple(asio::deferred));
    code = std::get<0>(done);
    if (details) *details = std::move(why);
}
}  // namespace

TEST_CASE("queues that cannot be entered together are refused before anything is sent") {
    world w;
    node a(w, 1);
    node b(w, 2);
    const queue x{*a.session, "x"};
    error_code code;
    diagnostics why;
    const std::vector<queue> same{x, queue{*a.session, "y"}, x};
    run(w, a, enter_all_code(same, {}, code, &why));
    CHECK(code == errc::invalid_option);
    CHECK(why.message == "entries 0 and 2 are one queue");
    CHECK(why.key == "x");
    const std::vector<queue> strangers{x, queue{*b.session, "y"}};
    run(w, a, enter_all_code(strangers, {}, code, &why));
    CHECK(code == errc::invalid_option);
    CHECK(why.message == "entry 1 belongs to another session than entry 0");
    CHECK(why.key == "y");
    std::vector<queue> many;
    for (int i = 0; i < 49; ++i) many.emplace_back(*a.session, "q" + std::to_string(i));
    run(w, a, enter_all_code(many, {}, code));
    CHECK(code == errc::invalid_option);
    run(w, a, enter_all_code({x}, {.wait = until_known}, code));
    CHECK(code == errc::invalid_option);
    run(w, a, enter_all_code({}, {}, code));
    CHECK(code == errc::invalid_option);
    CHECK(a.network->log().empty());
}

TEST_CASE("as many queues as can be entered together, with the longest names and as much data as may be, are entered") {
    world w;
    node a(w);
    std::vector<queue> all;
    for (int i = 0; i < 48; ++i) all.emplace_back(*a.session, std::to_string(100 + i) + std::string(2039, 'q'));
    enter_options options;
    options.data.emplace("note", std::string(3'800'000 / 48 - 50, 'x'));
    error_code code;
    diagnostics why;
    run(w, a, enter_all_code(all, options, code, &why));
    CAPTURE(why.message);
    CHECK_FALSE(code);
    options.data["note"] = std::string(3'800'000 / 48, 'x');
    run(w, a, enter_all_code(all, options, code, &why));
    CHECK(code == errc::item_too_large);
}

TEST_CASE("a head that nobody asked for is passed over") {
    world w;
    node a(w);
    for (const item& odd : {item{{"pk", "queue#z"}, {"sk", "/"}}, item{{"pk", "queue#z"}}, item{}}) {
        const auto network = std::make_shared<edited_answers>(a.network, [&odd](any_response& answer) {
            auto* batch = std::get_if<batch_get_item_response>(&answer);
            if (batch) batch->items[std::string(table)].push_back(odd);
        });
        session in(database(network), {.table = table});
        error_code code;
        run(w, a, enter_all_code({queue(in, "x"), queue(in, "y")}, {.wait = 5s}, code));
        CHECK_FALSE(code);
    }
}

TEST_CASE("a head that somebody has damaged takes no memory for the tickets that it counts") {
    for (const std::int64_t tail : {std::int64_t(1'000'000), std::int64_t(4'000'000'000'000'000'000)}) {
        world w;
        node a(w);
        queue_turn turn;
        run(w, a, enter(queue{*a.session, "x"}, turn));
        auto head = w.apply(get_item_request{.table_name = table, .key = {{"pk", "queue#x"}, {"sk", "/"}}}).found;
        REQUIRE(head);
        head->insert_or_assign("tail", tail);
        w.apply(put_item_request{.table_name = table, .new_item = *head});
        error_code code;
        run(w, a, [](queue target, error_code& into) -> asio::awaitable<void> {
            auto [failed, info] = co_await target.inspect(as_tuple);
            into = failed;
        }(queue{*a.session, "x"}, code));
        CHECK(code == errc::corrupt_row);
    }
}

TEST_CASE("several queues in a table that is no coordination table are told so") {
    world w;
    w.apply(create_table_request{.table_name = "other", .key = {.hash = {.name = "pk"}}});
    node a(w, 1, {}, {.table = "other"});
    error_code code;
    diagnostics why;
    run(w, a, enter_all_code({queue(*a.session, "x"), queue(*a.session, "y")}, {}, code, &why));
    CHECK(code == errc::validation);
    CHECK(why.table == "other");
    CHECK_THAT(why.message, Catch::Contains("has the key pk (S), and a coordination table"));
}

TEST_CASE("an empty turn answers, and holds nothing") {
    world w;
    node a(w);
    queue_turn none;
    CHECK_FALSE(none);
    CHECK(none.state() == guard_state::empty);
    CHECK(none.ticket() == 0);
    CHECK(none.name().empty());
    CHECK_THROWS_AS(none.fence(), error);
    error_code code;
    const auto leaving = [](queue_turn& turn, error_code& into) -> asio::awaitable<void> {
        const auto done = co_await turn.leave(asio::as_tuple(asio::deferred));
        into = std::get<0>(done);
    };
    run(w, a, leaving(none, code));
    CHECK(code == errc::not_held);
}
