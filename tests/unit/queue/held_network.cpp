// A network in the hands of a test: what is sent travels until it is delivered.
// SPDX-License-Identifier: BSL-1.0
#include "held_network.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>

namespace dynalease::tests {

namespace asio = boost::asio;

void held_call::answer(result<any_response> with) {
    if (!std::exchange(waits_, false)) return;
    answer_.emplace(std::move(with));
    arrival_.complete_one({});
}

asio::awaitable<result<any_response>> held_network::perform(any_request request, call_options options) {
    const auto& world = environment();
    auto call = std::make_shared<held_call>(world.executor);
    if (!holds_(request, call)) {
        auto passed_on = behind_->perform(std::move(request), options);
        co_return co_await std::move(passed_on);
    }
    std::optional<time_point> deadline;
    if (options.timeout > std::chrono::nanoseconds::zero()) deadline = world.clock->now() + options.timeout;
    co_await call->arrival_.async_wait_until(*world.clock, deadline, asio::as_tuple(asio::deferred));
    call->waits_ = false;
    if (!call->answer_) co_return no_answer(request);
    co_return std::move(*call->answer_);
}

failure no_answer(const any_request& request) {
    if (is_write(request)) return failure(errc::in_doubt, outcome::unknown);
    return failure(errc::timeout, outcome::not_applied);
}

}  // namespace dynalease::tests
