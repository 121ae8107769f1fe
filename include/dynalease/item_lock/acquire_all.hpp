// Several items locked at once, so that two who want the same ones can never deadlock.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/item_lock/item_lock.hpp>

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace dynalease {

/// One of several items that are wanted together.
struct item_demand {
    item_lock lock;
    bool shared = false;  ///< to read it; otherwise alone, to write it
};

struct acquire_all_options {
    /// How long to wait for others, all items together; empty, and without answers: as `item_acquire_options`.
    std::optional<std::chrono::nanoseconds> wait{};
    /// Lock one item after the other, in the order of their names, holding the first while waiting for the next: half
    /// the price of a transaction, but a busy item then keeps the others locked too. More than 100 items are always
    /// locked so.
    bool one_by_one = false;
};

namespace detail {
boost::asio::any_io_executor executor_of(const std::vector<item_demand>& wanted);

struct acquire_all_verb {
    std::vector<item_demand> wanted;
    acquire_all_options options;
    void operator()(diagnostics* details, handler_for<std::vector<item_guard>> handler) &&;
};
}  // namespace detail

/// Locks all the items or none, in one transaction, and waits holding none of them. Where that is refused five times
/// it goes on one by one, as `acquire_all_options::one_by_one` says: nobody starves, and nobody waits in a circle, as
/// long as those who hold one of these items acquire no other. Callers of one process queue in memory, for each item in
/// the order in which they came; callers of `item_lock` for one of the items are served before them, and each counts as
/// a refusal, as does an item that is in other hands when the one before it is free.
///
/// Errors: those of `item_lock::acquire`, whose diagnostics name the item; whatever was locked is given back then.
/// `errc::invalid_option` unless there are items, all of one session, and for `until_known`; `errc::duplicate_item`.
/// Cancellation: all types, at once; `errc::in_doubt` if the transaction has left and may yet lock the items: the
/// library resolves it in the background. Cost when free: 1 transaction of a write for each item (which count double)
/// and 1 batch of reads, which brings the items; one by one, 1 write each; without a wait, and in other hands, 1 read
/// more at most, to name the holder. Each guard is released on its own, or all
/// by `commit_all`. GCC 12 does not compile a braced list of demands inside an awaited expression: name a vector
/// before.
/// @returns the guards in the order of the demands; of a transaction their fencing tokens are equal.
[[nodiscard]] boost::asio::awaitable<std::vector<item_guard>> acquire_all(std::vector<item_demand> wanted,
                                                                          acquire_all_options options = {});
template <class... Tail>
    requires verb_tail<std::vector<item_guard>, Tail...>
[[nodiscard]] auto acquire_all(std::vector<item_demand> wanted, acquire_all_options options, Tail&&... tail) {
    auto where = detail::executor_of(wanted);
    return detail::initiate<std::vector<item_guard>>(where, detail::acquire_all_verb{std::move(wanted), options},
                                                     std::forward<Tail>(tail)...);
}
template <class... Tail>
    requires verb_tail<std::vector<item_guard>, Tail...>
[[nodiscard]] auto acquire_all(std::vector<item_demand> wanted, Tail&&... tail) {
    return acquire_all(std::move(wanted), acquire_all_options{}, std::forward<Tail>(tail)...);
}

}  // namespace dynalease
#pragma GCC visibility pop
