// What is sent while a backup comes back, and lands, or fails, in a table that is another.
// SPDX-License-Identifier: BSL-1.0
#include "queue_backups.hpp"

#include <catch2/catch.hpp>

#include <utility>
#include <variant>

using namespace dynalease;
using namespace dynalease::tests;

TEST_CASE("a place given up before it is seen that a backup came back takes no turn from whom it was issued to again") {
    for (const bool jointly : {false, true}) {
        backed_up past;
        auto& [w, a, b, c, d, backup] = past;
        queue_turn held;
        queue_turn present;
        run(w, a, enter(past.in(a), held));
        const auto given_up = held.ticket() + 1;
        std::vector<queue> queues{past.in(b)};
        if (jointly) {
            // Its number is given_up + 3, and covers those before.
            w.apply(put_item_request{
                .table_name = table,
                .new_item = {{"pk", "queue#y"}, {"sk", "/"}, {"v", 1}, {"tail", given_up + 2}, {"passed", 0}}});
            queues.emplace_back(*b.session, "y");
        }
        running waits(w, b, wait_in_vain(queues, 2s));
        w.scheduler.run_for(1s);
        b.network->set_plan(throttle(reads_head));
        past.restore();
        waits.wait(5s);
        w.scheduler.run_for(1s);
        run(w, c, turns_over(past.in(c), 1));
        run(w, c, enter(past.in(c), present));
        CHECK(present.ticket() == given_up);
        for (int i = 0; i < 4; ++i) run(w, d, wait_in_vain({past.in(d)}, 50ms));
        another_waits_behind(past, present, 600ms);  // its turn is not written down yet
    }
}

TEST_CASE("places that a request takes only after it was replaced, in a table that went back, are nobody's") {
    using testing::fault;
    backed_up past;
    auto& [w, a, b, c, d, backup] = past;
    const std::vector<queue> both{past.in(a), {*a.session, "y"}};
    for (const auto& each : both) run(w, a, turns_over(each, 1));  // so that it knows the heads
    backup = w.simulated.image(table);
    queue_turn theirs;
    run(w, b, enter(past.in(b), theirs));
    // The first is refused, for the head has moved, and a copy of it comes when the head is as it was.
    std::vector<fault> fates{{.what = fault::kind::apply_twice, .copy = 300ms}, {.before = 1s}};
    a.network->set_plan([&](const any_request& request, const call_options&) {
        if (fates.empty() || !std::holds_alternative<transact_write_items_request>(request)) return fault{};
        return std::exchange(fates, {fates.begin() + 1, fates.end()}).front();
    });
    std::vector<queue_turn> turns;
    const auto enter_both = [&]() -> asio::awaitable<void> { turns = co_await enter_all(both); };
    running waits(w, a, enter_both());
    w.scheduler.run_for(200ms);
    past.restore();
    w.scheduler.run_for(200ms);
    CHECK(ticket_rows(w, "y").size() == 1);
    waits.wait(10s);
    for (auto& turn : turns) run(w, a, leave(turn));
    w.scheduler.run_for(5s);
    for (const auto* each : {"x", "y"}) CHECK(nothing_left(w, each));
}

TEST_CASE("whoever is about to write its ticket down when a backup comes back draws another") {
    backed_up past;
    auto& [w, a, b, c, d, backup] = past;
    queue_turn held;
    queue_turn mine;
    queue_turn theirs;
    run(w, a, enter(past.in(a), held));
    w.scheduler.run_for(2s);
    b.network->set_plan(throttle(writes_row));
    running waits(w, b, enter(past.in(b), mine));
    w.scheduler.run_for(100ms);
    past.restore();
    queue_info seen;
    run(w, b, inspect(past.in(b), seen));
    b.network->set_plan({});
    w.scheduler.run_for(10s);
    CHECK(draws(b) >= 2);
    CHECK(mine.held());
    running behind(w, c, enter(past.in(c), theirs));
    w.scheduler.run_for(1s);
    CHECK_FALSE(theirs);
    run(w, b, leave(mine));
    behind.wait(5s);
    run(w, c, leave(theirs));
}

TEST_CASE("a place whose row may never have been written is given up only as far as its number is still its own") {
    for (const bool row_is_lost : {false, true}) {
        backed_up past;
        auto& [w, a, b, c, d, backup] = past;
        queue_turn held;
        queue_turn present;
        run(w, a, enter(past.in(a), held));
        b.network->set_plan([row_is_lost](const any_request& request, const call_options& options) {
            if (!row_is_lost) return throttle(writes_row)(request, options);
            return testing::fault{.what = writes_row(request) ? testing::fault::kind::lose_request
                                                              : testing::fault::kind::pass};
        });
        error_code code;
        queue_turn none;
        running waits(w, b, enter_code(past.in(b), {.wait = 2s}, code, none));
        w.scheduler.run_for(500ms);
        past.restore();
        run(w, c, turns_over(past.in(c), 1));
        w.scheduler.run_for(1s);
        run(w, c, enter(past.in(c), present));
        b.network->set_plan({});
        waits.wait(5s);
        another_waits_behind(past, present, 900ms);
    }
}

TEST_CASE("what could not be sent while a backup came back is not sent again for a number that is another's since") {
    for (const bool held_turn : {false, true}) {
        backed_up past;
        auto& [w, a, b, c, d, backup] = past;
        queue_turn held;
        queue_turn present;
        const auto passes = [](const any_request& request) {
            const auto* update = std::get_if<update_item_request>(&request);
            return update && update->values.contains(":x");
        };
        auto& leaver = held_turn ? a : b;
        run(w, a, enter(past.in(a), held));
        if (!held_turn) run(w, b, wait_in_vain({past.in(b)}, 1s));
        w.scheduler.run_for(1s);
        leaver.network->set_plan(throttle(passes));
        const auto number = held.ticket() + (held_turn ? 0 : 1);
        held = {};
        w.scheduler.run_for(100ms);
        past.restore();
        if (!held_turn) run(w, c, turns_over(past.in(c), 1));
        run(w, c, enter(past.in(c), present));
        CHECK(present.ticket() == number);
        leaver.network->set_plan({});
        w.scheduler.run_for(700ms);
        another_waits_behind(past, present, 200ms);
    }
}
