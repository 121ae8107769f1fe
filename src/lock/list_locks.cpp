// Looking at the locks of a table.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/lock/list_locks.hpp>

#include "database/called_verb.hpp"
#include "database/table_key.hpp"
#include "database/table_name.hpp"
#include "lock/shown_lock.hpp"
#include "session/protocol/session_requests.hpp"

#include <dynalease/dynamodb/batches.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace dynalease {

namespace {

using boost::asio::awaitable;
namespace attribute = protocol::attribute;

std::optional<failure> fault_of(const list_locks_options& options) {
    if (auto why = detail::malformed_table_name(options.table)) return why;
    if (options.page_size >= 1 && options.page_size <= 1000) return std::nullopt;
    failure why(errc::invalid_option);
    why.details.message = "page_size must be between 1 and 1,000";
    return why;
}

/// What their rows tell. One that cannot be read is taken to live, as by those who wait for its locks.
awaitable<std::optional<failure>> look_at_holders(database target, std::string table, std::set<std::string> sessions,
                                                  lock_page& into) {
    keys_and_options wanted;
    wanted.consistent_read = true;
    std::erase_if(sessions, [](const auto& each) { return each.size() > protocol::longest_session_id; });
    if (sessions.empty()) co_return std::nullopt;
    for (const auto& each : sessions) wanted.keys.push_back(protocol::session_key(each));
    std::map<std::string, keys_and_options> all;
    all.emplace(table, std::move(wanted));
    diagnostics details;
    auto [code, read] = co_await batch_get_all(std::move(target), std::move(all), details,
                                               boost::asio::as_tuple(boost::asio::deferred));
    if (code) {
        failure why(code);
        why.details = std::move(details);
        co_return why;
    }
    std::map<std::string, const item*, std::less<>> rows;
    for (const auto& row : read.items[table]) {
        if (const auto* key = find_string(row, attribute::partition)) rows.emplace(*key, &row);
    }
    for (auto& [name, info] : into.locks) {
        if (!sessions.contains(info.holder)) continue;
        const auto key = protocol::session_key(info.holder);
        const auto found = rows.find(*find_string(key, attribute::partition));
        info.held = found != rows.end();
        if (!info.held) continue;
        const auto row = protocol::parse_session_row(*found->second);
        if (row) detail::show_holder(info, *row);
    }
    co_return std::nullopt;
}

awaitable<runtime::completion<lock_page>> list(database target, list_locks_options options, diagnostics* details) {
    runtime::completion<lock_page> done;
    if (const auto why = fault_of(options)) {
        done.code = detail::report(*why, details);
        co_return done;
    }
    const auto wanted = std::string(protocol::lock_prefix) + options.prefix;
    scan_request scan{.table_name = options.table,
                      .filter_expression = "begins_with(#pk, :prefix)",
                      .names = {{"#pk", attribute::partition}},
                      .values = {{":prefix", wanted}},
                      .exclusive_start_key = std::move(options.start_after),
                      .limit = options.page_size};
    const bool begins = scan.exclusive_start_key.empty();
    auto page = co_await target.call(std::move(scan));
    if (!page) {
        done.code = detail::report(page.error(), details);
        co_return done;
    }
    std::set<std::string> sessions;
    for (const auto& found : page->items) {
        const auto* key = find_string(found, attribute::partition);
        auto row = protocol::parse_lock_row(&found);
        if (!key || !row) continue;               // not a row of this schema: whoever wants the lock is told
        if (!key->starts_with(wanted)) continue;  // the endpoint filters nothing
        auto info = detail::shown_lock(*std::move(row));
        info.held = !info.holder.empty();
        if (info.held) sessions.insert(info.holder);
        done.value.locks.push_back({key->substr(protocol::lock_prefix.size()), std::move(info)});
    }
    done.value.next = std::move(page->last_evaluated_key);
    if (!sessions.empty()) {
        const auto why = co_await look_at_holders(target, options.table, std::move(sessions), done.value);
        if (why) done.code = detail::report(*why, details);
    }
    if (!begins || !page->items.empty()) co_return done;
    // Of a table of other things the filter lets nothing through, either.
    const auto why = co_await detail::look_for_key_fault(std::move(target), std::move(options.table));
    if (why) done.code = detail::report(*why, details);
    co_return done;
}

}  // namespace

void detail::list_locks_verb::operator()(diagnostics* details, handler_for<lock_page> handler) && {
    const auto executor = target.get_executor();
    called_verb called{details, "list_locks", {}, options.table};
    start_verb<lock_page>(executor, std::move(called), list(std::move(target), std::move(options), details),
                          std::move(handler));
}

boost::asio::awaitable<lock_page> list_locks(database target, list_locks_options options) {
    auto where = target.get_executor();
    return detail::await_verb<lock_page>(where, detail::list_locks_verb{std::move(target), std::move(options)});
}

}  // namespace dynalease
