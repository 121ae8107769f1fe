// What is told to whoever gives up while the client sends one request again and again: of its last attempt.
// SPDX-License-Identifier: BSL-1.0
#include "support/lock_steps.hpp"

#include <dynalease/queue.hpp>

#include <catch2/catch.hpp>

#include <optional>
#include <vector>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

using testing::fault;
using kind = testing::fault::kind;

/// After which the client sends the same bytes again, within the call.
fault sent_again(fault first) {
    first.again = 600ms;
    return first;
}

testing::fault_plan all_throttled() {
    return [](const any_request&, const call_options&) { return sent_again(throttling()); };
}

/// One process with an open session, whose table throttles from now on.
struct throttled_table {
    throttled_table() {
        run(w, a, take(a, "other", other));
        a.network->clear_log();
        a.network->set_plan(all_throttled());
    }
    unsigned attempts(bool writes_only = false) const {
        unsigned sent = 0;
        for (const auto& each : a.network->log()) {
            const bool read = each->operation == "GetItem";
            if (each->lane == lane::ordinary && !(read && writes_only)) sent += each->attempts;
        }
        return sent;
    }

    world w;
    node a{w};
    lock_guard other;
    error_code told;
    diagnostics details;
};

asio::awaitable<void> take_explained(lock target, acquire_options options, throttled_table& in) {
    auto done = co_await target.acquire(std::move(options), in.details, as_tuple);
    in.told = std::get<0>(done);
}
asio::awaitable<void> enter_explained(queue target, enter_options options, throttled_table& in) {
    auto done = co_await target.enter(std::move(options), in.details, as_tuple);
    in.told = std::get<0>(done);
}

}  // namespace

TEST_CASE("who waits for a lock while the client backs off from a table that throttles is told that, and in time") {
    const auto wait = GENERATE(500ms, 1000ms, 2000ms);
    throttled_table in;
    run(in.w, in.a, take_explained(lock{*in.a.session, "x"}, {.wait = wait}, in), wait);
    CHECK(in.told == errc::throttled);
    CHECK(in.told == condition::throttled);
    CHECK(in.details.operation.starts_with("lock.acquire ("));
    CHECK(in.details.attempts == in.attempts());
    // Nothing is written any more for one who has gone.
    const auto sent = in.attempts(true);
    in.w.scheduler.run_for(1s);
    CHECK(in.attempts(true) == sent);
    in.a.network->set_plan({});
    in.w.scheduler.run_for(20s);
    CHECK_FALSE(find(in.w.row("lock#x"), "holder"));
    CHECK(in.a.session->counters().unknown_writes == 0);
}

TEST_CASE("who gives up by himself between two attempts has nothing in doubt, unless one had no answer") {
    const bool unanswered = GENERATE(false, true);
    throttled_table in;
    std::vector<fault> fates(20, sent_again(throttling()));
    if (unanswered) fates.front() = sent_again({.what = kind::lose_answer});
    in.a.network->set_plan(lock_writes_meet(fates));
    const auto wait = unanswered ? 2s : 1s;
    run(in.w, in.a, take_explained(lock{*in.a.session, "x"}, {.wait = wait}, in), wait);
    CHECK(in.told == (unanswered ? errc::in_doubt : errc::throttled));
    in.a.network->set_plan({});
    in.w.scheduler.run_for(20s);
    CHECK_FALSE(find(in.w.row("lock#x"), "holder"));
}

TEST_CASE("another who comes while the client backs off gets what the first has given up") {
    throttled_table in;
    lock target{*in.a.session, "x"};
    run(in.w, in.a, take_explained(target, {.wait = 500ms}, in), 500ms);
    lock_guard second;
    running waits(in.w, in.a, take(target, second));
    in.a.network->set_plan({});
    waits.wait(2s);
    CHECK(second.held());
}

TEST_CASE("who waits for a session to open while the client backs off is told that its table throttles") {
    world w;
    node a(w);
    a.network->set_plan(all_throttled());
    error_code told;
    diagnostics details;
    struct call {
        static asio::awaitable<void> run(lock target, error_code& told, diagnostics& details) {
            const acquire_options options{.wait = 1s};
            auto done = co_await target.acquire(options, details, as_tuple);
            told = std::get<0>(done);
        }
    };
    run(w, a, call::run(lock{*a.session, "x"}, told, details), 1s);
    CHECK(told == errc::throttled);
    CHECK(details.operation == "lock.acquire (PutItem)");
    CHECK(details.attempts == 2);
}

TEST_CASE("who waits behind another while the client backs off from looking at its session is told so") {
    world w;
    node a(w, 1);
    node b(w, 2);
    lock_guard first;
    lock_guard other;
    lock_guard none;
    error_code told;
    run(w, a, take(a, "x", first));
    run(w, b, take(b, "other", other));
    b.network->set_plan([](const any_request& request, const call_options&) {
        return std::holds_alternative<get_item_request>(request) ? sent_again(throttling()) : fault{};
    });
    run(w, b, take_told(lock{*b.session, "x"}, {.wait = 3s}, none, told), 3s);
    CHECK(told == errc::throttled);
}

TEST_CASE("who waits for a turn while the client backs off is told that, and has drawn no ticket") {
    const auto wait = GENERATE(500ms, 1000ms, 2000ms);
    throttled_table in;
    run(in.w, in.a, enter_explained(queue{*in.a.session, "x"}, {.wait = wait}, in), wait);
    CHECK(in.told == errc::throttled);
    CHECK(in.details.attempts == in.attempts());
    const auto sent = in.attempts(true);
    in.w.scheduler.run_for(1s);
    CHECK(in.attempts(true) == sent);
    in.a.network->set_plan({});
    in.w.scheduler.run_for(20s);
    CHECK_FALSE(in.w.simulated.row(table, "queue#x", "/"));
    CHECK(in.a.session->counters().unknown_writes == 0);
}
