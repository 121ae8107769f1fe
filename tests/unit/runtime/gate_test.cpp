// Who gets through a gate, and when it is idle.
// SPDX-License-Identifier: BSL-1.0
#include "runtime/gate.hpp"
#include "runtime/spawn.hpp"

#include <dynalease/testing/environment.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/deferred.hpp>

#include <catch2/catch.hpp>

#include <optional>

namespace asio = boost::asio;
using namespace dynalease;
using namespace std::chrono_literals;
using runtime::completion;

namespace {

asio::awaitable<completion<void>> idle(runtime::gate* gate) {
    completion<void> result;
    result.code = co_await gate->wait_idle();
    co_return result;
}

asio::awaitable<completion<void>> idle_until(runtime::gate* gate, environment where, clock::time_point deadline) {
    completion<void> result;
    result.code = co_await gate->wait_idle_until(*where.clock, deadline);
    co_return result;
}

asio::awaitable<void> work(environment where, clock::duration time, int* done) {
    co_await where.clock->async_wait_until(where.clock->now() + time, asio::as_tuple(asio::deferred));
    ++*done;
}

struct world {
    testing::scheduler scheduler;
    environment where = testing::make_environment(scheduler, 1);
    runtime::gate gate{where.executor};
    std::optional<boost::system::error_code> told;
    clock::time_point told_at{};

    auto note() {
        return [this](boost::system::error_code code) {
            told = code;
            told_at = where.clock->now();
        };
    }
};

}  // namespace

TEST_CASE_METHOD(world, "a closed gate lets nobody in, and those inside finish", "[gate]") {
    auto inside = gate.enter();
    CHECK(inside);
    gate.close();
    CHECK(!gate.enter());
    CHECK(gate.count() == 1);
    inside = runtime::gate::pass();
    CHECK(gate.count() == 0);
}

TEST_CASE_METHOD(world, "a moved pass counts once", "[gate]") {
    auto first = gate.enter();
    auto second = gate.enter();
    CHECK(gate.count() == 2);
    second = std::move(first);
    CHECK(gate.count() == 1);
    CHECK(!first);
}

TEST_CASE_METHOD(world, "an idle gate is idle at once", "[gate]") {
    runtime::spawn<void>(where.executor, idle(&gate), note());
    scheduler.run();
    REQUIRE(told);
    CHECK(!*told);
}

TEST_CASE_METHOD(world, "idle is told when the last work ends", "[gate]") {
    int done = 0;
    CHECK(runtime::spawn_background(where.executor, gate, work(where, 2s, &done)));
    CHECK(runtime::spawn_background(where.executor, gate, work(where, 5s, &done)));
    gate.close();
    CHECK(!runtime::spawn_background(where.executor, gate, work(where, 1s, &done)));
    runtime::spawn<void>(where.executor, idle(&gate), note());
    scheduler.run();
    REQUIRE(told);
    CHECK(!*told);
    CHECK(told_at.time_since_epoch() == 5s);
    CHECK(done == 2);
}

TEST_CASE_METHOD(world, "waiting for idle ends at a deadline or by cancellation", "[gate]") {
    auto inside = gate.enter();
    asio::cancellation_signal signal;
    SECTION("deadline") {
        runtime::spawn<void>(where.executor, idle_until(&gate, where, clock::time_point(3s)), note());
        scheduler.run();
        CHECK(told == asio::error::timed_out);
        CHECK(told_at.time_since_epoch() == 3s);
    }
    SECTION("cancellation") {
        runtime::spawn<void>(where.executor, idle(&gate), asio::bind_cancellation_slot(signal.slot(), note()));
        scheduler.run();
        CHECK(!told);
        signal.emit(asio::cancellation_type::total);
        scheduler.run();
        CHECK(told == asio::error::operation_aborted);
    }
}

TEST_CASE_METHOD(world, "a pass may outlive its gate", "[gate]") {
    auto short_lived = std::make_unique<runtime::gate>(where.executor);
    auto inside = short_lived->enter();
    short_lived.reset();
    CHECK(inside);
}
