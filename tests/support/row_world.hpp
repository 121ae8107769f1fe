// The coordination table in an engine, and what the rows in it say.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "lock/protocol/lock_requests.hpp"
#include "lock/protocol/lock_row.hpp"
#include "support/changed_texts.hpp"

#include <dynalease/local/engine.hpp>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace dynalease::protocol::test {

inline const std::string table = "coordination";

class row_world {
public:
    row_world() {
        create_table_request request{.table_name = table,
                                     .key = {.hash = {attribute::partition}, .range = key_attribute{attribute::sort}}};
        if (!execute(request)) throw std::logic_error("no table");
    }

    template <class Request>
    result<typename Request::response> execute(const Request& request) {
        auto answer = store_.execute(any_request(request), now);
        if (!answer) return answer.error();
        return std::get<typename Request::response>(*std::move(answer));
    }

    /// Whether the write was applied; any failure but a refusal is a mistake of the request itself.
    template <class Request>
    bool applies(const Request& request) {
        const auto answer = execute(request);
        if (answer) return true;
        if (answer.error().code != errc::condition_failed) throw std::logic_error(answer.error().details.message);
        return false;
    }

    bool holds(const condition_check& check) {
        return static_cast<bool>(execute(transact_write_items_request{.actions = {check}}));
    }

    std::optional<item> find(const item_key& key) {
        return execute(get_item_request{.table_name = table, .key = key, .consistent_read = true}).value().found;
    }
    lock_row lock(std::string_view name) {
        const auto found = find(lock_key(name));
        return parse_lock_row(found ? &*found : nullptr).value();
    }

    local::engine::time now{std::chrono::sys_days{std::chrono::year{2026} / 3 / 1}};

private:
    local::engine store_;
};

/// Takes a clause out of the request's texts. @returns whether it was there.
inline bool strip(update_item_request& request, std::string_view clause, std::string_view replacement = {}) {
    bool found = false;
    for (auto* text : {&request.condition_expression, &request.update_expression}) {
        found = tests::replace(*text, clause, replacement) || found;
    }
    if (found) tests::prune(request);
    return found;
}

}  // namespace dynalease::protocol::test
