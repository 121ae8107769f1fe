// Worlds that end at any step, and single faults at any request. Faults in swarms are the simulator's.
// SPDX-License-Identifier: BSL-1.0
#include "support/lost_answers.hpp"
#include "support/world.hpp"

#include <catch2/catch.hpp>

#include <memory>
#include <utility>
#include <variant>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

/// Lives as long as a coroutine that has it.
using sign_of_life = std::shared_ptr<int>;

asio::awaitable<void> some_work(node& in, lock_guard& kept, sign_of_life = {}) {
    lock target{*in.session, "x"};
    auto guard = co_await target.acquire();
    co_await guard.release(as_tuple);
    auto again = co_await target.try_acquire(as_tuple);
    kept = std::get<1>(std::move(again));
    co_await sleep(in, 5s);
    co_await in.session->close({}, as_tuple);
}

asio::awaitable<void> other_work(node& in, sign_of_life) {
    lock target{*in.session, "x"};
    auto got = co_await target.acquire({.wait = 3s}, as_tuple);
    co_await sleep(in, 1s);
}

}  // namespace

TEST_CASE("a world that is destroyed at any step leaves no work behind") {
    bool finished = false;
    std::size_t steps = 0;
    for (; !finished; ++steps) {
        const auto alive = std::make_shared<int>();
        {
            world w;
            node a(w, 1);
            node b(w, 2);
            lock_guard kept;
            running first(w, a, some_work(a, kept, alive));
            running second(w, b, other_work(b, alive));
            CHECK(alive.use_count() == 3);
            for (std::size_t i = 0; i < steps && !finished; ++i)
                finished = !w.scheduler.step() || (first.done() && second.done());
            kept = {};
            a.crash();
            b.crash();
            w.scheduler.run_for(1s);
        }
        CHECK(alive.use_count() == 1);
    }
    CHECK(steps > 50);
}

TEST_CASE("whichever request gets no answer, the lock is taken once and given back") {
    for_each_lost_answer(0, 5, [](const lost_answer& lost) {
        world w;
        node a(w);
        a.network->set_plan(lost.plan());
        lock_guard guard;
        running work(w, a, some_work(a, guard));
        w.scheduler.run_for(1min);
        CHECK(work.done());
        CHECK_FALSE(find(w.row("lock#x"), "holder"));
        CHECK(a.session->counters().resolving == 0);
    });
}

TEST_CASE("a claim in doubt is closed in the end, even if its credentials expire meanwhile") {
    world w;
    node a(w);
    const auto expired_until = w.scheduler.now() + 60s;
    bool taken = false;
    a.network->set_plan([&](const any_request& request, const call_options&) -> testing::fault {
        const auto* write = std::get_if<update_item_request>(&request);
        const auto* read = std::get_if<get_item_request>(&request);
        const auto* key = write ? &write->key : read ? &read->key : nullptr;
        if (!key || *find_string(*key, "pk") != "lock#x") return {};
        if (write && !std::exchange(taken, true)) return {.what = testing::fault::kind::lose_answer};
        if (w.scheduler.now() >= expired_until) return {};
        return {.what = testing::fault::kind::fail, .answer = failure(errc::expired_credentials)};
    });
    lock target{*a.session, "x"};
    error_code code;
    target.acquire([&](error_code ec, lock_guard) { code = ec; });
    w.scheduler.run_for(30s);
    CHECK(code == errc::in_doubt);
    CHECK(find(w.row("lock#x"), "holder"));
    w.scheduler.run_for(60s);
    CHECK_FALSE(find(w.row("lock#x"), "holder"));
    CHECK(a.session->counters().resolving == 0);
}

TEST_CASE("the first heartbeat is due a period after the creation was sent, however late its answer came") {
    world w;
    node a(w);
    bool created = false;
    a.network->set_plan([&](const any_request&, const call_options&) {
        testing::fault fate;
        if (!std::exchange(created, true)) fate.after = 900ms;
        return fate;
    });
    lock target{*a.session, "x"};
    lock_guard guard;
    target.acquire([&](error_code, lock_guard got) { guard = std::move(got); });
    w.scheduler.run_for(2600ms);
    CHECK(guard.held());
    CHECK(a.session->counters().heartbeats_acknowledged == 1);
}
