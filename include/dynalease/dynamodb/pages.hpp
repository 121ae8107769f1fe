// The pages of Query, Scan and ListTables, one after the other.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/database.hpp>

#include <concepts>
#include <memory>
#include <optional>
#include <utility>

#pragma GCC visibility push(default)
namespace dynalease {

template <class Request>
concept paged_operation = std::same_as<Request, query_request> || std::same_as<Request, scan_request> ||
                          std::same_as<Request, list_tables_request>;

/// Pages of items.
template <class Request>
concept item_page_request = std::same_as<Request, query_request> || std::same_as<Request, scan_request>;

namespace detail {

template <paged_operation Request>
struct page_position {
    database from;
    Request next;
    call_options options;
    bool at_end = false;
};

template <paged_operation Request>
struct next_page_verb {
    std::shared_ptr<page_position<Request>> position;
    void operator()(diagnostics* details, handler_for<std::optional<typename Request::response>> handler) &&;
};

}  // namespace detail

/// Walks through the pages of a request:
///
///     dynalease::pages<dynalease::query_request> pages{database, request};
///     while (auto page = co_await pages.next()) { ... }
///
/// (GCC 12 wants the page taken before it is tested: `auto page = co_await pages.next(); if (!page) break;`.)
/// A page may be empty and yet not the last: a filter drops items after they were read. `limit` and 1 MB bound what a
/// page reads, not what it returns. Not for two calls of `next` at once.
template <paged_operation Request>
class pages {
public:
    using page = typename Request::response;

    /// Begins where `request` says: its start key is moved on from page to page.
    explicit pages(database from, Request request, call_options options = {})
        : position_(std::make_shared<detail::page_position<Request>>(
              detail::page_position<Request>{std::move(from), std::move(request), options})) {}

    using executor_type = boost::asio::any_io_executor;
    executor_type get_executor() const noexcept { return position_->from.get_executor(); }

    /// The next page; empty when there is none. After a failure it asks for the same page again.
    ///
    /// Errors and cancellation as `database::execute`; nothing is changed. Cost: 1 request, its retries, and the units
    /// of what the page reads.
    boost::asio::awaitable<std::optional<page>> next() {
        return detail::await_verb<std::optional<page>>(get_executor(), verb());
    }
    template <class... Tail>
        requires verb_tail<std::optional<page>, Tail...>
    auto next(Tail&&... tail) {
        return detail::initiate<std::optional<page>>(get_executor(), verb(), std::forward<Tail>(tail)...);
    }

    /// Whether the last page has been given.
    bool at_end() const noexcept { return position_->at_end; }
    /// The request that `next` will send: what to keep, to go on later or elsewhere.
    const Request& request() const noexcept { return position_->next; }

private:
    detail::next_page_verb<Request> verb() const { return {position_}; }

    std::shared_ptr<detail::page_position<Request>> position_;
};

}  // namespace dynalease
#pragma GCC visibility pop
