// What becomes of work under a lock or a turn that is lost, and what its caller is told.
// SPDX-License-Identifier: BSL-1.0
#include "unit/session/losses.hpp"

#include <dynalease/queue.hpp>

#include <catch2/catch.hpp>

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

using testing::fault;
using kind = testing::fault::kind;

asio::awaitable<void> wait_for_ever(const node& in, bool& began) {
    began = true;
    auto& clock = *in.environment.clock;
    co_await clock.async_wait_until(clock.now() + 1h, as_tuple);
}
struct endless {
    const node* in;
    bool* began;
    asio::awaitable<void> operator()(lock_guard&) const { return wait_for_ever(*in, *began); }
};
asio::awaitable<void> wait_shortly(const node& in, bool& began) {
    began = true;
    co_await sleep(in, 5s);
}
/// Ends well.
struct short_work {
    const node* in;
    bool* began;
    asio::awaitable<void> operator()(lock_guard&) const { return wait_shortly(*in, *began); }
    asio::awaitable<void> operator()(queue_turn&) const { return wait_shortly(*in, *began); }
};
/// Ends well, and gives its lock back itself.
struct releasing_work {
    const node* in;
    bool* began;
    asio::awaitable<void> operator()(lock_guard& guard) const { return release_late(*in, *began, guard); }

    static asio::awaitable<void> release_late(const node& in, bool& began, lock_guard& guard) {
        co_await wait_shortly(in, began);
        auto done = co_await guard.release(as_tuple);
        CHECK(std::get<0>(done) == errc::lock_lost);
    }
};
/// ... by letting the guard go.
struct dropping_work {
    const node* in;
    bool* began;
    asio::awaitable<void> operator()(lock_guard& guard) const { return drop_late(*in, *began, guard); }

    static asio::awaitable<void> drop_late(const node& in, bool& began, lock_guard& guard) {
        co_await wait_shortly(in, began);
        const auto dropped = std::move(guard);
    }
};
/// Throws something of its own.
struct throwing_work {
    const node* in;
    bool* began;
    asio::awaitable<void> operator()(lock_guard&) const { return throw_late(*in, *began); }

    static asio::awaitable<void> throw_late(const node& in, bool& began) {
        co_await wait_shortly(in, began);
        throw std::runtime_error("of its own");
    }
};
template <class Body = endless>
asio::awaitable<void> work(node& in, bool& began, std::optional<error>& told) {
    lock target{*in.session, "worked on"};
    Body body{&in, &began};
    try {
        co_await with_lock(target, body);
    } catch (const error& e) {
        told = e;
    }
}
asio::awaitable<void> work_in_turn(node& in, queue target, bool& began, std::optional<error>& told) {
    short_work body{&in, &began};
    try {
        co_await with_turn(target, body);
    } catch (const error& e) {
        told = e;
    }
}
void expect_lost(const std::optional<error>& told, std::string_view verb, std::string_view why) {
    REQUIRE(told);
    const auto& about = told->diagnostics();
    CAPTURE(about.message);
    CHECK(told->code() == errc::lock_lost);
    CHECK(about.operation == verb);
    CHECK(about.key == "worked on");
    CHECK(about.table == table);
    CHECK(about.message.find("was lost before the work under it ended: ") != std::string::npos);
    CHECK(about.message.find(why) != std::string::npos);
}

}  // namespace

TEST_CASE("work that is cancelled for a loss is told why") {
    loser in;
    bool began = false;
    std::optional<error> told;
    running works(in.w, in.a, work(in.a, began, told));
    while (!began) in.w.scheduler.step();
    edit(in.w, "session#" + in.a.session->id(), "by", "R2D2");
    edit(in.w, "session#" + in.a.session->id(), "state", "dead");
    works.wait(5s);
    REQUIRE(told);
    CHECK(told->code() == errc::lock_lost);
    CHECK(told->diagnostics().message.find("marked dead by session R2D2") != std::string::npos);
}

TEST_CASE("work that ended well is told of a loss that only its release found") {
    loser in;
    bool began = false;
    std::optional<error> told;
    running works(in.w, in.a, work<short_work>(in.a, began, told));
    while (!began) in.w.scheduler.step();
    SECTION("its row was deleted") {
        remove_row(in.w, "lock#worked on");
        works.wait(8s);
        expect_lost(told, "with_lock", "its row is gone: somebody deleted it");
    }
    SECTION("another has it") {
        edit(in.w, "lock#worked on", "holder", "R2D2");
        works.wait(8s);
        expect_lost(told, "with_lock", "its row names session R2D2");
    }
    SECTION("its process stood still, and ends it before anything else") {
        in.a.process->pause();
        in.w.scheduler.run_for(30s);
        in.a.process->resume();
        works.wait(1s);
        expect_lost(told, "with_lock", "stood still for at least 2");
    }
}

TEST_CASE("work that gave its lock back itself is told of its loss, too") {
    loser in;
    bool began = false;
    std::optional<error> told;
    const bool drops = GENERATE(false, true);
    running works(in.w, in.a, drops ? work<dropping_work>(in.a, began, told) : work<releasing_work>(in.a, began, told));
    while (!began) in.w.scheduler.step();
    remove_row(in.w, "lock#worked on");
    works.wait(8s);
    expect_lost(told, "with_lock", "its row is gone: somebody deleted it");
}

