// What must not be compiled, chosen by LINE: first what GCC 12 would corrupt the heap with, and the library cannot;
// then forgotten awaits.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/dynalease.hpp>

#include <boost/describe/class.hpp>

#include <string>

namespace asio = boost::asio;
using namespace dynalease;

struct book {
    std::string isbn{};
    std::string title{};
};
BOOST_DESCRIBE_STRUCT(book, (), (isbn, title))

asio::awaitable<void> refused([[maybe_unused]] lock what, [[maybe_unused]] queue line,
                              [[maybe_unused]] versioned<book> books, [[maybe_unused]] std::string name) {
#if LINE == 1
    co_await with_lock(what, [name](lock_guard&) -> asio::awaitable<void> { co_return; });
#elif LINE == 2
    co_await with_turn(line, [name](queue_turn&) -> asio::awaitable<void> { co_return; });
#elif LINE == 3
    co_await books.update(name, [name](book before) { return before; });
#elif LINE == 4
    co_await books.create({.isbn = name, .title = name});
#elif LINE == 5
    co_await books.clobber(book{.isbn = name, .title = name});
#elif LINE == 6
    auto guard = what.acquire();
    if (!guard.held()) co_return;
#elif LINE == 7
    what.acquire();
#elif LINE == 8
    lock_guard guard = co_await what.acquire();
    guard.release();
#elif LINE == 9
    co_await line.enter({.on_place = [name](const queue_place&) {}});
#elif LINE == 10
    client made{co_await asio::this_coro::executor, {.region = name, .log = [name](severity, std::string_view) {}}};
#elif LINE == 11
    co_await books.clobber(book{.isbn = name, .title = name}, {.upsert = true});
#endif
    co_return;
}
