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

#pragma GCC visibility push(default)
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
/// `versioned::only_members` makes a projection that leaves out no more than it may.
/// While a transaction holds an item it is shown as it was before; tombstones are left out. An item that is no T ends
/// `next`, and stands apart in `next_with_misfits`: none is left out in silence. Not for two calls at once.
template <versionable T, item_page_request Request>
class loaded_pages {
public:
    using page = std::vector<loaded<T>>;
    using executor_type = boost::asio::any_io_executor;

    loaded_pages(versioned<T> table, Request request, call_options options = {}) {
        if (request.table_name.empty()) request.table_name = table.options().table;
        const bool partial = !request.projection_expression.empty();
        auto at = std::make_shared<position>(position{table.target(), std::move(request), options});
        walk_ = std::make_shared<walk>(walk{std::move(table), std::move(at), partial, {}});
    }

    executor_type get_executor() const noexcept { return walk_->table.get_executor(); }

    /// The next page, which may have no item and yet not be the last; empty when there is none. After a failure of the
    /// service it asks for the same page again. Errors, cancellation and cost as of `pages::next`;
    /// `errc::bad_attribute`, `bad_version` or `corrupt_row`, with the key, for an item that is no T: then nothing of
    /// the page was given. `next_with_misfits` gives that same page, without a request; `next` would leave it behind.
    boost::asio::awaitable<std::optional<page>> next() { return await_next<std::optional<page>>(whole{walk_}); }
    template <class... Tail>
        requires verb_tail<std::optional<page>, Tail...>
    auto next(Tail&&... tail) {
        return run<std::optional<page>>(whole{walk_}, std::forward<Tail>(tail)...);
    }

    /// The same, for tables whose items need not all fit: what is no T stands apart, each with its key, as it is, and
    /// with the reason. Errors, cancellation and cost as of `pages::next`.
    boost::asio::awaitable<std::optional<loaded_items<T>>> next_with_misfits() {
        return await_next<std::optional<loaded_items<T>>>(sorted{walk_});
    }
    template <class... Tail>
        requires verb_tail<std::optional<loaded_items<T>>, Tail...>
    auto next_with_misfits(Tail&&... tail) {
        return run<std::optional<loaded_items<T>>>(sorted{walk_}, std::forward<Tail>(tail)...);
    }

    /// Whether the service has given its last page. It may be one that `next_with_misfits` has yet to give.
    bool at_end() const noexcept { return walk_->at->at_end; }
    const Request& request() const noexcept { return walk_->at->next; }

private:
    using position = detail::page_position<Request>;
    using found_page = std::optional<typename Request::response>;

    struct walk {
        versioned<T> table;
        std::shared_ptr<position> at;
        bool partial;                            ///< the request has a projection
        std::optional<loaded_items<T>> refused;  ///< the page that `next` has failed for

        loaded_items<T> sort(std::vector<item> shown) const {
            auto items = table.from_all(std::move(shown));
            for (auto& each : items.values) each.partial = partial;
            return items;
        }
    };

    /// What becomes of a page: it is given whole, or else refused.
    struct whole {
        std::shared_ptr<walk> of;

        std::shared_ptr<position> from() const { return of->at; }
        std::optional<page> operator()(found_page found) const {
            of->refused.reset();
            if (!found) return std::nullopt;
            auto items = of->sort(std::move(found->items));
            if (items.misfits.empty()) return std::move(items.values);
            of->refused = std::move(items);
            throw detail::unfit_among(of->refused->misfits, "this page", "next_with_misfits");
        }
    };
    struct sorted {
        std::shared_ptr<walk> of;

        /// A page that was refused is at hand: then from where there are no more.
        std::shared_ptr<position> from() const {
            return of->refused ? std::make_shared<position>(position{of->at->from, {}, {}, true}) : of->at;
        }
        std::optional<loaded_items<T>> operator()(found_page found) const {
            if (of->refused) return std::exchange(of->refused, std::nullopt);
            if (!found) return std::nullopt;
            return of->sort(std::move(found->items));
        }
    };
    template <class Way>
    struct verb {
        Way way;
        void operator()(diagnostics* details, detail::handler_for<found_page> handler) && {
            detail::next_page_verb<Request>{way.from()}(details, std::move(handler));
        }
    };

    template <class Yield, class Way, class... Tail>
    auto run(Way way, Tail&&... tail) {
        using typed = detail::typed_verb<found_page, Yield, verb<Way>, Way>;
        return detail::initiate<Yield>(get_executor(), typed{{way}, way}, std::forward<Tail>(tail)...);
    }
    template <class Yield, class Way>
    static boost::asio::awaitable<Yield> await_next(Way way) {
        verb<Way> asks{way};
        auto found = co_await detail::await_verb<found_page>(way.of->table.get_executor(), std::move(asks));
        co_return way(std::move(found));
    }

    std::shared_ptr<walk> walk_;
};

}  // namespace dynalease
#pragma GCC visibility pop
