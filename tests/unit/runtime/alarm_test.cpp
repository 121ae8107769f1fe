// A background loop's sleep.
// SPDX-License-Identifier: BSL-1.0
#include "runtime/alarm.hpp"
#include "runtime/spawn.hpp"

#include <dynalease/testing/environment.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>

#include <catch2/catch.hpp>

#include <memory>
#include <optional>

namespace asio = boost::asio;
using namespace dynalease;
using namespace std::chrono_literals;
using boost::system::error_code;

namespace {

asio::awaitable<runtime::completion<bool>> sleep_until(runtime::alarm* alarm, clock::time_point when) {
    runtime::completion<bool> result;
    result.value = co_await alarm->wait_until(when);
    co_return result;
}

struct world {
    testing::scheduler scheduler;
    environment where = testing::make_environment(scheduler, 1);
    std::unique_ptr<runtime::alarm> alarm = std::make_unique<runtime::alarm>(where);
    asio::cancellation_signal signal;
    std::optional<bool> reached;
    clock::time_point ended{};

    void sleep(clock::duration time) {
        auto note = [this](error_code, bool value) {
            reached = value;
            ended = where.clock->now();
        };
        runtime::spawn<bool>(where.executor, sleep_until(alarm.get(), clock::time_point(time)),
                             asio::bind_cancellation_slot(signal.slot(), note));
    }
};

}  // namespace

TEST_CASE_METHOD(world, "an alarm goes off at its time", "[alarm]") {
    sleep(5s);
    scheduler.run();
    CHECK(reached == true);
    CHECK(ended.time_since_epoch() == 5s);
}

TEST_CASE_METHOD(world, "a sleeper can be woken, cancelled or abandoned", "[alarm]") {
    sleep(5s);
    scheduler.run_for(1s);
    REQUIRE(!reached);
    SECTION("woken") {
        alarm->wake();
    }
    SECTION("cancelled") {
        signal.emit(asio::cancellation_type::total);
    }
    SECTION("abandoned") {
        alarm.reset();
    }
    scheduler.run();
    CHECK(reached == false);
    CHECK(ended.time_since_epoch() == 1s);
    CHECK(scheduler.now().time_since_epoch() == 1s);
}

TEST_CASE_METHOD(world, "a wake between two sleeps ends the next one, and only that", "[alarm]") {
    alarm->wake();
    alarm->wake();
    sleep(5s);
    scheduler.run();
    CHECK(reached == false);
    CHECK(ended.time_since_epoch() == 0s);
    sleep(5s);
    scheduler.run();
    CHECK(reached == true);
}
