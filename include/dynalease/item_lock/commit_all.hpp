// The last changes of several locked items, and their release, in one transaction.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/item_lock/item_guard.hpp>

#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace dynalease {

/// The end of one locked item. A reader's guard changes nothing: that it still holds is a condition of all the rest.
struct item_commit {
    item_guard guard;
    update_expression change{};
    condition_expression condition{};  ///< demanded beside the lock
    bool erase = false;                ///< remove the item in place of changing it
};

namespace detail {
boost::asio::any_io_executor executor_of(const std::vector<item_commit>& parts);

struct commit_all_verb {
    std::vector<item_commit> parts;
    void operator()(diagnostics* details, handler_for<void> handler) &&;
};
}  // namespace detail

/// Writes all the changes and gives back all the locks, or none of both: refused as a whole if a single lock is no
/// longer ours. The guards are used up by the call, whatever comes of it; without success they are released in the
/// background. GCC 12 does not compile a braced list of them inside an awaited expression: name a vector before.
///
/// Errors: `errc::condition_failed` when a condition of the caller's was false; `errc::lock_lost`,
/// `errc::session_lost`; `errc::not_held` without guards, and for one that is empty or was released;
/// `errc::not_exclusive` for a change under a reader's guard; `errc::reserved_name`; `errc::invalid_option` for guards
/// of different sessions; `errc::too_many_items` for more than 100; `errc::in_doubt` when the answers stayed away. The
/// diagnostics name the item. Cancellation: all types; what was sent is in doubt. Cost: 1 transaction of a write for
/// each item, which count double. Under a plain session renewals that are under way are waited for first, as by
/// `item_guard::update`. As with `acquire_all`, name the vector before the `co_await`.
boost::asio::awaitable<void> commit_all(std::vector<item_commit> parts);
template <class... Tail>
    requires verb_tail<void, Tail...>
auto commit_all(std::vector<item_commit> parts, Tail&&... tail) {
    auto where = detail::executor_of(parts);
    return detail::initiate<void>(where, detail::commit_all_verb{std::move(parts)}, std::forward<Tail>(tail)...);
}

}  // namespace dynalease
#pragma GCC visibility pop
