// Batches of any size: cut into requests, and what the service leaves unprocessed is asked again.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/database.hpp>

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace dynalease {

struct batch_options {
    /// For all requests together, with the pauses between them. One that was begun in time may end after it.
    std::chrono::nanoseconds timeout = std::chrono::seconds(60);
    /// Ask what it costs: `consumed` in the answer.
    bool report_capacity = false;
    /// Of each request.
    call_options call{};
};

/// What a whole batch came to.
struct batch_write_all_response {
    std::size_t requests = 0;
    std::map<std::string, double> consumed{};  ///< capacity units by table
};
struct batch_get_all_response {
    std::map<std::string, std::vector<item>>
        items{};  ///< by table, in no order; those that were not found are not there
    std::size_t requests = 0;
    std::map<std::string, double> consumed{};
};

namespace detail {

struct batch_write_all_verb {
    database target;
    std::map<std::string, std::vector<batch_write>> writes;
    batch_options options;
    void operator()(diagnostics* details, handler_for<batch_write_all_response> handler) &&;
};
struct batch_get_all_verb {
    database target;
    std::map<std::string, keys_and_options> wanted;
    batch_options options;
    void operator()(diagnostics* details, handler_for<batch_get_all_response> handler) &&;
};

}  // namespace detail

/// Makes all of these puts and deletes, 25 a request, one request at a time. No conditions, no order, no atomicity: who
/// reads meanwhile sees some of them. Name each item once.
///
/// What comes back unprocessed is sent again after a pause of up to 50 ms; twice as long, up to 2 s, each time nothing
/// at all was taken.
/// Errors: `errc::throttled` when writes are left at the deadline, and what the service refuses; `errc::in_doubt` when
/// a request had no answer. Others may have been made in each case; the same batch again does no harm. Cancellation:
/// all types; it stops where it is. Cost: 1 request per 25 writes, and as many again for what was left.
boost::asio::awaitable<batch_write_all_response> batch_write_all(database target,
                                                                 std::map<std::string, std::vector<batch_write>> writes,
                                                                 batch_options options = {});
template <class... Tail>
    requires verb_tail<batch_write_all_response, Tail...>
auto batch_write_all(database target, std::map<std::string, std::vector<batch_write>> writes, batch_options options,
                     Tail&&... tail) {
    const auto where = target.get_executor();
    return detail::initiate<batch_write_all_response>(
        where, detail::batch_write_all_verb{std::move(target), std::move(writes), options},
        std::forward<Tail>(tail)...);
}
template <class... Tail>
    requires verb_tail<batch_write_all_response, Tail...>
auto batch_write_all(database target, std::map<std::string, std::vector<batch_write>> writes, Tail&&... tail) {
    return batch_write_all(std::move(target), std::move(writes), batch_options{}, std::forward<Tail>(tail)...);
}

/// Reads all of these keys, 100 a request, one request at a time. Not a snapshot. Name each key once.
///
/// Unprocessed keys, errors, cancellation and cost as for `batch_write_all`; nothing is changed.
boost::asio::awaitable<batch_get_all_response> batch_get_all(database target,
                                                             std::map<std::string, keys_and_options> wanted,
                                                             batch_options options = {});
template <class... Tail>
    requires verb_tail<batch_get_all_response, Tail...>
auto batch_get_all(database target, std::map<std::string, keys_and_options> wanted, batch_options options,
                   Tail&&... tail) {
    const auto where = target.get_executor();
    return detail::initiate<batch_get_all_response>(
        where, detail::batch_get_all_verb{std::move(target), std::move(wanted), options}, std::forward<Tail>(tail)...);
}
template <class... Tail>
    requires verb_tail<batch_get_all_response, Tail...>
auto batch_get_all(database target, std::map<std::string, keys_and_options> wanted, Tail&&... tail) {
    return batch_get_all(std::move(target), std::move(wanted), batch_options{}, std::forward<Tail>(tail)...);
}

}  // namespace dynalease
#pragma GCC visibility pop
