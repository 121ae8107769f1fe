// What an outage leaves in a queue, and what it costs whoever comes afterwards.
// SPDX-License-Identifier: BSL-1.0
#include "queue_callers.hpp"

#include <dynalease/queue.hpp>

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

using testing::fault;
using kind = fault::kind;

/// Of all requests but the heartbeats the answers are lost; the client sends each four times within its call.
testing::fault_plan without_answers() {
    return [](const any_request&, const call_options& options) {
        if (options.lane == lane::heartbeat) return fault{.before = 2ms, .after = 2ms};
        return fault{.what = kind::lose_answer, .before = 2ms, .again = 50ms};
    };
}

/// All requests but the heartbeats arrive, and are answered, when it is over.
testing::fault_plan late_until(world& w, time_point end) {
    return [&w, end](const any_request&, const call_options& options) {
        if (options.lane == lane::heartbeat) return fault{.before = 2ms, .after = 2ms};
        return fault{.before = end - w.scheduler.now(), .after = 2ms, .again = 50ms};
    };
}

testing::fault_plan usual() {
    return [](const any_request&, const call_options&) { return fault{.before = 2ms, .after = 2ms}; };
}

std::int64_t outstanding(world& w) {
    const auto head = head_of(w, "x").value();
    return find_integer(head, "tail").value() - find_integer(head, "passed").value();
}

void enter_once(world& w, node& in) {
    queue_turn turn;
    run(w, in, enter(queue{*in.session, "x"}, turn));
    run(w, in, leave(turn));
    w.scheduler.run_for(2s);
}

/// Two sessions that have been through the queue, and whose answers are lost from now on.
struct cut_off {
    explicit cut_off(world& w) : a(w, 1), b(w, 2) {
        for (auto* each : {&a, &b}) enter_once(w, *each);
        for (auto* each : {&a, &b}) each->network->set_plan(without_answers());
    }
    void heal() {
        for (auto* each : {&a, &b}) each->network->set_plan(usual());
    }

    node a;
    node b;
};

struct newcomer {
    std::chrono::nanoseconds waited{};
    std::size_t requests = 0;
};

/// Of one of another process, and that it leaves nothing behind.
newcomer enter_afterwards(world& w, node& in) {
    in.network->clear_log();
    const auto came = w.scheduler.now();
    queue_turn mine;
    run(w, in, enter(queue{*in.session, "x"}, mine));
    newcomer seen{.waited = w.scheduler.now() - came};
    run(w, in, leave(mine));
    w.scheduler.run_for(30s);
    seen.requests = sent(in);
    CHECK(nothing_left(w, "x"));
    return seen;
}

}  // namespace

TEST_CASE("callers who come and give up while nobody is answered leave no more behind than they sent at once") {
    world w;
    cut_off both(w);
    const auto before = find_integer(*head_of(w, "x"), "tail").value();
    constexpr int callers = 6;
    for (int i = 0; i < callers; ++i) {
        error_code code;
        queue_turn none;
        auto& in = i % 2 == 0 ? both.a : both.b;
        run(w, in, enter_code(queue{*in.session, "x"}, {.wait = 3s}, code, none));
        CHECK(code == errc::in_doubt);
    }
    const auto soon = find_integer(*head_of(w, "x"), "tail").value() - before;
    w.scheduler.run_for(5min);
    const auto late = find_integer(*head_of(w, "x"), "tail").value() - before;
    CHECK(soon <= 4 * callers);
    CHECK(late == soon);
    both.heal();
    w.scheduler.run_for(10s);
    CHECK(both.a.session->counters().resolving == 0);
    CHECK(both.b.session->counters().resolving == 0);
    node c(w, 3);
    c.network->set_plan(usual());
    const auto seen = enter_afterwards(w, c);
    CHECK(seen.waited < 6s);
    CHECK(seen.requests < 30 + static_cast<std::size_t>(soon));
}

TEST_CASE("whoever gives up while nothing can be sent is told that nothing was") {
    world w;
    node a(w, 1);
    enter_once(w, a);
    a.network->set_plan([](const any_request&, const call_options&) {
        return fault{.what = kind::fail, .before = 300ms, .answer = failure(errc::unreachable)};
    });
    for (const auto wait : {700ms, 1000ms, 1300ms}) {
        error_code code;
        queue_turn none;
        run(w, a, enter_code(queue{*a.session, "x"}, {.wait = wait}, code, none));
        CAPTURE(wait.count());
        CHECK(code == errc::unreachable);
    }
}

