// What a hook is told of turns in queues, of one and of several at once.
// SPDX-License-Identifier: BSL-1.0
#include "queue_callers.hpp"
#include "support/grant_notes.hpp"

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

using enum grant_event;
using events = std::vector<grant_event>;

session_options listening(grant_notes& notes) {
    session_options options{.table = table};
    options.on_grant = notes.hook();
    return options;
}

asio::awaitable<void> enter_each(std::vector<queue> queues, enter_options options, error_code& code,
                                 std::vector<queue_turn>& into) {
    auto done = co_await enter_all(std::move(queues), std::move(options), as_tuple);
    code = std::get<0>(done);
    into = std::move(std::get<1>(done));
}

asio::awaitable<void> close(node& in) {
    co_await in.session->close();
}

}  // namespace

TEST_CASE("a turn is told when it begins and when it is left, with its ticket") {
    grant_notes notes;
    world w;
    node a(w, 1, {}, listening(notes));
    queue line{*a.session, "order/1", {.reason = "packing"}};
    queue_turn first;
    queue_turn second;
    run(w, a, enter(line, first));
    running waiting(w, a, enter(line, second));
    w.scheduler.run_for(2s);
    run(w, a, leave(first));
    waiting.wait();
    REQUIRE(notes.events() == events{granted, handed_over, granted});
    CHECK(notes.told[0].verb == "queue.enter");
    CHECK(notes.told[0].name == "order/1");
    CHECK(notes.told[0].table == table);
    CHECK(notes.told[0].token == first.ticket());
    CHECK(notes.told[0].requests == 2);  // the session's row, and a ticket
    CHECK(notes.told[1].id == notes.told[0].id);
    CHECK(notes.told[1].took >= 2s);
    CHECK(notes.told[2].token == second.ticket());
    CHECK(notes.told[2].took >= 2s);
    run(w, a, leave(second));
    CHECK(notes.told.back().what == released);
    CHECK(notes.fits());
}

TEST_CASE("who enters in vain is told: by his time, as a try, and by the end of the session") {
    grant_notes notes;
    world w;
    node a(w, 1, {}, listening(notes));
    node b(w, 2);
    queue_turn theirs;
    run(w, b, enter(queue{*b.session, "x"}, theirs));
    queue line{*a.session, "x"};
    queue_turn turn;
    error_code code;
    run(w, a, enter_code(line, {.wait = 3s}, code, turn));
    run(w, a, try_enter(line, turn));
    running waiting(w, a, enter_code(line, {}, code, turn));
    w.scheduler.run_for(1s);
    run(w, a, close(a));
    waiting.wait();
    REQUIRE(notes.events() == events{not_granted, not_granted, not_granted});
    CHECK(notes.told[0].code == errc::wait_timeout);
    CHECK(notes.told[0].took >= 3s);
    CHECK(notes.told[1].verb == "queue.try_enter");
    CHECK(notes.told[1].code == errc::wait_timeout);
    CHECK(notes.told[1].words.find(b.session->id()) != std::string::npos);
    CHECK(notes.told[2].code == errc::session_closed);
}

TEST_CASE("a turn that ends with its session is told as lost, or as closed") {
    for (const bool loses : {true, false}) {
        grant_notes notes;
        world w;
        node a(w, 1, {}, listening(notes));
        queue_turn turn;
        run(w, a, enter(queue{*a.session, "x"}, turn));
        w.scheduler.run_for(2s);
        if (loses) {
            a.network->set_plan([](const any_request&, const call_options&) {
                return testing::fault{testing::fault::kind::lose_request};
            });
            w.scheduler.run_for(30s);
        } else {
            run(w, a, close(a));
        }
        REQUIRE(notes.events() == events{granted, loses ? lost : closed});
        CHECK(notes.told[1].code == (loses ? make_error_code(errc::session_lost) : error_code()));
    }
}

