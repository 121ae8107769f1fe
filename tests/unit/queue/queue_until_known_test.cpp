// A caller that waits for its turn only until it is known whether anybody before it lives.
// SPDX-License-Identifier: BSL-1.0
#include "queue_callers.hpp"

#include <dynalease/queue.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <catch2/catch.hpp>

#include <memory>
#include <optional>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

constexpr auto lease = 10s;
constexpr auto heartbeat = lease / 4;
/// From a heartbeat to the look that sees it, at the latest.
constexpr auto next_look = lease / 8 + 1s;

/// One has the turn; every other process is begun for one call.
struct one_turn {
    one_turn() { run(w, *holder, enter(queue{*holder->session, "x"}, turn)); }

    void kill_holder() {
        turn = {};
        holder->crash();
    }
    std::unique_ptr<running> ask(node& process) {
        const enter_options options{.wait = until_known};
        return std::make_unique<running>(w, process, enter_code(queue{*process.session, "x"}, options, told, got));
    }
    /// Its only call in its life. @returns how long it took
    std::chrono::nanoseconds call_of(node& process) {
        const auto began = w.scheduler.now();
        ask(process)->wait();
        return w.scheduler.now() - began;
    }
    std::int64_t tail() { return *find_integer(*head_of(w, "x"), "tail"); }
    bool contended() const { return told == errc::wait_timeout && !got; }

    world w;
    std::optional<node> holder{std::in_place, w, 1};
    queue_turn turn;
    queue_turn got;
    error_code told;
};

}  // namespace

TEST_CASE("a free queue is entered at once by who would wait until it is known whether anybody lives") {
    world w;
    node a(w);
    queue_turn turn;
    error_code told;
    run(w, a, enter_code(queue{*a.session, "x"}, {.wait = until_known}, told, turn));
    CHECK_FALSE(told);
    CHECK(turn.held());
    CHECK(sent(a) == 1);
}

TEST_CASE("a holder that lives is known by its next heartbeat, and no ticket is drawn") {
    for (const auto since : {100ms, 700ms, 1300ms, 2400ms, 5000ms}) {
        one_turn at;
        at.w.scheduler.run_for(since);
        const auto last = at.tail();
        node other(at.w, 2);
        const auto took = at.call_of(other);
        CHECK(at.contended());
        CHECK(took <= heartbeat + next_look);
        CHECK(at.turn.held());
        CHECK(at.tail() == last);
        CHECK(ticket_rows(at.w, "x").size() <= 1);
        CHECK(sent(other) <= 8);
        CHECK(other.requests("session#" + at.holder->session->id()) <= 5);
    }
}

TEST_CASE("the head of a queue is read no more often than the holder's lease is long, by who asks whether it lives") {
    world w;
    constexpr std::chrono::seconds lease = 1h;
    node holder(w, 1, {}, {.table = table, .lease = lease});
    queue_turn turn;
    run(w, holder, enter(queue{*holder.session, "x"}, turn));
    w.scheduler.run_for(2s);
    node other(w, 2);
    queue_turn got;
    error_code told;
    const auto began = w.scheduler.now();
    run(w, other, enter_code(queue{*other.session, "x"}, {.wait = until_known}, told, got), 1h);
    CHECK(told == errc::wait_timeout);
    const auto took = w.scheduler.now() - began;
    CHECK(took <= lease / 4 + lease / 8 + 1s);
    const auto eighths = static_cast<std::size_t>(took / (lease / 8)) + 1;
    CHECK(sent(other, "GetItem") <= 3 * eighths);
    CHECK(sent(other, "Query") <= 26);  // 4 s, 4 s, ..., then each time a quarter more
}

TEST_CASE("a holder of a long lease that leaves while somebody asks after it is known to have lived soon after") {
    world w;
    node holder(w, 1, {}, {.table = table, .lease = 1h});
    queue_turn turn;
    run(w, holder, enter(queue{*holder.session, "x"}, turn));
    w.scheduler.run_for(2s);
    node other(w, 2);
    queue_turn got;
    error_code told;
    running asks(w, other, enter_code(queue{*other.session, "x"}, {.wait = until_known}, told, got));
    w.scheduler.run_for(20s);
    REQUIRE_FALSE(asks.done());
    run(w, holder, leave(turn));
    asks.wait(10s);
    CHECK(told == errc::wait_timeout);
}

