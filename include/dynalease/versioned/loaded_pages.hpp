// The pages of a query or a scan, as loaded values.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/pages.hpp>
#include <dynalease/versioned/versioned.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace dynalease {

/// Walks through what a query or a scan finds of a versioned table, each ready to be changed and saved:
///
///     dynalease::loaded_pages found{books, dynalease::query_request{...}};
///     while (auto page = co_await found.next())
///         for (auto& book : *page) ...
///
/// (GCC 12 wants the page taken before it is tested, as of `pages`.) A request that names no table is for the versioned
/// one. From an index that projects all attributes, too; what it shows may be a second old, and then a
/// save is a conflict. What a projection leaves out is absent: a value without its version is refused when it is saved.
/// While a transaction holds an item it is shown as it was before; tombstones are left out. Not for two calls of `next`
/// at once.
template <versionable T, item_page_request Request>
class loaded_pages {
public:
    using page = std::vector<loaded<T>>;
    using executor_type = boost::asio::any_io_executor;

    loaded_pages(versioned<T> table, Request request, call_options options = {})
        : table_(std::move(table)), position_(std::make_shared<position>(position{table_.target(), {}, options})) {
        if (request.table_name.empty()) request.table_name = table_.options().table;
        position_->next = std::move(request);
    }

    executor_type get_executor() const noexcept { return table_.get_executor(); }

    /// The next page, which may have no item and yet not be the last; empty when there is none. After a failure of the
    /// service it asks for the same page again. Errors, cancellation and cost as of `pages::next`;
    /// `errc::bad_attribute`, `bad_version` or `corrupt_row`, with the key, for an item that is no T: that page is
    /// over.
    boost::asio::awaitable<std::optional<page>> next() { return await_next(table_, {position_}); }
    template <class... Tail>
        requires verb_tail<std::optional<page>, Tail...>
    auto next(Tail&&... tail) {
        auto convert = [table = table_](found_page found) { return loaded_in(table, std::move(found)); };
        using typed = detail::typed_verb<found_page, std::optional<page>, verb, decltype(convert)>;
        return detail::initiate<std::optional<page>>(get_executor(), typed{{position_}, std::move(convert)},
                                                     std::forward<Tail>(tail)...);
    }

    bool at_end() const noexcept { return position_->at_end; }
    const Request& request() const noexcept { return position_->next; }

private:
    using position = detail::page_position<Request>;
    using verb = detail::next_page_verb<Request>;
    using found_page = std::optional<typename Request::response>;

    static std::optional<page> loaded_in(const versioned<T>& table, found_page found) {
        if (!found) return std::nullopt;
        page out;
        for (auto& each : found->items) {
            if (auto value = table.from(std::move(each))) out.push_back(*std::move(value));
        }
        return out;
    }
    static boost::asio::awaitable<std::optional<page>> await_next(versioned<T> table, verb asks) {
        auto found = co_await detail::await_verb<found_page>(table.get_executor(), std::move(asks));
        co_return loaded_in(table, std::move(found));
    }

    versioned<T> table_;
    std::shared_ptr<position> position_;
};

}  // namespace dynalease
