// The coordination table: where sessions, locks and queues have their rows.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/detail/initiate.hpp>
#include <dynalease/dynamodb/database.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <string>
#include <utility>

#pragma GCC visibility push(default)
namespace dynalease {

struct create_table_options {
    /// For the table to become active.
    std::chrono::milliseconds timeout{60'000};
};

namespace detail {
struct create_table_verb {
    database target;
    std::string name;
    create_table_options options;
    void operator()(diagnostics* details, handler_for<void> handler) &&;
};
}  // namespace detail

/// Makes the coordination table: key `pk` and `sk`, on-demand billing, TTL on attribute `ttl`; waits until it is
/// active. A table that is already so is success.
///
/// Errors: `errc::invalid_name`; `errc::table_in_use` when a table of that name has another key; `errc::access_denied`;
/// `errc::timeout`. Cancellation: all types; the table may be left in the making. Cost: 3 requests and more.
boost::asio::awaitable<void> create_table(database target, std::string name, create_table_options options = {});
template <class... Tail>
    requires verb_tail<void, Tail...>
auto create_table(database target, std::string name, create_table_options options, Tail&&... tail) {
    auto where = target.get_executor();
    return detail::initiate<void>(where, detail::create_table_verb{std::move(target), std::move(name), options},
                                  std::forward<Tail>(tail)...);
}
template <class... Tail>
    requires verb_tail<void, Tail...>
auto create_table(database target, std::string name, Tail&&... tail) {
    return create_table(std::move(target), std::move(name), create_table_options{}, std::forward<Tail>(tail)...);
}

}  // namespace dynalease
#pragma GCC visibility pop