TEST_CASE("a dead holder's turn is passed over by the first who asks, though none lives longer than its call") {
    one_turn at;
    at.w.scheduler.run_for(4s);
    at.kill_holder();
    const auto last = at.tail();
    node other(at.w, 2);
    const auto took = at.call_of(other);
    CHECK_FALSE(at.told);
    CHECK(at.got.held());
    CHECK(at.got.ticket() == last + 1);
    CHECK(took >= lease);
    CHECK(took <= lease + 1s);
}

TEST_CASE("a turn that was never written down, and whose holder has died, is over with its claim") {
    one_turn at;
    at.w.scheduler.run_for(300ms);
    at.kill_holder();
    node other(at.w, 2);
    const auto took = at.call_of(other);
    CHECK_FALSE(at.told);
    CHECK(at.got.held());
    CHECK(took <= 5s);
}

TEST_CASE("one who asks passes over all who are dead, whoever they are") {
    one_turn at;
    std::vector<std::unique_ptr<node>> line;
    std::vector<queue_turn> never(4);
    std::vector<std::unique_ptr<running>> waits;
    for (std::size_t i = 0; i < never.size(); ++i) {
        line.push_back(std::make_unique<node>(at.w, 10 + i));
        waits.push_back(std::make_unique<running>(at.w, *line[i], enter(queue{*line[i]->session, "x"}, never[i])));
        at.w.scheduler.run_for(200ms);
    }
    at.w.scheduler.run_for(2s);
    for (auto& each : line) each->crash();
    at.kill_holder();
    node other(at.w, 2);
    const auto took = at.call_of(other);
    CHECK_FALSE(at.told);
    CHECK(at.got.held());
    CHECK(took <= 2 * lease + 2s);
}

TEST_CASE("one who lives and waits goes before who asks, though the holder is dead") {
    one_turn at;
    node waiter(at.w, 3);
    queue_turn next;
    running waits(at.w, waiter, enter(queue{*waiter.session, "x"}, next));
    at.w.scheduler.run_for(4s);
    at.kill_holder();
    node other(at.w, 2);
    const auto took = at.call_of(other);
    CHECK(at.contended());
    CHECK(took <= heartbeat + next_look);
    waits.wait(lease + 5s);
    CHECK(next.held());
}

TEST_CASE("what a living holder leaves meanwhile is not taken") {
    one_turn at;
    at.w.scheduler.run_for(100ms);
    node other(at.w, 2);
    const auto call = at.ask(other);
    at.w.scheduler.run_for(100ms);
    run(at.w, *at.holder, leave(at.turn));
    call->wait(next_look);
    CHECK(at.contended());
    at.w.scheduler.run_for(3s);
    CHECK(nothing_left(at.w, "x"));
}

TEST_CASE("whoever draws a ticket meanwhile goes before who asks, of the same process, too") {
    const bool same = GENERATE(false, true);
    one_turn at;
    at.w.scheduler.run_for(4s);
    at.kill_holder();
    node other(at.w, 2);
    node third(at.w, 3);
    auto& late = same ? other : third;
    const auto call = at.ask(other);
    at.w.scheduler.run_for(1s);
    queue_turn patient;
    running waits(at.w, late, enter(queue{*late.session, "x"}, patient));
    call->wait(next_look);
    CHECK(at.contended());
    waits.wait(lease + 5s);
    CHECK(patient.held());
}

TEST_CASE("of several who ask behind a dead holder one gets the turn") {
    one_turn at;
    at.w.scheduler.run_for(4s);
    at.kill_holder();
    struct asker {
        explicit asker(one_turn& in, std::uint64_t seed) : process(in.w, seed) {}
        node process;
        queue_turn got;
        error_code told;
    };
    std::vector<std::unique_ptr<asker>> askers;
    std::vector<std::unique_ptr<running>> calls;
    for (std::uint64_t i = 0; i < 3; ++i) {
        auto& one = *askers.emplace_back(std::make_unique<asker>(at, 10 + i));
        one.process.network->set_plan(
            [](const any_request&, const call_options&) { return testing::fault{.before = 3ms, .after = 3ms}; });
        const enter_options options{.wait = until_known};
        const queue target{*one.process.session, "x"};
        calls.push_back(std::make_unique<running>(at.w, one.process, enter_code(target, options, one.told, one.got)));
    }
    for (auto& each : calls) each->wait(lease + 5s);
    const auto winners = std::ranges::count_if(askers, [](const auto& one) { return one->got.held(); });
    CHECK(winners == 1);
    for (const auto& one : askers) CHECK((one->got || one->told == errc::wait_timeout));
}

