// Clocks that start, run and are set differently.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/testing/scheduler.hpp>
#include <dynalease/testing/virtual_clock.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>

#include <catch2/catch.hpp>

#include <memory>
#include <optional>

namespace asio = boost::asio;
using namespace dynalease;
using namespace std::chrono_literals;
using boost::system::error_code;

TEST_CASE("clocks differ by offset and rate", "[virtual_clock]") {
    testing::scheduler scheduler;
    testing::virtual_clock exact(scheduler.main());
    testing::virtual_clock late(scheduler.main(), {.offset = 100s, .drift_ppm = -1000});
    testing::virtual_clock fast(scheduler.main(), {.drift_ppm = 1000});
    scheduler.advance(1000s);
    CHECK(exact.now().time_since_epoch() == 1000s);
    CHECK(late.now().time_since_epoch() == 1099s);
    CHECK(fast.now().time_since_epoch() == 1001s);
    scheduler.advance(24h * 365 * 50);
    CHECK(fast.now().time_since_epoch() == (1000s + 24h * 365 * 50) / 1000 * 1001);
}

TEST_CASE("a wait ends at the first moment the clock shows its time, whatever its rate", "[virtual_clock]") {
    const auto ppm = GENERATE(0, 1, -1, 333, -777, 100'000, -100'000, 499'999, -499'999);
    testing::scheduler scheduler;
    testing::virtual_clock clock(scheduler.main(), {.offset = 17ns, .drift_ppm = ppm});
    for (const auto time : {1ns, 999ns, 1'000'001ns, 123'456'789'012ns, std::chrono::nanoseconds(24h)}) {
        const auto when = clock.now() + time;
        bool done = false;
        clock.async_wait_until(when, [&](error_code code) { done = !code; });
        scheduler.run();
        CHECK(done);
        CHECK(clock.now() >= when);
        CHECK(clock.now() < when + 2ns);
    }
}

TEST_CASE("a change of rate moves the waits", "[virtual_clock]") {
    testing::scheduler scheduler;
    testing::virtual_clock clock(scheduler.main());
    std::optional<std::chrono::nanoseconds> true_time;
    clock.async_wait_until(time_point(100s), [&](error_code) { true_time = scheduler.now().time_since_epoch(); });
    scheduler.run_for(50s);
    SECTION("slower") {
        clock.set_drift(-500'000);
        scheduler.run();
        CHECK(true_time == 150s);
    }
    SECTION("faster") {
        clock.set_drift(250'000);
        scheduler.run();
        CHECK(true_time == 90s);
    }
}

TEST_CASE("the wall clock is set without touching elapsed time", "[virtual_clock]") {
    testing::scheduler scheduler;
    testing::virtual_clock clock(scheduler.main(), {.offset = 5h});
    const auto start = clock.wall();
    CHECK(start == std::chrono::sys_days(std::chrono::year(2026) / 1 / 1));
    scheduler.advance(10s);
    CHECK(clock.wall() == start + 10s);
    clock.step_wall(-24h);
    CHECK(clock.wall() == start + 10s - 24h);
    CHECK(clock.now().time_since_epoch() == 5h + 10s);
}

TEST_CASE("virtual waits are cancelled, aborted or for ever", "[virtual_clock]") {
    testing::scheduler scheduler;
    auto clock = std::make_unique<testing::virtual_clock>(scheduler.main());
    asio::cancellation_signal signal;
    error_code got;
    const auto note = [&](error_code code) { got = code; };
    SECTION("cancelled") {
        clock->async_wait_until(time_point(1h), asio::bind_cancellation_slot(signal.slot(), note));
        signal.emit(asio::cancellation_type::total);
        CHECK(!got);
        scheduler.run();
        CHECK(got == asio::error::operation_aborted);
    }
    SECTION("aborted by the end of the clock") {
        clock->async_wait_until(time_point(1h), note);
        clock.reset();
        scheduler.run();
        CHECK(got == asio::error::operation_aborted);
    }
    SECTION("for ever") {
        clock->async_wait_until(time_point::max(), note);
        scheduler.run();
        CHECK(!got);
    }
    CHECK(scheduler.now().time_since_epoch() == 0s);
}

TEST_CASE("a clock outlives its process and stands still", "[virtual_clock]") {
    auto scheduler = std::make_unique<testing::scheduler>();
    testing::virtual_clock clock(scheduler->main());
    clock.async_wait_until(time_point(1h), [](error_code) { FAIL("called after the end"); });
    scheduler->advance(5s);
    scheduler.reset();
    CHECK(clock.now().time_since_epoch() == 5s);
}
