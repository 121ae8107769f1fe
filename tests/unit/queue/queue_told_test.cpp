// What callers are told of writes whose answer did not come: in doubt as in doubt, never as refused and never as done.
// SPDX-License-Identifier: BSL-1.0
#include "queue_callers.hpp"

#include <dynalease/queue.hpp>

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

using testing::fault;
using kind = fault::kind;

bool draws_alone(const any_request& request) {
    const auto* update = std::get_if<update_item_request>(&request);
    return update && update->key.at("pk") == attribute_value("queue#x") && update->values.contains(":attempt");
}

bool draws_jointly(const any_request& request) {
    return std::holds_alternative<transact_write_items_request>(request);
}

bool ends_turn(const any_request& request) {
    const auto* update = std::get_if<update_item_request>(&request);
    return update && update->values.contains(":pace");
}

asio::awaitable<void> enter_several(std::vector<queue> queues, enter_options options, error_code& code,
                                    std::vector<queue_turn>& into) {
    auto done = co_await enter_all(std::move(queues), std::move(options), as_tuple);
    code = std::get<0>(done);
    into = std::move(std::get<1>(done));
}

asio::awaitable<void> leave_code(queue_turn& turn, error_code& code) {
    const auto done = co_await turn.leave(as_tuple);
    code = std::get<0>(done);
}

asio::awaitable<void> try_code(queue target, error_code& code, queue_turn& into) {
    auto done = co_await target.try_enter(as_tuple);
    code = std::get<0>(done);
    into = std::move(std::get<1>(done));
}

/// The first entry opens the session, which is no part of what is tested.
void warm_up(world& w, node& in) {
    queue_turn turn;
    run(w, in, enter(queue{*in.session, "warm"}, turn));
    run(w, in, leave(turn));
    w.scheduler.run_for(2s);
}

/// Two queues, and one who holds the first of them.
struct two_queues {
    two_queues() {
        warm_up(w, a);
        warm_up(w, b);
    }
    std::vector<queue> both() { return {queue{*b.session, "x"}, queue{*b.session, "y"}}; }

    world w;
    node a{w, 1};
    node b{w, 2};
};

}  // namespace

TEST_CASE("an entry that is given up while its ticket has no answer is told in doubt, and otherwise is not") {
    for (const auto what : {kind::lose_request, kind::lose_answer, kind::pass}) {
        two_queues given;
        auto& [w, a, b] = given;
        queue_turn held;
        run(w, a, enter(queue{*a.session, "x"}, held));
        b.network->set_plan([what](const any_request& request, const call_options&) {
            return fault{.what = draws_alone(request) ? what : kind::pass};
        });
        error_code code;
        queue_turn none;
        run(w, b, enter_code(queue{*b.session, "x"}, {.wait = 700ms}, code, none));
        CAPTURE(static_cast<int>(what));
        CHECK(code == (what == kind::pass ? errc::wait_timeout : errc::in_doubt));
        // After a second it knows that there was no answer, and looks at the head, which shows what was carried out.
        run(w, b, enter_code(queue{*b.session, "x"}, {.wait = 1500ms}, code, none));
        CHECK(code == (what == kind::lose_request ? errc::in_doubt : errc::wait_timeout));
        b.network->set_plan({});
        run(w, a, leave(held));
        w.scheduler.run_for(15s);
        run(w, b, enter_code(queue{*b.session, "x"}, {.wait = 10s}, code, none));
        CHECK_FALSE(code);
    }
}

TEST_CASE("an entry into several that is given up while it has no answer is told in doubt, and otherwise is not") {
    for (const auto what : {kind::lose_request, kind::lose_answer, kind::pass}) {
        two_queues given;
        auto& [w, a, b] = given;
        queue_turn held;
        run(w, a, enter(queue{*a.session, "x"}, held));
        b.network->set_plan([what](const any_request& request, const call_options&) {
            return fault{.what = draws_jointly(request) ? what : kind::pass};
        });
        error_code code;
        std::vector<queue_turn> none;
        run(w, b, enter_several(given.both(), {.wait = 700ms}, code, none));
        CAPTURE(static_cast<int>(what));
        CHECK(code == (what == kind::pass ? errc::wait_timeout : errc::in_doubt));
        b.network->set_plan({});
        run(w, a, leave(held));
        w.scheduler.run_for(10s);
        CHECK(nothing_left(w, "x"));
        CHECK(nothing_left(w, "y"));
    }
}

