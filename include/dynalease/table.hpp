// The coordination table: making it, and looking at what stands in it.
#pragma once

#include <dynalease/detail/initiate.hpp>
#include <dynalease/dynamodb/database.hpp>
#include <dynalease/lock.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace dynalease {

struct create_table_options {
    /// For the table to become active.
    std::chrono::milliseconds timeout{60'000};
};

struct list_locks_options {
    std::string table;
    std::string prefix{};          ///< only locks whose name begins so
    std::int32_t page_size = 100;  ///< rows looked at per request, 1 to 1,000
    item_key start_after{};        ///< `lock_page::next` of the page before
};
struct lock_page {
    struct entry {
        std::string name;
        lock_info info;  ///< `held` says the row names a holder; whether that session lives, `inspect` tells
    };
    std::vector<entry> locks;
    item_key next;  ///< empty: this was the last page
};

namespace detail {
struct create_table_verb {
    database target;
    std::string name;
    create_table_options options;
    void operator()(diagnostics* details, handler_for<void> handler) &&;
};
struct list_locks_verb {
    database target;
    list_locks_options options;
    void operator()(diagnostics* details, handler_for<lock_page> handler) &&;
};
}  // namespace detail

/// Makes the coordination table: key `pk` and `sk`, on-demand billing, TTL on attribute `ttl`; waits until it is
/// active. A table that is already so is success.
///
/// Errors: `errc::invalid_name`; `errc::table_in_use` when a table of that name has another key; `errc::access_denied`;
/// `errc::timeout`. Cancellation: all types; the table may be left in the making. Cost: 3 requests and more.
boost::asio::awaitable<void> create_table(database target, std::string name, create_table_options options = {});
template <token_for<void> Token>
auto create_table(database target, std::string name, create_table_options options, Token&& token) {
    auto where = target.get_executor();
    return detail::initiate<void>(where, detail::create_table_verb{std::move(target), std::move(name), options},
                                  nullptr, std::forward<Token>(token));
}

/// A page of the locks that have a row. A scan: its cost grows with the table, not with what it finds.
/// Errors: `errc::invalid_name`, and the service's.
boost::asio::awaitable<lock_page> list_locks(database target, list_locks_options options);
template <token_for<lock_page> Token>
auto list_locks(database target, list_locks_options options, Token&& token) {
    auto where = target.get_executor();
    return detail::initiate<lock_page>(where, detail::list_locks_verb{std::move(target), std::move(options)}, nullptr,
                                       std::forward<Token>(token));
}

}  // namespace dynalease
