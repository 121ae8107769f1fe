// The pages of a query or a scan, for readers who want to see nothing that a transaction may yet undo.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/detail/initiate.hpp>
#include <dynalease/dynamodb/pages.hpp>
#include <dynalease/versioned/loaded.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace dynalease {

namespace detail {

/// @throws dynalease::error with `errc::invalid_option` if the request leaves out what an item was before.
void check_committed(const query_request& request);
void check_committed(const scan_request& request);
/// The items as they are committed, without marks; without those that are not there yet.
/// @throws dynalease::error with `errc::corrupt_row` and the key, for a mark that is not one of ours.
std::vector<item> committed_items(std::vector<item> shown, const std::string& table);

}  // namespace detail

/// Walks through what a query or a scan finds, item by item as it is committed: of what a transaction changes, the
/// state before; of what it erases, the item; of what it inserts, nothing. `loaded_pages` are the same for structs.
///
///     dynalease::committed_pages<dynalease::query_request> found{database, request};
///     while (auto page = co_await found.next())
///         for (auto& each : *page) ...
///
/// (GCC 12 wants the page taken before it is tested, as of `pages`.) Each item is shown as committed at the moment when
/// its page was read; two pages are two moments. **The service looks for what lies there**: a key condition on an
/// index, and a filter, are tested against what is not committed, too. Of an item that is held at that moment, one that
/// shows may not meet the filter, and one that meets it may not show: test it again where that matters, or filter by
/// what no transaction changes. A base table's keys never change. Of an index that does not project all attributes,
/// what is not committed shows: the mark, and what the item was before, are not in it. Not for two calls at once.
template <item_page_request Request>
class committed_pages {
public:
    using page = std::vector<item>;
    using executor_type = boost::asio::any_io_executor;

    /// @throws dynalease::error with `errc::invalid_option` for a request with a projection, or for a count: they leave
    /// out what an item was before.
    explicit committed_pages(database from, Request request, call_options options = {})
        : position_((detail::check_committed(request),
                     std::make_shared<position>(position{std::move(from), std::move(request), options}))) {}

    executor_type get_executor() const noexcept { return position_->from.get_executor(); }

    /// The next page, which may have no item and yet not be the last; empty when there is none. Errors, cancellation
    /// and cost as of `pages::next`: 1 request, and no look at any transaction; `errc::corrupt_row`, with the key, for
    /// marks that are not of this library. After a failure of the service it asks for the same page again.
    boost::asio::awaitable<std::optional<page>> next() { return await_next(position_); }
    template <class... Tail>
        requires verb_tail<std::optional<page>, Tail...>
    auto next(Tail&&... tail) {
        using typed = detail::typed_verb<found_page, std::optional<page>, verb, strip>;
        return detail::initiate<std::optional<page>>(get_executor(), typed{{position_}, {position_}},
                                                     std::forward<Tail>(tail)...);
    }

    /// Whether the last page has been given.
    bool at_end() const noexcept { return position_->at_end; }
    /// The request that `next` will send: what to keep, to go on later or elsewhere.
    const Request& request() const noexcept { return position_->next; }

private:
    using position = detail::page_position<Request>;
    using verb = detail::next_page_verb<Request>;
    using found_page = std::optional<typename Request::response>;

    struct strip {
        std::shared_ptr<position> from;
        std::optional<page> operator()(found_page found) const {
            if (!found) return std::nullopt;
            return detail::committed_items(std::move(found->items), from->next.table_name);
        }
    };
    static boost::asio::awaitable<std::optional<page>> await_next(std::shared_ptr<position> from) {
        verb asks{from};
        auto found = co_await detail::await_verb<found_page>(from->from.get_executor(), std::move(asks));
        co_return strip{from}(std::move(found));
    }

    std::shared_ptr<position> position_;
};

}  // namespace dynalease
#pragma GCC visibility pop
