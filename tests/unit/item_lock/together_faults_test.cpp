// Several items under faults: lost answers, cancellation and death at every step.
// SPDX-License-Identifier: BSL-1.0
#include "support/lost_answers.hpp"
#include "tills.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

asio::awaitable<void> one_joint_round(node& in, bool one_by_one) {
    auto wanted = every_till(in);
    const acquire_all_options how{.wait = 30s, .one_by_one = one_by_one};
    auto guards = co_await acquire_all(std::move(wanted), how);
    auto parts = add_to_each(std::move(guards), 1);
    co_await commit_all(std::move(parts));
}

asio::awaitable<void> open_session(node& in) {
    auto lock = lock_of(in, "north");
    auto guard = co_await lock.acquire();
    co_await guard.release();
}

}  // namespace

TEST_CASE("whichever request about several items gets no answer, each is changed once and given back") {
    for (const bool one_by_one : {false, true}) {
        INFO("in order " << one_by_one);
        for_each_lost_answer(0, 4, [&](const lost_answer& lost) {
            tills_world w;
            node a(w);
            run(w, a, open_session(a));
            a.network->set_plan(lost.plan());
            error_code code;
            run(w, a, code_of(one_joint_round(a, one_by_one), code));
            w.scheduler.run_for(1min);
            CHECK_FALSE(code);
            CHECK(w.all_hold(1));
            CHECK(w.all_unlocked());
            CHECK(a.session->counters().resolving == 0);
            CHECK(a.session->counters().leases_held == 0);
        });
    }
}

TEST_CASE("what a late copy left of our own on one of several items is taken away first, and nobody waits for it") {
    const bool as_reader = GENERATE(true, false);
    const bool shared = GENERATE(true, false);
    CAPTURE(as_reader, shared);
    tills_world w;
    node a(w, 1);
    node b(w, 2);
    run(w, a, open_session(a));
    run(w, b, open_session(b));
    haunt(w, "south", a, b, as_reader);
    item_guard theirs;
    running there(w, b, take(lock_of(b, "south"), theirs));
    a.network->clear_log();
    std::vector<item_guard> guards;
    running here(w, a, take_all(every_till(a, shared), guards));
    w.scheduler.run_for(10s);
    CHECK(theirs.held());
    CHECK(a.network->log().size() < 60);
    theirs = {};
    here.wait();
    CHECK(all_valid(guards));
}

TEST_CASE("a wait for several items that is cancelled at any step leaves nothing behind") {
    using kind = testing::fault::kind;
    for (const auto what : {kind::pass, kind::lose_answer}) {
        for (std::size_t steps = 0; steps < 60; steps += 2) {
            INFO("after " << steps << " steps, fault " << static_cast<int>(what));
            tills_world w;
            node a(w);
            run(w, a, open_session(a));
            a.network->set_plan(testing::scripted_faults({testing::fault{what}, testing::fault{what}}));
            asio::cancellation_signal signal;
            std::optional<error_code> code;
            std::vector<item_guard> guards;
            acquire_all(every_till(a), acquire_all_options{},
                        asio::bind_cancellation_slot(signal.slot(), [&](error_code ec, std::vector<item_guard> got) {
                            code = ec;
                            guards = std::move(got);
                        }));
            for (std::size_t i = 0; i < steps && w.scheduler.step();) ++i;
            signal.emit(asio::cancellation_type::total);
            w.scheduler.run_for(5s);
            REQUIRE(code);
            if (*code) {
                CHECK((*code == condition::cancelled || *code == condition::in_doubt));
                CHECK(w.all_unlocked());
            } else {
                CHECK(all_valid(guards));
            }
            guards.clear();
            w.scheduler.run_for(5s);
            CHECK(w.all_unlocked());
            CHECK(a.session->counters().resolving == 0);
            CHECK(a.session->counters().leases_held == 0);
        }
    }
}

TEST_CASE("whenever the holder of several items dies, another gets them all, and no change is torn") {
    for (std::size_t steps = 0; steps < 60; steps += 3) {
        INFO("after " << steps << " steps");
        tills_world w;
        auto a = std::make_unique<node>(w, 1);
        node b(w, 2);
        run(w, *a, open_session(*a));
        {
            running goes_on(w, *a, one_joint_round(*a, false));
            for (std::size_t i = 0; i < steps && w.scheduler.step();) ++i;
        }
        a->process->pause();
        std::vector<item_guard> guards;
        run(w, b, take_all(every_till(b), guards), 2min);
        const auto north = *find_integer(guards[0].item(), "amount");
        CHECK(*find_integer(guards[1].item(), "amount") == north);
        CHECK(*find_integer(guards[2].item(), "amount") == north);
        run(w, b, commit(add_to_each(std::move(guards), 10)));
        a->process->resume();
        w.scheduler.run_for(1min);
        // One that had not begun may go on after it.
        CHECK(w.amount() >= north + 10);
        CHECK(w.amount() <= north + 11);
        CHECK(w.all_hold(w.amount()));
        CHECK(w.all_unlocked());
    }
}

