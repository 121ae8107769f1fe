// The locks that stand in a coordination table.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/detail/braced.hpp>
#include <dynalease/detail/initiate.hpp>
#include <dynalease/dynamodb/database.hpp>
#include <dynalease/lock/lock.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace dynalease {

struct list_locks_options {
    detail::braced<std::string> table;
    detail::braced<std::string> prefix{};    ///< only locks whose name begins so
    std::int32_t page_size = 100;            ///< rows looked at per request, 1 to 1,000
    detail::braced<item_key> start_after{};  ///< `lock_page::next` of the page before
};
struct lock_page {
    struct entry {
        std::string name;
        lock_info info;  ///< as `inspect` shows it
    };
    std::vector<entry> locks;
    item_key next;  ///< empty: this was the last page
};

namespace detail {
struct list_locks_verb {
    database target;
    list_locks_options options;
    void operator()(diagnostics* details, handler_for<lock_page> handler) &&;
};
}  // namespace detail

/// A page of the locks that have a row. A scan: its cost grows with the table, not with what it finds; and 1 read for
/// each session that holds any of them, in batches of 100. Where the first page shows none, 1 DescribeTable more:
/// `errc::validation` for a table whose key is no coordination table's.
/// Errors: `errc::invalid_name`, `errc::invalid_option`, and the service's.
boost::asio::awaitable<lock_page> list_locks(database target, list_locks_options options);
template <class... Tail>
    requires verb_tail<lock_page, Tail...>
auto list_locks(database target, list_locks_options options, Tail&&... tail) {
    auto where = target.get_executor();
    return detail::initiate<lock_page>(where, detail::list_locks_verb{std::move(target), std::move(options)},
                                       std::forward<Tail>(tail)...);
}

}  // namespace dynalease
#pragma GCC visibility pop
