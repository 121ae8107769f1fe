// Room client: patience with services that hand out keys.
// SPDX-License-Identifier: BSL-1.0
#include "client/credentials/http_retry.hpp"

#include "runtime/alarm.hpp"

namespace dynalease::detail {

boost::asio::awaitable<result<aws::web_answer>> exchange_with_retry(shared_source_context context,
                                                                    std::function<aws::web_request()> make,
                                                                    http_retry how) {
    const auto& world = context->world;
    std::chrono::duration<double, std::milli> longest_pause{100};
    for (unsigned attempt = 1;; ++attempt, longest_pause *= 2) {
        auto request = make();
        auto answer = co_await context->web->exchange(std::move(request), how.limit);
        const bool transient = answer ? how.is_transient(*answer) : answer.error().code != errc::shut_down;
        if (!transient || attempt >= how.attempts) co_return answer;
        const auto pause = std::chrono::duration_cast<clock::duration>(longest_pause * world.random->unit());
        runtime::alarm alarm(world);
        co_await alarm.wait_until(world.clock->now() + pause);
    }
}

}  // namespace dynalease::detail