TEST_CASE("an unanswered copy of an entry into several is not forgotten when later ones are throttled") {
    two_queues given;
    auto& [w, a, b] = given;
    queue_turn held;
    run(w, a, enter(queue{*a.session, "x"}, held));
    bool first = true;
    b.network->set_plan([&](const any_request& request, const call_options&) {
        if (!draws_jointly(request)) return fault{};
        if (std::exchange(first, false)) return fault{.what = kind::lose_answer};
        return fault{.what = kind::fail, .answer = failure(errc::throttled, outcome::not_applied)};
    });
    error_code code;
    std::vector<queue_turn> none;
    run(w, b, enter_several(given.both(), {.wait = 5s}, code, none));
    CHECK(code == errc::in_doubt);
    b.network->set_plan({});
    run(w, a, leave(held));
    w.scheduler.run_for(10s);
    CHECK(nothing_left(w, "x"));
    CHECK(nothing_left(w, "y"));
}

TEST_CASE("an entry into several whose first copy was applied is known by its rows when its token is forgotten") {
    two_queues given;
    auto& [w, a, b] = given;
    queue_turn held;
    run(w, a, enter(queue{*a.session, "x"}, held));
    // The service remembers tokens for ten minutes, and a session may live longer without being answered that.
    int copies = 0;
    b.network->set_plan([&](const any_request& request, const call_options&) {
        if (!draws_jointly(request)) return fault{};
        if (++copies == 1) return fault{.what = kind::lose_answer};
        return fault{.what = kind::fail, .answer = failure(errc::throttled, outcome::not_applied)};
    });
    error_code code;
    std::vector<queue_turn> turns;
    running waits(w, b, enter_several(given.both(), {}, code, turns));
    w.scheduler.run_for(5s);
    // Others stand behind it in both, so that no head names it any more.
    queue_turn behind;
    queue_turn also_behind;
    running one(w, a, enter(queue{*a.session, "x"}, behind));
    running other(w, a, enter(queue{*a.session, "y"}, also_behind));
    w.scheduler.run_for(11min);
    CHECK_FALSE(one.done());
    CHECK_FALSE(other.done());
    b.network->set_plan({});
    w.scheduler.run_for(5s);
    CHECK_FALSE(waits.done());  // the turn in "x" is still another's
    run(w, a, leave(held));
    waits.wait(5s);
    CHECK_FALSE(code);
    REQUIRE(turns.size() == 2);
    CHECK(turns[0].held());
    CHECK(turns[1].held());
    turns.clear();
    one.wait(10s);
    other.wait(10s);
    CHECK(behind.held());
    CHECK(also_behind.held());
}

TEST_CASE("nothing is drawn for somebody who gave up while the queues were looked at") {
    two_queues given;
    auto& [w, a, b] = given;
    b.network->set_plan([](const any_request& request, const call_options&) {
        const bool reads = std::holds_alternative<batch_get_item_request>(request);
        return fault{.after = reads ? 400ms : 0ms};
    });
    error_code code;
    std::vector<queue_turn> none;
    run(w, b, enter_several(given.both(), {.wait = 200ms}, code, none));
    CHECK(code == errc::timeout);
    w.scheduler.run_for(5s);
    CHECK(sent(b, "TransactWriteItems") == 0);
}

