// The steps of a caller that enters and leaves queues, and what it sent meanwhile.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support/world.hpp"

#include <dynalease/queue.hpp>

#include <boost/asio/as_tuple.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace dynalease::tests {

inline asio::awaitable<void> enter(queue target, queue_turn& into, enter_options options = {}) {
    into = co_await target.enter(std::move(options));
}

inline asio::awaitable<void> try_enter(queue target, queue_turn& into) {
    into = co_await target.try_enter();
}

inline asio::awaitable<void> leave(queue_turn& turn) {
    co_await turn.leave();
}

inline asio::awaitable<void> enter_code(queue target, enter_options options, error_code& code, queue_turn& into) {
    auto done = co_await target.enter(std::move(options), asio::as_tuple(asio::deferred));
    code = std::get<0>(done);
    into = std::move(std::get<1>(done));
}

inline asio::awaitable<void> inspect(queue target, queue_info& info) {
    info = co_await target.inspect();
}

/// Requests of one operation; those of the session itself left out.
inline std::size_t sent(const node& from, std::string_view operation) {
    const auto& log = from.network->log();
    return static_cast<std::size_t>(std::count_if(log.begin(), log.end(), [&](const auto& entry) {
        return entry->operation == operation && !entry->key.starts_with("session#");
    }));
}

/// All requests, those of the session itself left out.
inline std::size_t sent(const node& from) {
    const auto& log = from.network->log();
    return static_cast<std::size_t>(
        std::count_if(log.begin(), log.end(), [](const auto& entry) { return !entry->key.starts_with("session#"); }));
}

inline std::optional<item> head_of(world& w, const std::string& entity, const std::string& reason = {}) {
    return w.apply(get_item_request{.table_name = table, .key = {{"pk", "queue#" + entity}, {"sk", reason + "/"}}})
        .found;
}

/// The rows of tickets, whatever has become of them.
inline std::vector<item> ticket_rows(world& w, const std::string& entity, const std::string& reason = {}) {
    query_request request{.table_name = table, .key_condition_expression = "pk = :pk AND begins_with(sk, :reason)"};
    request.values = {{":pk", "queue#" + entity}, {":reason", reason + "/"}};
    auto rows = w.apply(std::move(request)).items;
    std::erase_if(rows, [&](const item& row) { return *find_string(row, "sk") == reason + "/"; });
    return rows;
}

/// The row of a ticket begins with these.
inline item ticket_key(const std::string& entity, std::int64_t ticket) {
    const auto digits = std::to_string(ticket);
    return {{"pk", "queue#" + entity}, {"sk", "/" + std::string(38 - digits.size(), '0') + digits}};
}

/// A ticket that stands in line, drawn by a session of another process.
inline void put_in_line(world& w, const std::string& entity, std::int64_t ticket, const std::string& session) {
    auto row = ticket_key(entity, ticket);
    row.insert({{"v", 1}, {"from", ticket}, {"session", session}, {"attempt", "a" + std::to_string(ticket)}});
    w.apply(put_item_request{.table_name = table, .new_item = std::move(row)});
}

/// ... or is buried.
inline void put_tombstone(world& w, const std::string& entity, std::int64_t ticket) {
    auto row = ticket_key(entity, ticket);
    row.insert({{"v", 1}, {"from", ticket}, {"void", true}, {"by", "somebody"}});
    w.apply(put_item_request{.table_name = table, .new_item = std::move(row)});
}

/// Fails when anything of a ticket is left: a row, or a number that nobody has passed.
inline bool nothing_left(world& w, const std::string& entity) {
    const auto head = head_of(w, entity);
    const bool passed = !head || find_integer(*head, "tail") == find_integer(*head, "passed");
    return passed && ticket_rows(w, entity).empty();
}

}  // namespace dynalease::tests