TEST_CASE("of queues that are entered together each is told, by an id of its own") {
    grant_notes session;
    grant_notes own;
    world w;
    node a(w, 1, {}, listening(session));
    node b(w, 2);
    const queue x{*a.session, "x"};
    const queue y{*a.session, "y"};
    std::vector<queue_turn> turns;
    error_code code;
    run(w, a, enter_each({x, observed(y, own.hook())}, {}, code, turns));
    REQUIRE(session.events() == events{granted, granted});
    CHECK(session.told[0].name == "x");
    CHECK(session.told[1].name == "y");
    CHECK(session.told[0].verb == "enter_all");
    CHECK(session.told[0].id != session.told[1].id);
    CHECK(session.told[0].token == turns[0].ticket());
    CHECK(own.events() == events{granted});
    CHECK(own.told[0].id == session.told[1].id);
    turns.clear();
    w.scheduler.run_for(1s);
    CHECK(session.events() == events{granted, granted, released, released});
    CHECK(own.events() == events{granted, released});
    CHECK(session.fits());

    queue_turn theirs;
    run(w, b, enter(queue{*b.session, "y"}, theirs));
    run(w, a, enter_each({x, y}, {.wait = 2s}, code, turns));
    CHECK(code == errc::wait_timeout);
    CHECK(session.waits() == 4);
    CHECK(session.grants() == 2);
    CHECK(session.told.back().code == errc::wait_timeout);
    CHECK(session.fits());
}

TEST_CASE("what is sent for queues that are entered together is counted: each attempt, and what each of them takes") {
    const bool throttled = GENERATE(true, false);
    grant_notes notes;
    world w;
    node a(w, 1, {}, listening(notes));
    node b(w, 2);
    lock_guard other;  // of a session that is live
    run(w, a, [](node& in, lock_guard& into) -> asio::awaitable<void> {
        const lock first{*in.session, "first"};
        into = co_await first.acquire();
    }(a, other));
    queue_turn theirs;
    // Somebody is before us in the second: its head is asked for until he leaves.
    if (!throttled) run(w, b, enter(queue{*b.session, "y"}, theirs));
    int left = throttled ? 2 : 0;
    unsigned sweeps = 0;  // after what others have left behind: not for who waits
    a.network->set_plan([&](const any_request& sent, const call_options&) {
        const auto* query = std::get_if<query_request>(&sent);
        if (query && query->limit == 25) ++sweeps;
        if (!std::holds_alternative<batch_get_item_request>(sent) || left == 0) return testing::fault{};
        --left;
        return testing::fault{.what = testing::fault::kind::fail,
                              .answer = failure(errc::throttled, outcome::not_applied),
                              .again = 50ms};
    });
    a.network->clear_log();
    notes.told.clear();
    std::vector<queue_turn> turns;
    error_code code;
    running waiting(w, a, enter_each({queue{*a.session, "x"}, queue{*a.session, "y"}}, {.wait = 10s}, code, turns));
    w.scheduler.run_for(3s);
    theirs = {};
    waiting.wait();
    REQUIRE_FALSE(code);
    unsigned sent = 0;
    for (const auto& each : a.network->log()) {
        if (each->lane != lane::heartbeat && each->key.find("session#") == std::string::npos) sent += each->attempts;
    }
    CHECK(sent >= 3);
    REQUIRE(notes.events() == events{granted, granted});
    CHECK(notes.told[0].requests == sent - sweeps);
    CHECK(notes.told[1].requests == sent - sweeps);
}

TEST_CASE("who enters several queues beside others is not told what those send about queues of their own alone") {
    grant_notes notes;
    world w;
    node a(w, 1, {}, listening(notes));
    std::vector<queue_turn> mine;
    std::vector<queue_turn> others;
    error_code code;
    const queue x{*a.session, "x"};
    const queue y{*a.session, "y"};
    const queue z{*a.session, "z"};
    run(w, a, enter_each({z}, {}, code, others));  // the session is live
    others.clear();
    w.scheduler.run_for(10s);
    a.network->clear_log();
    notes.told.clear();
    running theirs(w, a, enter_each({x, y, z}, {}, code, others));
    running ours(w, a, enter_each({x, y, z}, {.wait = 5s}, code, mine));
    w.scheduler.run_for(10s);
    ours.wait();
    unsigned sent = 0;
    for (const auto& each : a.network->log()) {
        if (each->lane != lane::heartbeat && each->key.find("session#") == std::string::npos) sent += each->attempts;
    }
    for (const auto& each : notes.told) {
        if (each.what == grant_event::not_granted) CHECK(each.requests <= sent);
    }
    CHECK(notes.waits() == 6);
}