TEST_CASE("a row of a newer version that refuses a later copy says nothing of the first") {
    two_queues given;
    auto& [w, a, b] = given;
    queue_turn mine;
    run(w, a, enter(queue{*a.session, "x"}, mine));
    const auto newer = [](auto concerns) {
        return [concerns](const any_request& request, const call_options&) {
            if (!concerns(request)) return fault{};
            fault fate{.what = kind::fail, .answer = failure(errc::condition_failed, outcome::unknown)};
            fate.answer.current = item{{"v", 2}};
            return fate;
        };
    };
    a.network->set_plan(newer(ends_turn));
    error_code code;
    run(w, a, leave_code(mine, code));
    CHECK(code == errc::in_doubt);
    a.network->set_plan({});
    w.scheduler.run_for(5s);
    b.network->set_plan(newer(draws_alone));
    queue_turn none;
    run(w, b, enter_code(queue{*b.session, "x"}, {}, code, none));
    CHECK(code == errc::in_doubt);
    b.network->set_plan({});
}

TEST_CASE("a leave that is refused behind its own copy within the call has worked") {
    two_queues given;
    auto& [w, a, b] = given;
    queue_turn mine;
    queue_turn next;
    run(w, a, enter(queue{*a.session, "x"}, mine));
    running waits(w, b, enter(queue{*b.session, "x"}, next));
    w.scheduler.run_for(1s);
    queue_info seen;
    run(w, a, inspect(queue{*a.session, "x"}, seen));  // so that it knows of the other
    // The client sends the same bytes again, and the second copy finds what the first has done.
    a.network->set_plan([&, first = true](const any_request& request, const call_options&) mutable {
        if (!ends_turn(request) || !std::exchange(first, false)) return fault{};
        fault fate{.what = kind::apply_then_fail, .answer = failure(errc::condition_failed, outcome::unknown)};
        fate.answer.current = head_of(w, "x");
        fate.answer.current->insert_or_assign("passed", mine.ticket());
        return fate;
    });
    error_code code = errc::in_doubt;
    run(w, a, leave_code(mine, code));
    CHECK_FALSE(code);
    CHECK(a.session->counters().unknown_applied == 1);
    waits.wait(5s);
}

TEST_CASE("a turn whose leaving the network repeats was left, not lost, and neither is an entry that it repeats") {
    two_queues given;
    auto& [w, a, b] = given;
    queue_turn mine;
    queue_turn next;
    a.network->set_plan([drawn = 0](const any_request& request, const call_options&) mutable {
        const bool first_draw = draws_alone(request) && drawn++ == 0;
        if (!ends_turn(request) && !first_draw) return fault{};
        return fault{.what = kind::answer_copy, .copy = 50ms};
    });
    // The copy cannot be told from the request of a process that was cloned from ours: its ticket is left to its claim.
    run(w, a, enter(queue{*a.session, "x"}, mine), 5s);
    CHECK(mine.held());
    w.scheduler.run_for(2s);
    running waits(w, b, enter(queue{*b.session, "x"}, next));
    w.scheduler.run_for(2s);
    error_code code = errc::in_doubt;
    run(w, a, leave_code(mine, code));
    CHECK_FALSE(code);
    CHECK(a.session->counters().lost == 0);
    waits.wait(1s);
    CHECK(next.held());
}

TEST_CASE("several queues that are free are entered without waiting, and one that is not fails it at once") {
    two_queues given;
    auto& [w, a, b] = given;
    error_code code;
    std::vector<queue_turn> turns;
    run(w, b, enter_several(given.both(), {.wait = 0s}, code, turns));
    CHECK_FALSE(code);
    REQUIRE(turns.size() == 2);
    CHECK(turns[0].held());
    CHECK(turns[1].held());
    turns.clear();
    w.scheduler.run_for(2s);

    queue_turn held;
    run(w, a, enter(queue{*a.session, "y"}, held));
    const auto begun = w.scheduler.now();
    run(w, b, enter_several(given.both(), {.wait = 0s}, code, turns));
    CHECK(code == errc::wait_timeout);
    CHECK(turns.empty());
    CHECK(w.scheduler.now() == begun);
    run(w, a, leave(held));
    // What was busy a moment ago is not taken for busy now.
    run(w, b, enter_several(given.both(), {.wait = 0s}, code, turns));
    CHECK_FALSE(code);
    turns.clear();

    b.network->set_plan([](const any_request& request, const call_options&) {
        if (!draws_jointly(request)) return fault{};
        return fault{.what = kind::fail, .answer = failure(errc::throttled, outcome::not_applied)};
    });
    w.scheduler.run_for(2s);
    run(w, b, enter_several(given.both(), {.wait = 0s}, code, turns));
    CHECK(code == errc::throttled);
    b.network->set_plan({});
    w.scheduler.run_for(5s);
    CHECK(nothing_left(w, "x"));
    CHECK(nothing_left(w, "y"));
}

