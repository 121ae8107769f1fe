// Walking through pages.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/dynamodb/pages.hpp>

#include "database/called_verb.hpp"

#include <string_view>
#include <utility>

namespace dynalease::detail {

namespace {

using boost::asio::awaitable;

/// Moves the request on; false after the last page.
template <class Request>
bool advance(Request& next, const page_response& page) {
    next.exclusive_start_key = page.last_evaluated_key;
    return !next.exclusive_start_key.empty();
}
bool advance(list_tables_request& next, const list_tables_response& page) {
    next.exclusive_start_table_name = page.last_evaluated_table_name;
    return !next.exclusive_start_table_name.empty();
}

template <class Request>
awaitable<runtime::completion<std::optional<typename Request::response>>> read_page(
    std::shared_ptr<page_position<Request>> position, diagnostics* details) {
    runtime::completion<std::optional<typename Request::response>> done;
    if (position->at_end) co_return done;
    auto request = position->next;
    auto page = co_await position->from.call(std::move(request), position->options);
    if (!page) {
        done.code = report(page.error(), details);
        co_return done;
    }
    position->at_end = !advance(position->next, *page);
    done.value = *std::move(page);
    co_return done;
}

}  // namespace

template <paged_operation Request>
void next_page_verb<Request>::operator()(diagnostics* details,
                                         handler_for<std::optional<typename Request::response>> handler) && {
    const auto executor = position->from.get_executor();
    called_verb called{details, "pages.next"};
    if constexpr (requires { position->next.table_name; }) called.table = position->next.table_name;
    start_verb<std::optional<typename Request::response>>(
        executor, std::move(called), read_page<Request>(std::move(position), details), std::move(handler));
}

template struct next_page_verb<query_request>;
template struct next_page_verb<scan_request>;
template struct next_page_verb<list_tables_request>;

}  // namespace dynalease::detail
