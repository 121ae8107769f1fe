// Pauses go by the node's own clock, end when they are cancelled, and bear every length.
// SPDX-License-Identifier: BSL-1.0
#include "support/world.hpp"

#include <dynalease/dynamodb/sleep.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <catch2/catch.hpp>

#include <chrono>
#include <optional>

using namespace dynalease;
using namespace dynalease::tests;

TEST_CASE("a pause takes its time by the node's clock, and none that is not above 0") {
    world where;
    node a(where, 1);
    run(where, a, [](node& in) -> asio::awaitable<void> {
        const database by(in.network);
        auto& clock = *in.environment.clock;
        const auto before = clock.now();
        co_await dynalease::sleep(by, 90s);
        CHECK(clock.now() - before == 90s);
        co_await dynalease::sleep(by, 0s);
        co_await dynalease::sleep(by, std::chrono::nanoseconds::min());
        CHECK(clock.now() - before == 90s);
    }(a));
    CHECK(a.network->log().empty());
}

TEST_CASE("a pause ends when it is cancelled, even one without end") {
    world where;
    node a(where, 1);
    run(where, a, [](node& in) -> asio::awaitable<void> {
        const database by(in.network);
        asio::cancellation_signal cancel;
        std::optional<error_code> told;
        dynalease::sleep(by, std::chrono::nanoseconds::max(),
                         asio::bind_cancellation_slot(cancel.slot(), [&](error_code code) { told = code; }));
        co_await tests::sleep(in, 1min);
        CHECK_FALSE(told);
        cancel.emit(asio::cancellation_type::total);
        co_await tests::sleep(in, 1ms);
        CHECK(told == make_error_code(errc::cancelled));
    }(a));
}