TEST_CASE("heads that the service leaves unprocessed are asked for again after pauses") {
    two_queues given;
    auto& [w, a, b] = given;
    std::size_t reads = 0;
    b.network->set_plan([&](const any_request& request, const call_options&) {
        if (!std::holds_alternative<batch_get_item_request>(request)) return fault{};
        ++reads;
        return fault{.what = kind::partial_batch};
    });
    std::vector<queue> many;
    for (int i = 0; i < 40; ++i) many.emplace_back(*b.session, "q" + std::to_string(i));
    error_code code;
    std::vector<queue_turn> turns;
    const auto begun = w.scheduler.now();
    run(w, b, enter_several(many, {}, code, turns));
    CHECK_FALSE(code);
    CHECK(turns.size() == 40);
    CHECK(reads > 2);
    CHECK(w.scheduler.now() > begun + 10ms);  // where requests take no time
}

TEST_CASE("a try that is not answered is told in doubt after its second request, and taken back") {
    for (const auto what : {kind::lose_request, kind::lose_answer}) {
        two_queues given;
        auto& [w, a, b] = given;
        CAPTURE(static_cast<int>(what));
        b.network->set_plan([what](const any_request& request, const call_options&) {
            const bool looks = std::holds_alternative<get_item_request>(request);
            return fault{.what = draws_alone(request) || looks ? what : kind::pass};
        });
        error_code code;
        queue_turn none;
        run(w, b, try_code(queue{*b.session, "x"}, code, none), 5s);
        CHECK(code == errc::in_doubt);
        b.network->set_plan({});
        w.scheduler.run_for(10s);
        CHECK(nothing_left(w, "x"));

        b.network->set_plan([what](const any_request& request, const call_options&) {
            return fault{.what = draws_jointly(request) ? what : kind::pass};
        });
        std::vector<queue_turn> turns;
        run(w, b, enter_several(given.both(), {.wait = 0s}, code, turns), 5s);
        CHECK(code == errc::in_doubt);
        CHECK(turns.empty());
        b.network->set_plan({});
        w.scheduler.run_for(10s);
        CHECK(nothing_left(w, "x"));
        CHECK(nothing_left(w, "y"));
    }
}

TEST_CASE("a try whose answer is lost has its turn as soon as the head shows that it was carried out") {
    two_queues given;
    auto& [w, a, b] = given;
    b.network->set_plan([](const any_request& request, const call_options&) {
        return fault{.what = draws_alone(request) ? kind::lose_answer : kind::pass};
    });
    b.network->clear_log();
    error_code code;
    queue_turn mine;
    run(w, b, try_code(queue{*b.session, "x"}, code, mine), 5s);
    CHECK_FALSE(code);
    CHECK(mine.held());
    CHECK(sent(b, "UpdateItem") == 1);
}

TEST_CASE("several queues that somebody of this process is about to enter are not waited for by a try") {
    two_queues given;
    auto& [w, a, b] = given;
    b.network->set_plan([](const any_request& request, const call_options&) {
        return fault{.what = draws_jointly(request) ? kind::lose_request : kind::pass};
    });
    error_code first_code;
    std::vector<queue_turn> first;
    running draws(w, b, enter_several(given.both(), {}, first_code, first));
    w.scheduler.run_for(500ms);
    error_code code;
    std::vector<queue_turn> none;
    const auto begun = w.scheduler.now();
    run(w, b, enter_several({queue{*b.session, "y"}, queue{*b.session, "z"}}, {.wait = 0s}, code, none), 5s);
    CHECK(code == errc::wait_timeout);
    CHECK(w.scheduler.now() == begun);
    b.network->set_plan({});
    draws.wait(10s);
    CHECK_FALSE(first_code);
    CHECK(first.size() == 2);
}
