// Processes that keep books in one table of versioned items.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support/world.hpp"

#include <dynalease/versioned.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/describe/class.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace dynalease::tests {

struct book {
    std::string isbn{};
    std::string title{};
    int pages = 0;
    std::optional<std::string> note{};
};
BOOST_DESCRIBE_STRUCT(book, (), (isbn, title, pages, note))

inline constexpr const char* isbn = "978-3-16-148410-0";
inline constexpr auto as_pair = asio::as_tuple(asio::deferred);
using book_result = std::tuple<error_code, write_result<book>>;

inline versioned_options in_books() {
    return {.table = "books", .key = "isbn"};
}

/// One store and as many processes as a test names.
class shop {
public:
    explicit shop(std::uint64_t seed = 0) : where(seed), a(where, seed + 1), b(where, seed + 2) {
        where.apply(create_table_request{.table_name = "books", .key = {.hash = {.name = "isbn"}}});
    }

    versioned<book> books(node& in, versioned_options options = in_books()) {
        return {database(in.network), std::move(options)};
    }
    versioned_items items(node& in, versioned_options options = in_books()) {
        return {database(in.network), std::move(options)};
    }

    /// Runs the test's coroutine in process a.
    template <class Body, class... Arguments>
    void in_a(Body body, Arguments&&... arguments) {
        run(where, a, body(std::forward<Arguments>(arguments)...));
    }

    item stored(const std::string& key = isbn) {
        auto read = where.apply(get_item_request{.table_name = "books", .key = {{"isbn", key}}});
        return read.found.value_or(item{});
    }
    std::int64_t stored_version(const std::string& key = isbn) {
        return find_integer(stored(key), "version").value_or(-1);
    }
    /// What another library's writer does.
    void put(item whole) { where.apply(put_item_request{.table_name = "books", .new_item = std::move(whole)}); }

    std::size_t requests(const node& of) const { return of.network->log().size(); }
    std::size_t requests(const node& of, std::string_view operation) const {
        std::size_t count = 0;
        for (const auto& entry : of.network->log()) count += entry->operation == operation ? 1 : 0;
        return count;
    }

    world where;
    node a;
    node b;
};

inline book a_book(std::string title = "Old Title", int pages = 100) {
    return {.isbn = isbn, .title = std::move(title), .pages = pages};
}

}  // namespace dynalease::tests