TEST_CASE("what this very process holds, or asks for, is known to live") {
    one_turn at;
    const auto before = at.holder->network->log().size();
    CHECK(at.call_of(*at.holder) == 0s);
    CHECK(at.contended());
    CHECK(at.holder->network->log().size() == before);
}

TEST_CASE("a ticket that this process has just given up is no sign of life") {
    one_turn at;
    at.w.scheduler.run_for(4s);
    at.kill_holder();
    node other(at.w, 2);
    queue_turn never;
    error_code late;
    run(at.w, other, enter_code(queue{*other.session, "x"}, {.wait = 2s}, late, never));
    REQUIRE(late == errc::wait_timeout);
    at.call_of(other);
    CHECK_FALSE(at.told);
    CHECK(at.got.held());
}

TEST_CASE("a holder that stood still, and beats again, lives") {
    one_turn at;
    at.w.scheduler.run_for(4s);
    at.holder->process->pause();
    node other(at.w, 2);
    const auto call = at.ask(other);
    at.w.scheduler.run_for(7s);
    CHECK_FALSE(call->done());
    at.holder->process->resume();
    call->wait(heartbeat + next_look);
    CHECK(at.contended());
    CHECK(at.turn.held());
}

TEST_CASE("a queue whose head is deleted meanwhile is free") {
    one_turn at;
    at.w.scheduler.run_for(4s);
    at.kill_holder();
    node other(at.w, 2);
    const auto call = at.ask(other);
    at.w.scheduler.run_for(500ms);
    at.w.apply(delete_item_request{.table_name = table, .key = {{"pk", "queue#x"}, {"sk", "/"}}});
    call->wait(next_look);
    CHECK_FALSE(at.told);
    CHECK(at.got.held());
}

TEST_CASE("who asks is told of trouble at once, and of his own change of mind") {
    one_turn at;
    at.w.scheduler.run_for(4s);
    node other(at.w, 2);
    SECTION("nobody answers") {
        const auto call = at.ask(other);
        at.w.scheduler.run_for(200ms);
        other.network->set_plan([](const any_request&, const call_options&) {
            return testing::fault{.what = testing::fault::kind::fail, .answer = failure(errc::unreachable)};
        });
        call->wait(next_look);
        CHECK(at.told == condition::unreachable);
    }
    SECTION("he gives up") {
        asio::cancellation_signal stop;
        const enter_options options{.wait = until_known};
        queue target{*other.session, "x"};
        target.enter(options, asio::bind_cancellation_slot(stop.slot(), [&](error_code code, queue_turn turn) {
                         at.told = code;
                         at.got = std::move(turn);
                     }));
        at.w.scheduler.run_for(200ms);
        stop.emit(asio::cancellation_type::terminal);
        at.w.scheduler.run_for(10ms);
        CHECK(at.told == errc::cancelled);
        other.network->clear_log();
        at.w.scheduler.run_for(1min);
        CHECK(sent(other) == 0);
    }
    CHECK_FALSE(at.got);
    CHECK(at.turn.held());
}

TEST_CASE("several queues are not entered so") {
    world w;
    node a(w);
    const auto enter_both = [](node& in) -> asio::awaitable<void> {
        std::vector<queue> both;
        both.emplace_back(*in.session, "x");
        both.emplace_back(*in.session, "y");
        const enter_options options{.wait = until_known};
        diagnostics told;
        const auto done = co_await enter_all(std::move(both), options, told, as_tuple);
        CHECK(std::get<0>(done) == errc::invalid_option);
        CHECK(told.message.find("one queue") != std::string::npos);
    };
    run(w, a, enter_both(a));
    CHECK(sent(a) == 0);
}
