// Several queues entered at once, under one number, so that two who want the same ones can never deadlock.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/queue/queue.hpp>

#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace dynalease {

namespace detail {
boost::asio::any_io_executor executor_of(const std::vector<queue>& queues);

struct enter_all_verb {
    std::vector<queue> queues;
    enter_options options;
    void operator()(diagnostics* details, handler_for<std::vector<queue_turn>> handler) &&;
};
}  // namespace detail

/// Draws one ticket for all the queues, in one transaction, and waits until it has the turn in each of them.
///
/// The ticket is drawn only when nobody has entered any of the queues since their heads were seen: beside others who
/// enter them many times a second it takes several transactions, up to 6 a second, and there is no bound to how many.
/// Once it is drawn the order is strict. Callers of one process who want some of the same queues draw one by one. Where
/// a place is lost with the head of one queue, all of them are entered anew, so that no circle of waiting closes.
///
/// Errors: those of `queue::enter`; a wait that ends leaves all of them. One of zero fails unless all are free and
/// nobody of this process is about to enter them, and is told in doubt after its second request without an answer.
/// `errc::invalid_option` unless there are 1 to 48 different queues, all of one session, and for `until_known` and
/// `on_place`.
/// Cancellation: all types, at once; every place and turn is given up. Cost when free: 1 transaction of 2 writes for
/// each queue (which count double), and 1 batch of reads if they were not seen within the last second; then as
/// `queue::enter`. Each turn is left on its own. GCC 12 does not compile a braced list of queues inside an awaited
/// expression: name a vector before.
/// @returns the turns in the order of the queues; their tickets are equal.
[[nodiscard]] boost::asio::awaitable<std::vector<queue_turn>> enter_all(std::vector<queue> queues,
                                                                        enter_options options = {});
template <class... Tail>
    requires verb_tail<std::vector<queue_turn>, Tail...>
[[nodiscard]] auto enter_all(std::vector<queue> queues, enter_options options, Tail&&... tail) {
    auto where = detail::executor_of(queues);
    return detail::initiate<std::vector<queue_turn>>(
        where, detail::enter_all_verb{std::move(queues), std::move(options)}, std::forward<Tail>(tail)...);
}
template <class... Tail>
    requires verb_tail<std::vector<queue_turn>, Tail...>
[[nodiscard]] auto enter_all(std::vector<queue> queues, Tail&&... tail) {
    return enter_all(std::move(queues), enter_options{}, std::forward<Tail>(tail)...);
}

}  // namespace dynalease
#pragma GCC visibility pop
