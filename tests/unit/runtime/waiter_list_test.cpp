// What a waiter in a list is told, and in which order.
// SPDX-License-Identifier: BSL-1.0
#include "runtime/waiter_list.hpp"

#include <dynalease/testing/environment.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <catch2/catch.hpp>

#include <memory>
#include <optional>
#include <vector>

namespace asio = boost::asio;
using namespace dynalease;
using namespace std::chrono_literals;
using boost::system::error_code;

namespace {

using value = std::unique_ptr<int>;
using list = runtime::waiter_list<value>;

struct world {
    testing::scheduler scheduler;
    environment where = testing::make_environment(scheduler, 1);
    list waiters{where.executor};
    std::vector<int> got;  // in the order of completion
    std::vector<error_code> failed;

    auto note() {
        return [this](error_code code, value served) {
            if (code) {
                failed.push_back(code);
            } else {
                got.push_back(*served);
            }
        };
    }
};

value number(int content) {
    return std::make_unique<int>(content);
}

}  // namespace

TEST_CASE_METHOD(world, "waiters are served in the order of their coming", "[waiter_list]") {
    for (int i = 0; i < 3; ++i) {
        waiters.async_wait([this, i](error_code, value served) { got.push_back(10 * i + *served); });
    }
    CHECK(waiters.size() == 3);
    CHECK(waiters.complete_one(number(7)));
    CHECK(waiters.complete_one(number(8)));
    CHECK(waiters.size() == 1);
    CHECK(got.empty());  // posted, never inside the call
    scheduler.run();
    CHECK(got == std::vector{7, 18});
}

TEST_CASE_METHOD(world, "with nobody waiting the value stays with its owner", "[waiter_list]") {
    auto kept = number(7);
    CHECK(!waiters.complete_one(std::move(kept)));
    REQUIRE(kept);
    CHECK(*kept == 7);
}

TEST_CASE_METHOD(world, "a waiter with a deadline times out then, and its place is gone", "[waiter_list]") {
    const auto deadline = where.clock->now() + 5s;
    clock::time_point told{};
    waiters.async_wait_until(*where.clock, deadline, [&](error_code code, value) {
        failed.push_back(code);
        told = where.clock->now();
    });
    waiters.async_wait(note());
    scheduler.run();
    REQUIRE(failed.size() == 1);
    CHECK(failed[0] == asio::error::timed_out);
    CHECK(told == deadline);
    CHECK(waiters.complete_one(number(2)));
    scheduler.run();
    CHECK(got == std::vector{2});
}

TEST_CASE_METHOD(world, "a served waiter leaves no timer behind", "[waiter_list]") {
    waiters.async_wait_until(*where.clock, where.clock->now() + 1h, note());
    waiters.complete_one(number(1));
    scheduler.run();
    CHECK(got == std::vector{1});
    CHECK(scheduler.now() == clock::time_point{});
}

TEST_CASE_METHOD(world, "each type of cancellation ends a wait, but not one that was served", "[waiter_list]") {
    const auto type =
        GENERATE(asio::cancellation_type::terminal, asio::cancellation_type::partial, asio::cancellation_type::total);
    asio::cancellation_signal first;
    asio::cancellation_signal second;
    waiters.async_wait(asio::bind_cancellation_slot(first.slot(), note()));
    waiters.async_wait_until(*where.clock, where.clock->now() + 1h,
                             asio::bind_cancellation_slot(second.slot(), note()));
    waiters.complete_one(number(1));
    first.emit(type);
    second.emit(type);
    CHECK(waiters.empty());
    scheduler.run();
    CHECK(got == std::vector{1});
    REQUIRE(failed.size() == 1);
    CHECK(failed[0] == asio::error::operation_aborted);
    CHECK(scheduler.now() == clock::time_point{});
}

TEST_CASE_METHOD(world, "all waiters can be told the same", "[waiter_list]") {
    for (int i = 0; i < 3; ++i) waiters.async_wait(note());
    waiters.complete_all(asio::error::eof);
    scheduler.run();
    CHECK(failed == std::vector<error_code>(3, asio::error::eof));
}

TEST_CASE_METHOD(world, "the end of a list aborts its waiters", "[waiter_list]") {
    {
        list ending(where.executor);
        ending.async_wait(note());
        ending.async_wait_until(*where.clock, where.clock->now() + 1h, note());
    }
    scheduler.run();
    CHECK(failed == std::vector<error_code>(2, asio::error::operation_aborted));
    CHECK(scheduler.now() == clock::time_point{});
}
