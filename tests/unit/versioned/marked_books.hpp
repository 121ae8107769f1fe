// Books that a transaction holds, by marks that its real requests have left.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "book_shop.hpp"

#include "support/transaction_by_hand.hpp"

#include <string>
#include <utility>

namespace dynalease::tests {

using protocol::mark_kind;

inline transaction_by_hand transaction_on(shop& s, protocol::planned_write write, const std::string& key = isbn,
                                          const std::string& id = "4711") {
    return {s.where, {wanting({.table = "books", .key = "isbn"}, {{"isbn", key}}, std::move(write))}, id};
}

inline protocol::planned_write retitling() {
    return {.change = set("title", "Uncommitted") + set("extra", 1) + set("pages", 41)};
}

inline protocol::planned_write inserting(const std::string& key = isbn) {
    return {.kind = mark_kind::inserted, .whole = {{"isbn", key}, {"title", "Uncommitted"}, {"pages", 1}}};
}

inline protocol::planned_write of(mark_kind kind) {
    return kind == mark_kind::updated ? retitling() : protocol::planned_write{.kind = kind};
}

inline book one_more(book value) {
    ++value.pages;
    return value;
}

/// In version 2, with a trail.
inline asio::awaitable<loaded<book>> a_loaded_book(shop& in) {
    auto books = in.books(in.a);
    const auto one = a_book();
    auto made = co_await books.create(one);
    made.value.title = "Second Edition";
    co_return co_await books.save(made);
}

}  // namespace dynalease::tests
