// Work that runs while a lock is held: cancelled on loss, released after.
// SPDX-License-Identifier: BSL-1.0
#include "support/world.hpp"

#include <dynalease/lock.hpp>

#include <catch2/catch.hpp>

#include <memory>
#include <utility>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

asio::awaitable<int> work_until_cancelled(const node& in, bool& cancelled, lock_guard&) {
    auto& clock = *in.environment.clock;
    auto ended = co_await clock.async_wait_until(clock.now() + 1h, as_tuple);
    cancelled = std::get<0>(ended) == asio::error::operation_aborted;
    co_return 7;
}

struct long_work {
    const node* in;
    bool* cancelled;
    asio::awaitable<int> operator()(lock_guard& guard) const { return work_until_cancelled(*in, *cancelled, guard); }
};

/// Is cancelled in the middle of a write.
struct doubtful_work {
    node* in;
    bool* cancelled;
    asio::awaitable<int> operator()(lock_guard& guard) const {
        co_await work_until_cancelled(*in, *cancelled, guard);
        throw error(errc::in_doubt, {});
    }
};

template <class Work = long_work>
asio::awaitable<void> guarded(node& in, bool& cancelled, error_code& code) {
    lock target{*in.session, "x"};
    Work body{&in, &cancelled};
    try {
        co_await with_lock(target, body);
    } catch (const error& e) {
        code = e.code();
    }
}

asio::awaitable<void> guarded_for_ever(node& in, std::shared_ptr<bool> cancelled) {
    error_code code;
    co_await guarded(in, *cancelled, code);
}

asio::awaitable<int> answer(lock_guard& guard) {
    CHECK(guard.held());
    co_return 42;
}

asio::awaitable<int> keep(lock_guard guard) {
    CHECK(guard.held());
    co_return 43;
}
asio::awaitable<int> move_away(lock_guard& guard) {
    return keep(std::move(guard));
}

/// The work keeps the grant, and its variable has another.
asio::awaitable<void> keep_and_hold_another(node& in, lock_guard& kept) {
    const lock target{*in.session, "x"};
    const auto body = [&](lock_guard& guard) -> asio::awaitable<void> {
        const lock other{*in.session, "y"};
        kept = std::move(guard);
        guard = co_await other.acquire();
    };
    co_await with_lock(target, body);
}

asio::awaitable<int> fail(lock_guard&) {
    throw std::runtime_error("body");
    co_return 0;
}

asio::awaitable<void> guarded_value(node& in, int& value) {
    lock target{*in.session, "x"};
    value = co_await with_lock(target, answer);
}

asio::awaitable<void> guarded_by_another(node& in, int& value) {
    lock target{*in.session, "x"};
    value = co_await with_lock(target, move_away);
}

asio::awaitable<void> guarded_failure(node& in) {
    lock target{*in.session, "x"};
    co_await with_lock(target, fail);
}

}  // namespace

TEST_CASE("with_lock cancels its body when the lock is lost") {
    world w;
    node a(w);
    bool cancelled = false;
    error_code code;
    running body(w, a, guarded(a, cancelled, code));
    w.scheduler.run_for(1s);
    a.network->set_plan(
        [](const any_request&, const call_options&) { return testing::fault{testing::fault::kind::lose_request}; });
    body.wait(15s);
    CHECK(cancelled);
    CHECK(code == errc::lock_lost);
    CHECK(code == condition::lost);
}

TEST_CASE("a body that has caught what its cancellation threw is told again, at each await") {
    world w;
    node a(w);
    int rounds = 0;
    const auto goes_on = [&](lock_guard&) -> asio::awaitable<void> {
        for (;;) {
            bool failed = false;
            try {
                get_item_request look{.table_name = table, .key = {}};
                look.key.emplace("pk", "x");
                look.key.emplace("sk", "-");
                co_await database(a.network).execute(std::move(look));
            } catch (const error&) {
                failed = true;
            }
            if (failed) ++rounds;
            co_await sleep(a, 1s);
        }
    };
    error_code code;
    const auto leads = [&](node& in, error_code& told) -> asio::awaitable<void> {
        lock target{*in.session, "x"};
        try {
            co_await with_lock(target, goes_on);
        } catch (const error& e) {
            told = e.code();
        }
    };
    running leading(w, a, leads(a, code));
    w.scheduler.run_for(1s);
    a.network->set_plan(
        [](const any_request&, const call_options&) { return testing::fault{testing::fault::kind::lose_request}; });
    leading.wait(20s);
    CHECK(code == errc::lock_lost);
    CHECK(rounds > 0);
}

TEST_CASE("with_lock tells a doubt of its body, also when the lock is lost") {
    world w;
    node a(w);
    bool cancelled = false;
    error_code code;
    running body(w, a, guarded<doubtful_work>(a, cancelled, code));
    w.scheduler.run_for(1s);
    a.network->set_plan(
        [](const any_request&, const call_options&) { return testing::fault{testing::fault::kind::lose_request}; });
    body.wait(15s);
    CHECK(cancelled);
    CHECK(code == errc::in_doubt);
}

TEST_CASE("with the loop ends whoever waits for work under a lock") {
    std::weak_ptr<bool> frame;
    {
        world w;
        node a(w);
        auto cancelled = std::make_shared<bool>();
        frame = cancelled;
        const running body(w, a, guarded_for_ever(a, std::move(cancelled)));
        w.scheduler.run_for(1s);
        CHECK_FALSE(frame.expired());
    }
    CHECK(frame.expired());
}

TEST_CASE("with_lock hands on what its body returns or throws, and releases") {
    world w;
    node a(w);
    int value = 0;
    run(w, a, guarded_value(a, value));
    CHECK(value == 42);
    CHECK_FALSE(find(w.row("lock#x"), "holder"));
    CHECK_THROWS_WITH(run(w, a, guarded_failure(a)), "body");
    w.scheduler.run_for(1s);
    CHECK_FALSE(find(w.row("lock#x"), "holder"));
}

TEST_CASE("a body of with_lock may take the guard for its own") {
    world w;
    node a(w);
    int value = 0;
    run(w, a, guarded_by_another(a, value));
    CHECK(value == 43);
    w.scheduler.run_for(1s);
    CHECK_FALSE(find(w.row("lock#x"), "holder"));
}

TEST_CASE("a body of with_lock may keep the guard, and put another in its place") {
    world w;
    node a(w);
    lock_guard kept;
    run(w, a, keep_and_hold_another(a, kept));
    w.scheduler.run_for(1s);
    CHECK(kept.held());
    CHECK(find(w.row("lock#x"), "holder"));
    CHECK_FALSE(find(w.row("lock#y"), "holder"));
}
