// Pauses of the application's own.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/dynamodb/sleep.hpp>

#include "database/called_verb.hpp"
#include "runtime/alarm.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::detail {

namespace {

/// No clock of ours is still right by then, and what is later than this could not be added to some of their times.
constexpr std::chrono::hours longest{24 * 365 * 100};

boost::asio::awaitable<runtime::completion<void>> run_sleep(database by, std::chrono::nanoseconds time) {
    runtime::completion<void> done;
    const auto& world = by.environment();
    runtime::alarm pause(world);
    const bool slept =
        co_await pause.wait_until(world.clock->now() + std::min<std::chrono::nanoseconds>(time, longest));
    if (!slept) done.code = errc::cancelled;
    co_return done;
}

}  // namespace

void sleep_verb::operator()(diagnostics* details, handler_for<void> handler) && {
    const auto executor = by.get_executor();
    called_verb called{details, "sleep"};
    start_verb<void>(executor, std::move(called), run_sleep(std::move(by), time), std::move(handler));
}

}  // namespace dynalease::detail
