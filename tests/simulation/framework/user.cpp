// Resting, and changing one's mind.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/user.hpp"

#include <boost/asio/bind_executor.hpp>

#include <array>
#include <utility>

namespace dynalease::simulation {

namespace asio = boost::asio;

void user::interrupt() {
    cancel_.emit(asio::cancellation_type::terminal);
}

asio::awaitable<void> user::sleep_up_to(const char* label, std::chrono::milliseconds longest) {
    const auto time = choices_.choose(label, static_cast<std::uint64_t>(longest.count()) + 1);
    const auto clock = process_.machine().environment().clock;
    const auto when = clock->now() + std::chrono::milliseconds(time);
    next_operation();
    co_await clock->async_wait_until(when, cancellable());
}

void user::cancel_after(std::chrono::nanoseconds time) {
    constexpr std::array types{asio::cancellation_type::terminal, asio::cancellation_type::partial,
                               asio::cancellation_type::total};
    const auto type = types[choices_.choose(cancellation_, types.size())];
    auto emit = [weak = weak_from_this(), type, of = operation_](error_code code) {
        const auto self = weak.lock();
        if (!code && self && self->operation_ == of) self->cancel_.emit(type);
    };
    const auto& here = process_.machine().environment();
    here.clock->async_wait_until(here.clock->now() + time, asio::bind_executor(here.executor, std::move(emit)));
}

}  // namespace dynalease::simulation