TEST_CASE("a look without an answer leaves no doubt where nothing was written") {
    world w;
    node a(w, 1);
    enter_once(w, a);
    a.network->set_plan([](const any_request& request, const call_options&) {
        const bool reads = std::holds_alternative<get_item_request>(request);
        const auto known = reads ? outcome::unknown : outcome::not_applied;
        return fault{.what = kind::fail, .before = 2ms, .answer = failure(errc::server_error, known)};
    });
    error_code code;
    queue_turn none;
    run(w, a, enter_code(queue{*a.session, "x"}, {.wait = 4s}, code, none));
    CHECK(code == condition::unreachable);
}

TEST_CASE("callers who wait while nobody is answered draw no ticket for each time that they ask") {
    world w;
    cut_off both(w);
    queue_turn of_a;
    queue_turn of_b;
    running one(w, both.a, enter(queue{*both.a.session, "x"}, of_a));
    w.scheduler.run_for(10ms);
    running other(w, both.b, enter(queue{*both.b.session, "x"}, of_b));
    w.scheduler.run_for(2min);
    CHECK(outstanding(w) <= 8);  // the copies of one call each
    both.heal();
    one.wait(10s);
    run(w, both.a, leave(of_a));
    other.wait(10s);
    run(w, both.b, leave(of_b));
    w.scheduler.run_for(30s);
    CHECK(nothing_left(w, "x"));
}

TEST_CASE("requests that pile up in an outage and are carried out after it cost the next one a claim, not one each") {
    for (const std::size_t callers : {20U, 120U}) {
        world w;
        node a(w, 1);
        node b(w, 2);
        node c(w, 3);
        for (auto* each : {&a, &b}) {
            enter_once(w, *each);
            each->network->set_plan(late_until(w, w.scheduler.now() + 30s));
        }
        std::vector<error_code> codes(callers);
        std::vector<queue_turn> none(callers);
        std::vector<running> entering;
        for (std::size_t i = 0; i < callers; ++i) {
            auto& in = i % 2 == 0 ? a : b;
            entering.emplace_back(w, in, enter_code(queue{*in.session, "x"}, {.wait = 3s}, codes[i], none[i]));
            w.scheduler.run_for(10ms);
        }
        for (auto& each : entering) each.wait();
        CHECK(std::all_of(codes.begin(), codes.end(), [](const auto& code) { return code == errc::in_doubt; }));
        w.scheduler.run_for(30s);
        for (auto* each : {&a, &b, &c}) each->network->set_plan(usual());
        const auto left = static_cast<std::size_t>(outstanding(w));
        CAPTURE(callers, left);
        CHECK(left > callers / 2);
        CHECK(left <= 4 * callers);
        const auto seen = enter_afterwards(w, c);
        CHECK(seen.waited < 5s + left * 5ms);
        CHECK(seen.requests < left + left / 4 + 30);
    }
}

TEST_CASE("tickets that are missing between others are all given up for lost after one claim") {
    world w;
    node a(w, 1);
    node b(w, 2);
    enter_once(w, b);
    // A process that died while it wrote its tickets down: of each two one row is there, and void.
    constexpr int holes = 12;
    auto tail = find_integer(*head_of(w, "x"), "tail").value();
    for (int i = 0; i < holes; ++i) {
        tail += 2;
        auto row = ticket_key("x", tail);
        row.insert({{"v", 1}, {"from", tail}, {"void", true}, {"by", "theirs"}});
        w.apply(put_item_request{.table_name = table, .new_item = std::move(row)});
    }
    update_item_request edit{.table_name = table, .key = {{"pk", "queue#x"}, {"sk", "/"}}};
    edit.update_expression = "SET tail = :tail";
    edit.values = {{":tail", tail}};
    w.apply(std::move(edit));
    a.network->set_plan(usual());
    const auto seen = enter_afterwards(w, a);
    CHECK(seen.waited < 5s);
    CHECK(seen.requests < 3 * holes);
}