TEST_CASE("a commit whose answers stay away is in doubt, and never lands after the next holder came") {
    tills_world w;
    node a(w, 1);
    node b(w, 2);
    std::vector<item_guard> guards;
    run(w, a, take_all(every_till(a), guards));
    const std::vector<testing::fault> silence(40, testing::fault{testing::fault::kind::lose_request});
    a.network->set_plan(testing::scripted_faults(silence));
    error_code code;
    run(w, a, code_of(commit(add_to_each(std::move(guards), 1)), code));
    CHECK(code == errc::in_doubt);
    a.network->set_plan({});
    run(w, b, take_all(every_till(b), guards), 2min);
    w.scheduler.run_for(1min);
    CHECK(all_valid(guards));
    CHECK(w.all_hold(0));
}

TEST_CASE("an acquire that is cancelled while its answer stays away gives the item back at once") {
    till_world w;
    node a(w);
    run(w, a, open_session(a));
    a.network->set_plan(testing::scripted_faults({testing::fault{testing::fault::kind::lose_answer}}));
    asio::cancellation_signal signal;
    std::optional<error_code> code;
    lock_of(a, "north")
        .acquire(item_acquire_options{},
                 asio::bind_cancellation_slot(signal.slot(), [&](error_code ec, item_guard) { code = ec; }));
    w.scheduler.run_for(20ms);
    CHECK_FALSE(w.unlocked());
    signal.emit(asio::cancellation_type::total);
    w.scheduler.run_for(15s);
    REQUIRE(code);
    CHECK(*code == errc::in_doubt);
    CHECK(w.unlocked());
}

TEST_CASE("a claim left over from a try does not keep several items apart") {
    tills_world w;
    node a(w, 1);
    node b(w, 2);
    item_guard held;
    item_guard tried;
    run(w, b, take(lock_of(b, "south"), held));
    run(w, a, try_take(lock_of(a, "south"), tried));
    CHECK_FALSE(tried);
    run(w, b, give_back(held));
    std::vector<item_guard> guards;
    run(w, a, take_all(every_till(a), guards), 2s);
    CHECK(all_valid(guards));
}

TEST_CASE("a forgotten hold of the own session goes while several items are waited for, whatever became of the claim") {
    const bool renewed = GENERATE(false, true);
    tills_world w;
    node a(w, 1);
    node b(w, 2);
    run(w, a, open_session(a));
    item_guard theirs;
    run(w, b, take(lock_of(b, "south"), theirs));
    // As if a copy of a claim that was given up had landed; and where others were granted the item since, the claim
    // that meets it is closed.
    auto haunted = w.stored();
    haunted["_lockR"] = string_set{std::string(a.session->id()) + ".999"};
    if (renewed) haunted["_lockF"] = *find_integer(haunted, "_lockF") + 3'600'000;
    w.put(haunted);
    std::vector<item_guard> never;
    error_code code;
    running waits(w, a, code_of(take_all(every_till(a), never, {.wait = 20s}), code));
    item_guard other;
    run(w, b, take(lock_of(b, "north"), other, {.wait = 10s}));
    CHECK(other.held());
    waits.wait(30s);
    CHECK(code == errc::wait_timeout);
    CHECK(a.session->counters().resolving == 0);
}

TEST_CASE("a refusal of several items that names no reasons is no reason to give up") {
    tills_world w;
    node a(w);
    run(w, a, open_session(a));
    int refused = 0;
    a.network->set_plan([&](const any_request& request, const call_options&) {
        using testing::fault;
        if (!std::holds_alternative<transact_write_items_request>(request) || ++refused > 3) return fault{};
        return fault{.what = fault::kind::fail, .answer = failure(errc::transaction_canceled)};
    });
    std::vector<item_guard> guards;
    run(w, a, take_all(every_till(a), guards));
    CHECK(refused == 4);
    CHECK(all_valid(guards));
}
