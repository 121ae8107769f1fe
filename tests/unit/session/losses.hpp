// A process that loses a lock, and what it is told.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "unit/session/session_steps.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dynalease::tests {

/// A process that holds a lock, and what its log was told.
struct loser {
    loser() { run(w, a, take(a, "x", guard)); }

    session_options options() {
        session_options chosen{.table = table};
        chosen.log = [this](severity, std::string_view line) { lines.emplace_back(line); };
        return chosen;
    }
    bool logged(std::string_view words) const {
        return std::ranges::any_of(lines, [&](const auto& line) { return line.find(words) != std::string::npos; });
    }
    asio::awaitable<void> release() {
        auto done = co_await guard.release(told, as_tuple);
        code = std::get<0>(done);
    }
    /// The log and who gives the guard back are told so.
    void expect(errc how, std::string_view words) {
        INFO((lines.empty() ? "" : lines.back()));
        CHECK(logged(words));
        run(w, a, release());
        INFO(told.message);
        CHECK(code == how);
        CHECK(told.operation.starts_with("lock_guard.release"));
        CHECK(told.key == "x");
        CHECK(told.message.find(words) != std::string::npos);
    }

    std::vector<std::string> lines;
    world w;
    node a{w, 1, {}, options()};
    lock_guard guard;
    diagnostics told;
    error_code code;
};

inline void edit(world& w, const std::string& key, const std::string& attribute, const attribute_value& value) {
    auto row = w.row(key);
    row[attribute] = value;
    w.apply(put_item_request{.table_name = table, .new_item = std::move(row)});
}

inline void remove_row(world& w, const std::string& key, const std::string& sort = "-") {
    w.apply(delete_item_request{.table_name = table, .key = {{"pk", key}, {"sk", sort}}});
}

}  // namespace dynalease::tests
