// What is told to those who wait while the service does not answer, whatever they wait for.
// SPDX-License-Identifier: BSL-1.0
#include "support/lock_steps.hpp"
#include "tills.hpp"

#include <dynalease/queue.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>

using namespace dynalease;
using namespace dynalease::tests;
using testing::fault;
using kind = testing::fault::kind;

namespace {

testing::fault_plan refusing(errc code) {
    failure why(code);
    why.details.message = "nobody listens there";
    return [why](const any_request&, const call_options&) { return fault{.what = kind::fail, .answer = why}; };
}

/// Reads hang; all else passes.
testing::fault_plan hanging_reads() {
    return [](const any_request& request, const call_options&) {
        return std::holds_alternative<get_item_request>(request) ? fault{.what = kind::hold} : fault{};
    };
}

/// What a call came to that waits.
asio::awaitable<void> told_of(asio::awaitable<void> call, std::optional<error>& told) {
    try {
        co_await std::move(call);
    } catch (const error& e) {
        told = e;
    }
}

asio::awaitable<void> wait_for_lock(node& in, lock_guard& into, std::chrono::nanoseconds wait) {
    lock target{*in.session, "x"};
    const acquire_options options{.wait = wait};
    into = co_await target.acquire(options);
}
asio::awaitable<void> wait_for_item(node& in, item_guard& into, std::chrono::nanoseconds wait) {
    auto target = lock_in(in);
    const item_acquire_options options{.wait = wait};
    into = co_await target.acquire(options);
}
asio::awaitable<void> wait_for_items(node& in, std::vector<item_guard>& into, std::chrono::nanoseconds wait) {
    auto wanted = every_till(in);
    const acquire_all_options options{.wait = wait};
    into = co_await acquire_all(std::move(wanted), options);
}
asio::awaitable<void> wait_for_turn(node& in, queue_turn& into, std::chrono::nanoseconds wait) {
    queue target{*in.session, "x"};
    enter_options options;
    options.wait = wait;
    into = co_await target.enter(options);
}
asio::awaitable<void> wait_for_turns(node& in, std::vector<queue_turn>& into, std::chrono::nanoseconds wait) {
    std::vector<queue> wanted{queue{*in.session, "x"}, queue{*in.session, "y"}};
    enter_options options;
    options.wait = wait;
    into = co_await enter_all(std::move(wanted), options);
}

struct outage_world : tills_world {
    outage_world() {
        // Both sessions are live.
        run(*this, a, take(lock{*a.session, "warm"}, warm));
        run(*this, b, take(lock{*b.session, "warm too"}, warm_too));
    }
    /// A caller of the first process waits for one of these, for so long.
    void wait(int what, std::chrono::nanoseconds time) {
        if (what == 0) run(*this, a, told_of(wait_for_lock(a, got, time), told));
        if (what == 1) run(*this, a, told_of(wait_for_item(a, got_item, time), told));
        if (what == 2) run(*this, a, told_of(wait_for_items(a, got_items, time), told));
        if (what == 3) run(*this, a, told_of(wait_for_turn(a, got_turn, time), told));
        if (what == 4) run(*this, a, told_of(wait_for_turns(a, got_turns, time), told));
        REQUIRE(told);
    }
    void others_hold_all() {
        run(*this, b, take(lock{*b.session, "x"}, theirs));
        run(*this, b, take(lock_in(b), their_item));
        run(*this, b, wait_for_turn(b, their_turn, 1s));
    }

    node a{*this, 1};
    node b{*this, 2};
    lock_guard warm;
    lock_guard warm_too;
    lock_guard theirs;
    item_guard their_item;
    queue_turn their_turn;
    lock_guard got;
    item_guard got_item;
    std::vector<item_guard> got_items;
    queue_turn got_turn;
    std::vector<queue_turn> got_turns;
    std::optional<error> told;
};

}  // namespace

TEST_CASE("a wait for what nobody holds, while the service is dead, is told so") {
    const int what = GENERATE(0, 1, 2, 3, 4);
    const auto code = GENERATE(errc::unreachable, errc::server_error, errc::throttled);
    outage_world w;
    w.a.network->set_plan(refusing(code));
    w.a.network->clear_log();
    w.wait(what, 2s);
    CHECK(w.told->code() == code);
    // The verb, and the request: no verb of ours between them.
    const auto& operation = w.told->diagnostics().operation;
    CHECK(std::ranges::count(operation, '(') == 1);
    if (what == 4) CHECK(operation == "enter_all (BatchGetItem)");
    CHECK(w.told->condition() == condition_of(make_error_code(code)));
    CHECK_FALSE(w.told->code() == condition::contended);
    CHECK(w.told->diagnostics().message.find("nobody listens there") != std::string::npos);
    const auto& log = w.a.network->log();
    const auto sent = std::ranges::count(log, lane::ordinary, [](const auto& entry) { return entry->lane; });
    CHECK(sent > 1);
    CHECK(w.told->diagnostics().attempts == sent);
}