TEST_CASE(
    "work under a lock that was lost while its process stood still is told so, whatever else it does at its end") {
    loser in;
    bool began = false;
    std::optional<error> told;
    const bool drops = GENERATE(false, true);
    running works(in.w, in.a, drops ? work<dropping_work>(in.a, began, told) : work<throwing_work>(in.a, began, told));
    while (!began) in.w.scheduler.step();
    in.a.process->pause();
    in.w.scheduler.run_for(30s);
    in.a.process->resume();
    works.wait(1s);
    REQUIRE(told);
    CHECK(told->code() == errc::lock_lost);
    CHECK(told->diagnostics().message.find("before the work under it ended") != std::string::npos);
}

TEST_CASE("work that ended in time is not told of a loss whose release came when others might have its lock") {
    loser in;
    node b(in.w, 7);
    bool began = false;
    std::optional<error> told;
    running works(in.w, in.a, work<short_work>(in.a, began, told));
    while (!began) in.w.scheduler.step();
    lock_guard others;
    running rival(in.w, b, take(b, "worked on", others));
    in.a.network->set_plan([](const any_request& request, const call_options& how) {
        const bool release = std::holds_alternative<update_item_request>(request) && how.lane != lane::heartbeat;
        return release ? fault{.what = kind::pass, .before = 20s} : fault{};
    });
    in.w.scheduler.run_for(5'100ms);  // it has ended, and its release is on its way
    in.a.process->pause();
    rival.wait();
    CHECK(others.held());
    in.w.scheduler.run_for(10s);
    in.a.process->resume();
    works.wait(1s);
    CHECK_FALSE(told);
}

TEST_CASE("work whose release had no answer, and whose row is gone then, is not told of a loss that nobody knows") {
    loser in;
    bool began = false;
    std::optional<error> told;
    running works(in.w, in.a, work<short_work>(in.a, began, told));
    while (!began) in.w.scheduler.step();
    const auto before = in.a.session->counters();
    remove_row(in.w, "lock#worked on");
    int releases = 0;
    in.a.network->set_plan([&](const any_request& request, const call_options& how) {
        const bool first =
            std::holds_alternative<update_item_request>(request) && how.lane != lane::heartbeat && releases++ == 0;
        return fault{first ? kind::lose_request : kind::pass};
    });
    works.wait(15s);
    in.w.scheduler.run_for(15s);
    CHECK_FALSE(told);
    CHECK(in.a.session->counters().released == before.released);
    CHECK(in.a.session->counters().unknown_applied == before.unknown_applied);
}

TEST_CASE("work that ended in time is not told of a loss that came after it") {
    loser in;
    bool ended = false;
    std::optional<error> told;
    const auto body = [&](lock_guard& guard) -> asio::awaitable<void> {
        CHECK(guard.held());
        in.a.process->pause();
        ended = true;
        co_return;
    };
    const auto works = [&]() -> asio::awaitable<void> {
        lock target{*in.a.session, "y"};
        try {
            co_await with_lock(target, body);
        } catch (const error& e) {
            told = e;
        }
    };
    running working(in.w, in.a, works());
    while (!ended) in.w.scheduler.step();
    in.w.scheduler.run_for(30s);
    in.a.process->resume();
    working.wait(1s);
    CHECK_FALSE(told);
    CHECK(in.a.session->lives() == 2);
}

TEST_CASE("whoever cancels work that has ended well is late") {
    loser in;
    in.a.network->set_plan(latency(50ms));
    const bool at_once = GENERATE(false, true);
    int value = 0;
    std::exception_ptr thrown;
    asio::cancellation_signal cancels;
    const auto cancel = [&] { cancels.emit(asio::cancellation_type::terminal); };
    const auto body = [&](lock_guard&) -> asio::awaitable<int> {
        if (at_once) asio::post(in.a.environment.executor, cancel);
        co_return 7;
    };
    const auto works = [&]() -> asio::awaitable<void> {
        lock target{*in.a.session, "y"};
        value = co_await with_lock(target, body);
    };
    asio::co_spawn(in.a.environment.executor, works(),
                   asio::bind_cancellation_slot(cancels.slot(), [&](std::exception_ptr end) { thrown = end; }));
    in.w.scheduler.run_for(150ms);  // acquired after 100 ms, released after 200
    cancel();
    in.w.scheduler.run_for(1s);
    CHECK(value == 7);
    CHECK_FALSE(thrown);
}

TEST_CASE("work that ended well is told of a turn that only its leaving found lost") {
    loser in;
    const queue line(*in.a.session, "worked on");
    bool began = false;
    std::optional<error> told;
    running works(in.w, in.a, work_in_turn(in.a, line, began, told));
    while (!began) in.w.scheduler.step();
    remove_row(in.w, "queue#worked on", "/");
    works.wait(8s);
    expect_lost(told, "with_turn", "its queue's row is gone: somebody deleted it");
}
