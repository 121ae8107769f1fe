// Nobody who waits is kept out by others that come and go, of the same process or of another.
// SPDX-License-Identifier: BSL-1.0
#include "support/in_step.hpp"
#include "support/till.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

/// Holds it again and again, until it is told to stop.
struct busy_body {
    int rounds = 0;
    bool stops = false;

    asio::awaitable<void> read(node& in, std::chrono::milliseconds first, std::chrono::milliseconds hold) {
        co_await sleep(in, first);
        while (!stops) {
            auto guard = co_await lock_in(in).acquire_shared();
            ++rounds;
            co_await sleep(in, hold);
            co_await guard.release();
        }
    }
    asio::awaitable<void> write(node& in, std::chrono::milliseconds hold, std::chrono::milliseconds pause = 0ms) {
        while (!stops) {
            auto guard = co_await lock_in(in).acquire();
            ++rounds;
            co_await sleep(in, hold);
            co_await guard.release();
            if (pause > 0ms) co_await sleep(in, pause);
        }
    }
    asio::awaitable<void> write_all(node& in, std::chrono::milliseconds hold, std::chrono::milliseconds pause) {
        while (!stops) {
            std::vector<item_demand> wanted;
            wanted.emplace_back(lock_in(in));
            auto guards = co_await acquire_all(std::move(wanted));
            ++rounds;
            co_await sleep(in, hold);
            guards.clear();
            co_await sleep(in, pause);
        }
    }
};

asio::awaitable<void> try_share(item_lock lock, item_guard& into) {
    into = co_await lock.try_acquire_shared();
}

struct two_processes : till_world {
    node a{*this, 1};
    node b{*this, 2};
    busy_body busy;
    item_guard mine;
    error_code code;
};

}  // namespace

TEST_CASE("readers of one process that take turns do not keep a writer of another out") {
    two_processes w;
    running one(w, w.a, w.busy.read(w.a, 0ms, 1s));
    running two(w, w.a, w.busy.read(w.a, 500ms, 1s));
    w.scheduler.run_for(3s);
    const auto before = w.busy.rounds;
    run(w, w.b, take(lock_in(w.b), w.mine, {.wait = 30s}));
    CHECK(w.mine.held());
    CHECK(w.busy.rounds - before <= 4);
    w.busy.stops = true;
    run(w, w.b, give_back(w.mine));
    one.wait();
    two.wait();
}

TEST_CASE("readers that were kept out join again once the writer has gone, though the first of them reads on") {
    two_processes w;
    item_guard first;
    run(w, w.a, share(lock_in(w.a), first));
    running writes(w, w.b, code_of(take(lock_in(w.b), w.mine, {.wait = 10s}), w.code));
    w.scheduler.run_for(3s);
    item_guard second;
    running joins(w, w.a, share(lock_in(w.a), second));
    w.scheduler.run_for(3s);
    CHECK_FALSE(second.held());
    item_guard tried;
    run(w, w.a, try_share(lock_in(w.a), tried));
    CHECK_FALSE(tried);
    writes.wait();
    CHECK(w.code == errc::wait_timeout);
    joins.wait(5s);
    CHECK(second.held());
    CHECK(first.held());
}

TEST_CASE("readers join again once the writer that kept them out has died, though the first of them reads on") {
    const bool plain = GENERATE(false, true);
    INFO((plain ? "sessions without rows" : "sessions with rows"));
    till_world w;
    const auto with_row = [&](std::uint64_t seed) {
        return std::make_unique<node>(w, seed, testing::virtual_clock_options{},
                                      session_options{.table = table, .lease = 6s});
    };
    const auto a = plain ? plain_node(w, 1) : with_row(1);
    const auto b = plain ? plain_node(w, 2) : with_row(2);
    item_guard first;
    item_guard theirs;
    error_code code;
    run(w, *a, share(lock_in(*a), first));
    const running writes(w, *b, code_of(take(lock_in(*b), theirs), code));
    w.scheduler.run_for(3s);
    REQUIRE(w.stored().contains("_lockI"));
    b->crash();
    item_guard second;
    const running joins(w, *a, share(lock_in(*a), second));
    w.scheduler.run_for(2s);
    CHECK_FALSE(second.held());
    w.scheduler.run_for(9s);
    CHECK(second.held());
    CHECK(first.held());
    // And so does a try, at once.
    item_guard third;
    run(w, *a, try_share(lock_in(*a), third));
    CHECK(third.held());
    first = {};
    second = {};
    run(w, *a, give_back(third));
    run(w, *a, take(lock_in(*a), first), 1s);
    CHECK_FALSE(w.stored().contains("_lockI"));
}

TEST_CASE("readers of one process join for a second without a request, and after that for one read") {
    two_processes w;
    item_guard first;
    run(w, w.a, share(lock_in(w.a), first));
    w.a.network->clear_log();
    item_guard second;
    run(w, w.a, share(lock_in(w.a), second));
    CHECK(w.a.requests("north") == 0);
    w.scheduler.run_for(2s);
    item_guard third;
    run(w, w.a, share(lock_in(w.a), third));
    CHECK(w.a.requests("north") == 1);
    CHECK(w.a.network->log().back()->operation == "GetItem");
    CHECK(third.fencing_token() == first.fencing_token());
}

