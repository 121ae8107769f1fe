// Waiting between two attempts.
// SPDX-License-Identifier: BSL-1.0
#include "transaction/run_pause.hpp"

#include "database/called_verb.hpp"
#include "database/protocol/backoff.hpp"
#include "runtime/alarm.hpp"
#include "runtime/cancellation.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace dynalease::detail {

namespace {

using namespace std::chrono_literals;
using boost::asio::awaitable;

/// 20 ms doubling to 2 s; anything from half of that on, so that rivals part.
std::chrono::nanoseconds pause_after(const environment& world, unsigned attempts) {
    const auto at_most = std::min<std::chrono::nanoseconds>(20ms * (1U << std::min(attempts - 1, 7U)), 2s);
    return shortened(at_most, world.random->unit());
}

/// For whoever others wait for: 160 ms at most.
constexpr unsigned most_in_line = 4;

void leave_line(run_place* place) {
    std::unique_ptr<run_place> left(place);
    const auto executor = left->core->world().executor;
    if (left->core->context_ended()) return;
    boost::asio::post(executor, [left = std::move(left)] {});
}

std::shared_ptr<run_place> line_up(const std::shared_ptr<transactions_impl>& core, const std::string& item) {
    auto& lines = core->target().implementation()->companion<item_lines>();
    return {new run_place{core, item, {lines, "runs: " + item}}, &leave_line};
}

/// Whose turn comes after others' need not part from them by a pause.
awaitable<runtime::completion<std::shared_ptr<run_place>>> run_pause(pause_verb self) {
    runtime::completion<std::shared_ptr<run_place>> done;
    if (self.place && self.place->item != self.item) self.place = nullptr;
    bool followed = false;
    if (!self.place && !self.item.empty()) {
        self.place = line_up(self.core, self.item);
        followed = co_await self.place->in_line.wait(self.until);
    }
    const bool cancelled = co_await runtime::cancellation_requested();
    if (cancelled) {
        done.code = errc::cancelled;
        co_return done;
    }
    done.value = std::move(self.place);
    if (followed) co_return done;
    const auto& world = self.core->world();
    runtime::alarm pause(world);
    // Those behind it in the line wait for it, too.
    const auto attempts = done.value ? std::min(self.attempts, most_in_line) : self.attempts;
    const auto rested = world.clock->now() + pause_after(world, attempts);
    const bool slept = co_await pause.wait_until(std::min(rested, self.until));
    if (!slept) done.code = errc::cancelled;
    co_return done;
}

}  // namespace

void pause_verb::operator()(diagnostics* details, handler_for<std::shared_ptr<run_place>> handler) && {
    const auto executor = core->world().executor;
    called_verb called{details, "transactions.run", {}, core->options().table};
    start_verb<std::shared_ptr<run_place>>(executor, std::move(called), run_pause(std::move(*this)),
                                           std::move(handler));
}

}  // namespace dynalease::detail