TEST_CASE("a wait that saw others hold it, and then lost the service, is told of the service") {
    const int what = GENERATE(0, 1, 2, 3, 4);
    outage_world w;
    w.others_hold_all();
    struct breaks {
        static asio::awaitable<void> soon(node& in) {
            co_await sleep(in, 2s);
            in.network->set_plan(refusing(errc::unreachable));
        }
    };
    running later(w, w.a, breaks::soon(w.a));
    w.wait(what, 5s);
    CHECK(w.told->code() == errc::unreachable);
    const auto& message = w.told->diagnostics().message;
    CHECK(message.find("nobody listens there") != std::string::npos);
    CHECK(message.find("as last seen, session " + w.b.session->id()) != std::string::npos);
    CHECK(message.find("as last seen") == message.rfind("as last seen"));
    // Nobody knows whether they have it still.
    CHECK(message.find(" s ago, for at least ") != std::string::npos);
}

TEST_CASE("one answer that is missing at the end of a wait hides not that others hold it") {
    const int what = GENERATE(0, 1);
    outage_world w;
    w.others_hold_all();
    struct breaks {
        static asio::awaitable<void> soon(node& in) {
            co_await sleep(in, 2500ms);
            in.network->set_plan(refusing(errc::unreachable));
        }
    };
    running later(w, w.a, breaks::soon(w.a));
    w.wait(what, 3s);
    CHECK(w.told->code() == errc::wait_timeout);
}

TEST_CASE("a wait whose last request has not been answered for long is told so") {
    const int what = GENERATE(0, 1, 2, 3, 4);
    outage_world w;
    w.others_hold_all();
    struct breaks {
        static asio::awaitable<void> soon(node& in) {
            co_await sleep(in, 1s);
            in.network->set_plan(hanging_reads());
        }
    };
    running later(w, w.a, breaks::soon(w.a));
    w.wait(what, 4s);
    CHECK(w.told->code() == errc::timeout);
    CHECK(w.told->code() == condition::unreachable);
}

TEST_CASE("a wait is never too short to be told that nobody has answered, nor is the second of one process") {
    const int what = GENERATE(0, 1, 2, 3, 4);
    const auto wait = GENERATE(100ms, 700ms);
    outage_world w;
    w.a.network->set_plan([](const any_request&, const call_options&) { return fault{.what = kind::hold}; });
    // Whose write is under way is in doubt of it; who waits behind that, or reads first, knows nothing at all.
    std::optional<error> first;
    running one(w, w.a, told_of(wait_for_lock(w.a, w.got, 1min), first));
    running other(w, w.a, told_of(wait_for_item(w.a, w.got_item, 1min), first));
    w.scheduler.run_for(10ms);
    w.wait(what, wait);
    CHECK(w.told->code() == (what == 3 ? errc::in_doubt : errc::timeout));
    CHECK_FALSE(w.told->code() == condition::contended);
}

TEST_CASE("a wait that ends before the next look is told who holds it, as was seen a moment ago") {
    const int what = GENERATE(0, 1, 3);
    outage_world w;
    w.others_hold_all();
    std::optional<error> of_others;
    running one(w, w.a, told_of(wait_for_lock(w.a, w.got, 1min), of_others));
    running other(w, w.a, told_of(wait_for_item(w.a, w.got_item, 1min), of_others));
    running third(w, w.a, told_of(wait_for_turn(w.a, w.got_turn, 1min), of_others));
    w.scheduler.run_for(900ms);
    w.a.network->set_plan([](const any_request&, const call_options&) { return fault{.what = kind::hold}; });
    w.wait(what, 50ms);
    CHECK(w.told->code() == (what == 3 ? errc::in_doubt : errc::wait_timeout));
}

TEST_CASE("who waits for what this process holds is told so, whether or not the service answers") {
    outage_world w;
    run(w, w.a, take(lock{*w.a.session, "x"}, w.theirs));
    w.a.network->set_plan(refusing(errc::unreachable));
    w.wait(0, 2s);
    CHECK(w.told->code() == errc::wait_timeout);
    CHECK(w.told->diagnostics().message.find("this process has held it") != std::string::npos);
}

