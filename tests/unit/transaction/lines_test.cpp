// Runs of one process that met others at one item wait for each other, and not for luck.
// SPDX-License-Identifier: BSL-1.0
#include "bank.hpp"

#include <dynalease/dynamodb/expression.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>

#include <catch2/catch.hpp>

#include <exception>
#include <string>
#include <vector>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

/// @param slow how long its first body that has met others takes
asio::awaitable<void> pay_in(node& in, std::string to, run_options options, clock::duration slow = {}) {
    const auto book = bank::table_of(in);
    const auto all = bank::transactions_of(in);
    int runs = 0;
    const auto body = [&](transaction& tx) -> asio::awaitable<void> {
        auto each = co_await tx.get(book, to);
        if (++runs == 2 && slow > clock::duration{}) co_await sleep(in, slow);
        ++each->balance;
        tx.put(book, *each);
    };
    auto running = all.run(body, std::move(options));
    co_await std::move(running);
}

/// Many at once, in one process.
struct crowd {
    crowd(bank& s, int count, clock::duration slow = {}) {
        for (int i = 0; i < count; ++i) {
            asio::co_spawn(s.a.environment.executor, pay_in(s.a, "ann", {}, slow), [this](std::exception_ptr why) {
                why ? ++failed : ++done;
                failure = why;
            });
        }
    }
    int done = 0;
    int failed = 0;
    std::exception_ptr failure{};
};

}  // namespace

TEST_CASE("many runs of one process on one item cost a few requests each, and all are done") {
    for (const int count : {30, 300, 1'000}) {
        bank s;
        s.has("ann", 0);
        crowd all(s, count);
        s.where.scheduler.run_for(30s);
        CHECK(all.done == count);
        CHECK(all.failed == 0);
        CHECK(s.balance("ann") == count);
        CAPTURE(count, s.requests(s.a));
        CHECK(s.requests(s.a) <= static_cast<std::size_t>(6 * count));
    }
}

TEST_CASE("one that stands still with its turn lets the others go on, one after the other") {
    bank s;
    s.has("ann", 0);
    crowd all(s, 100);
    bool slow_done = false;
    asio::co_spawn(s.a.environment.executor, pay_in(s.a, "ann", {}, 3s),
                   [&](std::exception_ptr why) { slow_done = !why; });
    crowd more(s, 300);
    s.where.scheduler.run_for(60s);
    CHECK(all.done == 100);
    CHECK(more.done == 300);
    CHECK(slow_done);
    CHECK(s.balance("ann") == 401);
    CAPTURE(s.requests(s.a));
    CHECK(s.requests(s.a) <= 401 * 8);
}

TEST_CASE("who is cancelled in the line goes, and those behind go on") {
    bank s;
    s.has("ann", 0);
    crowd before(s, 50);
    asio::cancellation_signal cancel;
    bool ended = false;
    asio::co_spawn(
        s.a.environment.executor, pay_in(s.a, "ann", {}),
        asio::bind_cancellation_slot(cancel.slot(), [&](std::exception_ptr why) { ended = why != nullptr; }));
    crowd after(s, 50);
    s.where.scheduler.run_for(20ms);
    cancel.emit(asio::cancellation_type::terminal);
    s.where.scheduler.run_for(30s);
    CHECK(before.done == 50);
    CHECK(after.done == 50);
    CHECK(s.balance("ann") == (ended ? 100 : 101));
}

namespace {

asio::awaitable<void> raise(node& in) {
    const auto book = bank::table_of(in);
    const auto more = [](account was) {
        ++was.balance;
        return was;
    };
    co_await book.update("ann", more);
}

}  // namespace

TEST_CASE("a process that dies with a line of runs and of updates takes it along, whoever of them goes first") {
    for (const auto after : {5ms, 20ms, 40ms}) {
        bank s;
        s.has("ann", 0);
        crowd all(s, 30, 10ms);
        for (int i = 0; i < 30; ++i) asio::co_spawn(s.a.environment.executor, raise(s.a), [](std::exception_ptr) {});
        s.where.scheduler.run_for(after);
        REQUIRE(all.done < 30);
        s.a.crash();
        s.where.scheduler.run_for(5s);
        CHECK(s.balance("ann") >= all.done);
    }
}

TEST_CASE("a run whose time is over in the line is told who was in its way") {
    bank s;
    s.has("ann", 0);
    crowd before(s, 200);
    error_code told;
    asio::co_spawn(s.a.environment.executor, pay_in(s.a, "ann", {.within = 60ms}), [&](std::exception_ptr why) {
        try {
            if (why) std::rethrow_exception(why);
        } catch (const error& by) {
            told = by.code();
        }
    });
    s.where.scheduler.run_for(30s);
    CHECK((!told || told == condition::conflict || told == condition::contended));
    CHECK(before.done == 200);
}
