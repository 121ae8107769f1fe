// Optimistic updates, step by step: a book that two clients change, the pitfalls of retries, and what ends a quarrel.
//
// It runs on a DynamoDB inside the process.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/coordination_table.hpp>
#include <dynalease/dynamodb/expression.hpp>
#include <dynalease/local/database.hpp>
#include <dynalease/session.hpp>
#include <dynalease/versioned.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/describe/class.hpp>

#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace asio = boost::asio;

namespace {

struct book {
    std::string isbn{};
    std::string title{};
    int sold = 0;
};
BOOST_DESCRIBE_STRUCT(book, (), (isbn, title, sold))

using books = dynalease::versioned<book>;
constexpr const char* isbn = "978-3-16-148410-0";

void expect(bool holds, const char* what) {
    if (!holds) throw std::runtime_error(what);
    std::cout << what << '\n';
}

/// A network that loses the answer to one write.
class lossy_network final : public dynalease::database_backend {
public:
    explicit lossy_network(dynalease::database inner) : inner_(std::move(inner)) {}

    const dynalease::environment& environment() const noexcept override { return inner_.environment(); }
    asio::awaitable<dynalease::result<dynalease::any_response>> perform(dynalease::any_request request,
                                                                        dynalease::call_options options) override {
        const bool loses = lose_next && dynalease::is_write(request);
        if (loses) lose_next = false;
        auto answer = co_await inner_.implementation()->perform(std::move(request), options);
        if (loses) co_return dynalease::failure(dynalease::errc::server_error, dynalease::outcome::unknown);
        co_return answer;
    }

    bool lose_next = false;

private:
    dynalease::database inner_;
};

/// Somebody else who sells a book before each write that passes here.
class busy_shop final : public dynalease::database_backend {
public:
    explicit busy_shop(dynalease::database inner)
        : inner_(std::move(inner)), rival_(inner_, {.table = "books", .key = "isbn"}) {}

    const dynalease::environment& environment() const noexcept override { return inner_.environment(); }
    asio::awaitable<dynalease::result<dynalease::any_response>> perform(dynalease::any_request request,
                                                                        dynalease::call_options options) override {
        if (dynalease::is_write(request)) {
            auto one_more = dynalease::add("sold", 1);
            // Refused while the book is locked.
            co_await rival_.blind(isbn, std::move(one_more), asio::as_tuple(asio::deferred));
        }
        auto answer = co_await inner_.implementation()->perform(std::move(request), options);
        co_return answer;
    }

private:
    dynalease::database inner_;
    books rival_;
};

asio::awaitable<void> save_and_conflict(books table) {
    const book first{.isbn = isbn, .title = "Old Title"};
    auto created = co_await table.create(first);
    expect(created.version == 1, "1. a created book has version 1");

    auto ours = co_await table.load(isbn);
    auto theirs = co_await table.load(isbn);
    theirs->value.title = "Changed By Someone Else";
    co_await table.save(*theirs);

    ours->value.title = "New Title";
    try {
        co_await table.save(*ours);
        throw std::runtime_error("a stale save went through");
    } catch (const dynalease::conflict<book>& refused) {
        expect(refused.expected() == 1 && refused.found() == 2, "2. a stale save is refused: expected 1, found 2");
        expect(refused.current()->value.title == "Changed By Someone Else", "   and brings what is there, unasked");
    }
}

asio::awaitable<void> arguments_stay(books table) {
    auto current = co_await table.load(isbn);
    auto changed = *current;
    changed.value.title = "New Title";
    auto saved = co_await table.save(changed);
    expect(changed.version == 2 && saved.version == 3, "3. a save leaves its argument as it is, and returns the new");

    // A caller that retries with the same argument cannot bump the version twice. A mapper that had changed the
    // argument would have written again.
    auto [error, result] = co_await table.save(changed, asio::as_tuple(asio::deferred));
    expect(error == dynalease::errc::conflict, "4. saving the same argument again is a conflict, not a second save");
}

asio::awaitable<void> answers_get_lost(books table, std::shared_ptr<lossy_network> network) {
    auto current = co_await table.load(isbn);
    current->value.title = "Found Again";
    network->lose_next = true;
    // A client that only compares versions would be refused here by its own first attempt.
    auto saved = co_await table.save(*current);
    expect(saved.version == 4, "5. a save whose answer was lost is no conflict with itself");
}

book one_more_sold(book value) {
    ++value.sold;
    return value;
}

asio::awaitable<void> update_until_it_holds(books table) {
    auto sold = co_await table.update(isbn, one_more_sold);
    expect(sold.value.sold == 1, "6. update() loads, changes and saves, and again from what a conflict shows");

    const auto ten_more = dynalease::add("sold", 10);
    auto more = co_await table.blind(isbn, ten_more);
    expect(more.value.sold == 11 && more.version == 6, "7. a change that needs no load is one write");

    auto [error, result] = co_await table.save(sold, asio::as_tuple(asio::deferred));
    expect(error == dynalease::errc::conflict, "   which savers see, as any other");
    co_await table.remove(more);
    auto gone = co_await table.load(isbn);
    expect(!gone, "8. removal tests the version too");
}

book retitled(book value) {
    value.title = "At Last";
    return value;
}

asio::awaitable<void> outrun_each_time(dynalease::database database) {
    const books calm{database, {.table = "books", .key = "isbn"}};
    const book again{.isbn = isbn, .title = "Best Seller"};
    co_await calm.create(again);

    const books busy{dynalease::database(std::make_shared<busy_shop>(database)), {.table = "books", .key = "isbn"}};
    dynalease::update_options how{.tries = 3};
    auto [error, result] = co_await busy.update(isbn, retitled, how, asio::as_tuple(asio::deferred));
    expect(error == dynalease::errc::conflict, "9. where others are always faster, trying again wins by luck alone");

    dynalease::session session{database, {.table = "coordination"}};
    how.promote = dynalease::promotion{.with = &session, .after = 2};
    auto promoted = co_await busy.update(isbn, retitled, how);
    expect(promoted.value.title == "At Last",
           "   promotion takes the item's lock: others wait, and nobody can come between");
    co_await session.close();
}

asio::awaitable<void> all(dynalease::database database) {
    dynalease::create_table_request table;
    table.table_name = "books";
    table.key.hash.name = "isbn";
    co_await database.execute(table);
    co_await dynalease::create_table(database, "coordination");

    auto network = std::make_shared<lossy_network>(database);
    const books handle{dynalease::database(network), {.table = "books", .key = "isbn"}};
    co_await save_and_conflict(handle);
    co_await arguments_stay(handle);
    co_await answers_get_lost(handle, network);
    co_await update_until_it_holds(handle);
    co_await outrun_each_time(database);
}

}  // namespace

int main() {
    asio::io_context io;
    const dynalease::local::database database{io.get_executor()};
    int status = 0;
    asio::co_spawn(io, all(database), [&status](std::exception_ptr failure) {
        try {
            if (failure) std::rethrow_exception(failure);
        } catch (const std::exception& why) {
            std::cerr << why.what() << '\n';
            status = 1;
        }
    });
    io.run();
    return status;
}