TEST_CASE("an outage that ended before a wait began is not told of") {
    outage_world w;
    w.a.network->set_plan(refusing(errc::unreachable));
    w.wait(0, 2s);
    w.a.network->set_plan({});
    w.others_hold_all();
    w.scheduler.run_for(1min);
    w.told.reset();
    w.wait(0, 2s);
    CHECK(w.told->code() == errc::wait_timeout);
}

TEST_CASE("whoever waits in vain is told how many requests were sent for it, the answered ones too") {
    const int what = GENERATE(0, 1, 2);
    outage_world w;
    w.others_hold_all();
    w.a.network->clear_log();
    w.wait(what, 5s);
    const auto& log = w.a.network->log();
    const auto sent = std::ranges::count(log, lane::ordinary, [](const auto& entry) { return entry->lane; });
    REQUIRE(sent > 5);
    CHECK(w.told->diagnostics().attempts <= sent);
    CHECK(w.told->diagnostics().attempts * 2 > sent);  // giving up, and looks at the session of who has it
}

TEST_CASE("who waits behind others of its process that want several things is told of the outage as they are") {
    const bool queues = GENERATE(false, true);
    const bool several = GENERATE(false, true);
    const auto wait = GENERATE(0s, 2s);
    const bool hangs = GENERATE(false, true);
    outage_world w;
    w.a.network->set_plan(hangs ? [](const any_request&, const call_options&) { return fault{.what = kind::hold}; }
                                : refusing(errc::unreachable));
    std::optional<error> first;
    std::vector<item_guard> items;
    std::vector<queue_turn> turns;
    running one(w, w.a, told_of(queues ? wait_for_turns(w.a, turns, 1min) : wait_for_items(w.a, items, 1min), first));
    w.scheduler.run_for(1500ms);
    w.wait(queues ? (several ? 4 : 3) : (several ? 2 : 1), wait);
    CAPTURE(queues, several, wait.count(), hangs, w.told->what());
    CHECK_FALSE(w.told->code() == condition::contended);
    CHECK((w.told->code() == condition::unreachable || w.told->code() == errc::in_doubt));
    const auto& told = w.told->diagnostics();
    CHECK_FALSE(told.key.empty());
    CHECK_FALSE(told.table.empty());
    CHECK((told.message.empty() == (w.told->code() == errc::in_doubt && hangs)));
    if (wait > 0s && !hangs) CHECK(told.attempts > 0);
}

TEST_CASE("who does not wait behind others of its process that want several things is told of which") {
    const bool queues = GENERATE(false, true);
    outage_world w;
    std::optional<error> first;
    std::vector<item_guard> items;
    std::vector<queue_turn> turns;
    w.a.network->set_plan([](const any_request&, const call_options&) { return fault{.before = 20ms, .after = 20ms}; });
    running one(w, w.a, told_of(queues ? wait_for_turns(w.a, turns, 1min) : wait_for_items(w.a, items, 1min), first));
    w.scheduler.run_for(10ms);
    w.wait(queues ? 4 : 2, 0s);
    CAPTURE(queues, w.told->what());
    CHECK(w.told->code() == errc::wait_timeout);
    CHECK_FALSE(w.told->diagnostics().key.empty());
    CHECK_FALSE(w.told->diagnostics().table.empty());
    CHECK_FALSE(w.told->diagnostics().message.empty());
}

TEST_CASE("who has it is named at the end of every wait, by who comes new and by who lost the service") {
    const int what = GENERATE(0, 1, 2, 3, 4);
    const auto wait =
        GENERATE(std::chrono::nanoseconds(0s), std::chrono::nanoseconds(until_known), std::chrono::nanoseconds(60s));
    const bool breaks_off = GENERATE(false, true);
    if ((what == 2 || what == 4) && wait == until_known) return;
    outage_world w;
    w.others_hold_all();
    w.scheduler.run_for(3s);
    struct breaks {
        static asio::awaitable<void> soon(node& in) {
            co_await sleep(in, 1s);
            in.network->set_plan(refusing(errc::unreachable));
        }
    };
    std::unique_ptr<running> later;
    if (breaks_off) later = std::make_unique<running>(w, w.a, breaks::soon(w.a));
    w.wait(what, wait);
    CAPTURE(what, wait.count(), breaks_off);
    UNSCOPED_INFO(w.told->what());
    CHECK(w.told->diagnostics().message.find("session " + w.b.session->id() + " of ") != std::string::npos);
}
