// Handles that were made in one life of a session, and used in a later one.
// SPDX-License-Identifier: BSL-1.0
#include "support/lock_steps.hpp"
#include "support/till.hpp"

#include <dynalease/queue.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

constexpr int tries = 20;

/// One holds what another, whose session will begin anew, tries to get.
struct tried_in_vain : till_world {
    tried_in_vain() {
        const auto occupy = [](node& in) -> asio::awaitable<void> {
            lock named{*in.session, "x"};
            queue line{*in.session, "x"};
            const lock_guard held = co_await named.acquire();
            const queue_turn turn = co_await line.enter();
            const item_guard item = co_await lock_in(in).acquire();
            co_await sleep(in, 24h);
        };
        holds.emplace(*this, holder, occupy(holder));
        scheduler.run_for(3s);
    }
    void begin_anew() {
        other.process->pause();
        scheduler.run_for(1min);
        other.process->resume();
        scheduler.run_for(1s);
    }
    template <class Handle>
    static asio::awaitable<void> try_it(Handle target) {
        const auto got = co_await target.try_acquire();
        CHECK_FALSE(got);
    }
    static asio::awaitable<void> try_it(queue target) {
        const auto got = co_await target.try_enter();
        CHECK_FALSE(got);
    }
    /// How many requests of that operation with that key the tries cost.
    template <class Handle>
    std::size_t cost(Handle target, std::string_view key, std::string_view operation) {
        other.network->clear_log();
        for (int i = 0; i < tries; ++i) {
            tests::run(*this, other, try_it(target));
            scheduler.run_for(100ms);
        }
        const auto& log = other.network->log();
        return static_cast<std::size_t>(std::ranges::count_if(log, [&](const auto& entry) {
            return entry->key.find(key) != std::string::npos && entry->operation == operation;
        }));
    }

    node holder{*this, 1};
    node other{*this, 2};
    std::optional<running> holds;
};

}  // namespace

TEST_CASE("a handle tries a queue no dearer in a later life than in its own") {
    tried_in_vain at;
    queue target{*at.other.session, "x"};
    const auto writes = at.cost(target, "queue#x", "UpdateItem");
    const auto surveys = at.cost(target, "queue#x", "Query");
    CHECK(writes == 1);
    for (const std::uint64_t life : {2, 3}) {
        at.begin_anew();
        CHECK(at.cost(target, "queue#x", "UpdateItem") <= writes);
        CHECK(at.cost(target, "queue#x", "Query") <= surveys + 1);
        CHECK(at.other.session->lives() == life);
    }
}

TEST_CASE("tries of locks read rather than write, in a later life too") {
    tried_in_vain at;
    lock named{*at.other.session, "x"};
    const auto item = lock_in(at.other);
    CHECK(at.cost(named, "lock#x", "UpdateItem") <= 2);
    CHECK(at.cost(item, "north", "UpdateItem") <= 2);
    at.begin_anew();
    CHECK(at.cost(named, "lock#x", "UpdateItem") <= 2);
    CHECK(at.cost(item, "north", "UpdateItem") <= 2);
    CHECK(at.other.session->lives() == 2);
}

TEST_CASE("who asks whether the holder lives does so in a new life where his own had ended before he asked") {
    const auto how = GENERATE(testing::dispatching::posts, testing::dispatching::runs_inline);
    world w;
    node a(w, 1, {}, {.table = table}, how);
    lock_guard guard;
    lock_guard again;
    error_code told;
    run(w, a, take(a, "x", guard));
    a.process->pause();
    // Before the alarm of the deadline, which comes while the process sleeps.
    running asks(w, a, take_told(lock{*a.session, "y"}, {.wait = until_known}, again, told));
    w.scheduler.run_for(1min);
    a.process->resume();
    asks.wait(1s);
    CHECK_FALSE(told);
    CHECK(again.held());
    CHECK(guard.state() == guard_state::lost);
    CHECK(a.session->lives() == 2);
}

TEST_CASE("who asks whether the holder lives is told of the loss of the life in which he asked") {
    world w;
    node a(w, 1);
    node b(w, 2);
    lock_guard held;
    lock_guard got;
    error_code told;
    run(w, b, take(b, "x", held));
    running asks(w, a, take_told(lock{*a.session, "x"}, {.wait = until_known}, got, told));
    w.scheduler.run_for(300ms);
    a.process->pause();
    w.scheduler.run_for(1min);
    a.process->resume();
    asks.wait(5s);
    CHECK(told == errc::session_lost);
}
