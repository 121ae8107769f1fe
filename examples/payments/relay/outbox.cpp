// The sparse index, and the events behind it.
// SPDX-License-Identifier: BSL-1.0
#include "payments/relay/outbox.hpp"

#include <dynalease/dynamodb/expression.hpp>
#include <dynalease/dynamodb/pages.hpp>

#include <algorithm>
#include <utility>

namespace asio = boost::asio;

namespace payments {

namespace {

dynalease::query_request of_the_index() {
    dynalease::query_request query;
    query.table_name = payments_table;
    query.index_name = outbox_index;
    return query;
}

bool is_due(const event_row& row, const char* stage, std::int64_t now) {
    return row.stage == stage && row.due && *row.due <= now;
}

}  // namespace

asio::awaitable<outbox::due_page> outbox::intents_due(const char* stage, std::int32_t at_most,
                                                      dynalease::item_key after) const {
    const auto now = milliseconds_since_1970(tables_.database);
    // Where the clock was set back, what was due is not: a query that begins there would be refused.
    if (dynalease::find_integer(after, "due").value_or(now) > now) after.clear();
    auto query = of_the_index();
    apply_key(query, dynalease::attr("stage") == stage && dynalease::attr("due") <= now);
    query.limit = at_most;
    query.exclusive_start_key = std::move(after);
    auto page = co_await tables_.database.execute(std::move(query));
    due_page found;
    for (const auto& item : page.items) {
        const auto* intent = dynalease::find_string(item, "intent");
        if (intent && std::ranges::find(found.intents, *intent) == found.intents.end())
            found.intents.push_back(*intent);
    }
    found.last = std::move(page.last_evaluated_key);
    co_return found;
}

asio::awaitable<std::vector<dynalease::loaded<event_row>>> outbox::waiting(std::string intent,
                                                                           const char* stage) const {
    dynalease::query_request query;
    query.table_name = payments_table;
    query.consistent_read = true;
    apply_key(query, dynalease::attr("pk") == "INTENT#" + intent && dynalease::begins_with("sk", "EVENT#"));
    dynalease::pages<dynalease::query_request> pages{tables_.database, std::move(query)};
    const auto now = milliseconds_since_1970(tables_.database);
    std::vector<dynalease::loaded<event_row>> found;
    for (;;) {
        auto page = co_await pages.next();
        if (!page) break;
        for (auto& item : page->items) {
            auto row = tables_.events.from(std::move(item));
            if (row && is_due(row->value, stage, now)) found.push_back(*std::move(row));
        }
    }
    co_return found;
}

asio::awaitable<bool> outbox::move(dynalease::loaded<event_row> found, const char* stage, std::chrono::milliseconds due,
                                   const dynalease::queue_turn& turn) const {
    found.value.stage = stage;
    found.value.due = milliseconds_since_1970(tables_.database) + due.count();
    constexpr unsigned tries = 5;
    for (unsigned made = 1;; ++made) {
        dynalease::versioned_writes writes;
        writes.save(tables_.events, found);
        const auto fence = writes.add(turn.fence());
        auto [code, told] = co_await dynalease::save_all(tables_.database, std::move(writes), as_result);
        if (!code) co_return true;
        if (told.size() > 0 && told.at(0).code == dynalease::errc::conflict) co_return false;
        // Whoever draws a ticket writes to the row that the fence reads: then neither is wrong, and it is tried again.
        const bool again = turn.held() && told.size() > 0 && told.at(fence).code && made < tries;
        if (!again) throw dynalease::error(code, {});
    }
}

asio::awaitable<std::size_t> outbox::count(const char* stage) const {
    auto query = of_the_index();
    apply_key(query, dynalease::attr("stage") == stage);
    dynalease::pages<dynalease::query_request> pages{tables_.database, std::move(query)};
    std::size_t all = 0;
    for (;;) {
        const auto page = co_await pages.next();
        if (!page) break;
        all += page->items.size();
    }
    co_return all;
}

}  // namespace payments
