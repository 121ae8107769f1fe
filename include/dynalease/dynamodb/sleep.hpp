// A pause by the clock that the library goes by.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/database.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <utility>

#pragma GCC visibility push(default)
namespace dynalease {

namespace detail {

struct sleep_verb {
    database by;
    std::chrono::nanoseconds time;
    void operator()(diagnostics* details, handler_for<void> handler) &&;
};

}  // namespace detail

/// Sleeps by the clock of this database. In a server that is the system's; in a test with simulated time it is the
/// node's. An `asio::steady_timer` goes by the real one, and ends there at some virtual moment or never: so a service
/// that is to be simulated pauses by this. At once for a time that is not above 0; at most for 100 years. Errors:
/// `errc::cancelled`. Cancellation: all types. Cost: none.
inline boost::asio::awaitable<void> sleep(database by, std::chrono::nanoseconds time) {
    const auto executor = by.get_executor();
    return detail::await_verb<void>(executor, detail::sleep_verb{std::move(by), time});
}
template <class... Tail>
    requires verb_tail<void, Tail...>
auto sleep(database by, std::chrono::nanoseconds time, Tail&&... tail) {
    const auto executor = by.get_executor();
    return detail::initiate<void>(executor, detail::sleep_verb{std::move(by), time}, std::forward<Tail>(tail)...);
}

}  // namespace dynalease
#pragma GCC visibility pop