TEST_CASE("a reader that asks to join learns that the item was taken away meanwhile") {
    two_processes w;
    item_guard first;
    run(w, w.a, share(lock_in(w.a), first));
    w.put({{"id", "north"}, {"amount", 0}});
    w.scheduler.run_for(2s);
    item_guard second;
    run(w, w.a, share(lock_in(w.a), second));
    CHECK(second.held());
    CHECK(first.state() == guard_state::lost);
    CHECK(second.fencing_token() != first.fencing_token());
}

TEST_CASE("readers of a process do not pass a writer of the same process") {
    two_processes w;
    item_guard first;
    run(w, w.a, share(lock_in(w.a), first));
    running writes(w, w.a, take(lock_in(w.a), w.mine));
    w.scheduler.run_for(100ms);
    item_guard late;
    running reads(w, w.a, share(lock_in(w.a), late));
    w.scheduler.run_for(5s);
    CHECK_FALSE(late.held());
    run(w, w.a, give_back(first));
    writes.wait(5s);
    CHECK(w.mine.held());
    CHECK_FALSE(late.held());
    run(w, w.a, give_back(w.mine));
    reads.wait(5s);
    CHECK(late.held());
}

TEST_CASE("writers of one process that hand the item over let others in after a few turns") {
    const bool reads = GENERATE(false, true);
    INFO((reads ? "a reader" : "a writer") << " waits");
    two_processes w;
    running one(w, w.a, w.busy.write(w.a, 200ms));
    running two(w, w.a, w.busy.write(w.a, 200ms));
    w.scheduler.run_for(3s);
    const auto before = w.busy.rounds;
    if (reads) {
        run(w, w.b, share(lock_in(w.b), w.mine, {.wait = 30s}));
    } else {
        run(w, w.b, take(lock_in(w.b), w.mine, {.wait = 30s}));
    }
    CHECK(w.mine.held());
    CHECK(w.busy.rounds - before <= 20);
    w.busy.stops = true;
    run(w, w.b, give_back(w.mine));
    one.wait();
    two.wait();
    w.scheduler.run_for(1s);
    CHECK(w.unlocked());
}

TEST_CASE("a wait behind a single holder leaves nothing in the item") {
    two_processes w;
    run(w, w.a, take(lock_in(w.a), w.mine));
    item_guard other;
    error_code code;
    run(w, w.b, code_of(take(lock_in(w.b), other, {.wait = 20s}), code));
    CHECK(code == errc::wait_timeout);
    const auto writes = std::ranges::count_if(w.b.network->log(), [](const auto& entry) {
        return entry->operation == "UpdateItem" && entry->key.find("north") != std::string::npos;
    });
    CHECK(writes == 1);
}

TEST_CASE("looks at a large item that is locked cost no more than 25 read units a second") {
    two_processes w;
    w.put({{"id", "north"}, {"text", std::string(350'000, 'x')}});
    run(w, w.a, take(lock_in(w.a), w.mine));
    w.b.network->clear_log();
    item_guard other;
    run(w, w.b, code_of(take(lock_in(w.b), other, {.wait = 60s}), w.code));
    const auto looks = std::ranges::count(w.b.network->log(), "GetItem", [](const auto& e) {
        return e->table == "tills" ? e->operation : std::string();
    });
    const auto units = looks * 86;
    CHECK(units / 60 <= 30);
    CHECK(looks >= 10);
}

TEST_CASE("who waits alone for an item that another process takes again and again is not kept out by being in step") {
    till_world w;
    const in_step played(w, [](node& in) { return lock_in(in); });
    CHECK(played.grants() >= 30);
    CHECK(played.requests() <= 12 * played.grants());
}

TEST_CASE("whoever is further from the table than one who takes the item again and again is not kept out") {
    const bool far_takes_all = GENERATE(false, true);
    const bool near_takes_all = GENERATE(false, true);
    CAPTURE(far_takes_all, near_takes_all);
    two_processes w;
    const auto away = [](std::chrono::milliseconds one_way) {
        return [one_way](const any_request&, const call_options&) {
            return testing::fault{.before = one_way, .after = one_way};
        };
    };
    w.a.network->set_plan(away(2ms));
    w.b.network->set_plan(away(30ms));
    running busy(w, w.a, near_takes_all ? w.busy.write_all(w.a, 10ms, 10ms) : w.busy.write(w.a, 10ms, 10ms));
    w.scheduler.run_for(2s);
    for (int i = 0; i < 20; ++i) {
        busy_body once{.stops = false};
        if (far_takes_all) {
            running far(w, w.b, once.write_all(w.b, 0ms, 0ms));
            w.scheduler.run_for(100ms);
            once.stops = true;
            far.wait(30s);
        } else {
            run(w, w.b, take(lock_in(w.b), w.mine, {.wait = 30s}));
            CHECK(w.mine.held());
            run(w, w.b, give_back(w.mine));
        }
        w.scheduler.run_for(370ms);
    }
    w.busy.stops = true;
    busy.wait();
}
