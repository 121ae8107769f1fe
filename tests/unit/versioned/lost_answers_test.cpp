// Writes whose answers are lost, late or doubled: what callers are told is true, or is doubt.
// SPDX-License-Identifier: BSL-1.0
#include "book_shop.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

using testing::fault;
using kind = testing::fault::kind;

/// No request of the process gets through from now on.
void cut_off(node& in, bool applied = false) {
    in.network->set_plan([applied](const any_request& request, const call_options&) {
        return fault{applied && is_write(request) ? kind::lose_answer : kind::lose_request};
    });
}

void reconnect(node& in) {
    in.network->set_plan({});
}

}  // namespace

TEST_CASE("a save without any answer ends in doubt, and resolve tells what became of it") {
    const bool arrives = GENERATE(true, false);
    shop s;
    s.in_a(
        [](shop& in, bool applied) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            const auto one = a_book();
            auto first = co_await books.create(one);
            first.value.pages = 7;
            cut_off(in.a, applied);
            pending_write<book> pending;
            const auto sent = in.a.environment.clock->now();
            try {
                co_await books.save(first);
                FAIL("nobody answered");
            } catch (const write_in_doubt<book>& doubt) {
                CHECK(doubt.code() == errc::in_doubt);
                CHECK(doubt.condition() == condition::in_doubt);
                pending = doubt.pending();
            }
            CHECK(in.a.environment.clock->now() - sent < 20s);
            REQUIRE(pending);
            reconnect(in.a);
            auto resolved = co_await pending.resolve();
            CHECK(resolved.verdict == (applied ? resolution::applied : resolution::open));
            diagnostics details;
            auto told = co_await pending.close(details, asio::as_tuple(asio::deferred));
            CHECK_FALSE(std::get<0>(told));
            const auto closed = std::get<1>(std::move(told));
            CHECK(closed.verdict == (applied ? resolution::applied : resolution::not_applied));
            REQUIRE(closed.current);
            CHECK(closed.current->value.pages == (applied ? 7 : 100));
        },
        s, arrives);
    s.where.scheduler.run();
    CHECK(find_integer(s.stored(), "pages") == (arrives ? 7 : 100));
}

TEST_CASE("a write that was closed never lands, however late its copies are") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            const auto one = a_book();
            auto first = co_await books.create(one);
            first.value.pages = 7;
            in.a.network->set_plan([](const any_request&, const call_options&) {
                fault late{kind::lose_answer};
                late.before = 4min;
                return late;
            });
            auto [error, result] = co_await books.save(first, as_pair);
            CHECK(error == errc::in_doubt);
            reconnect(in.a);
            auto closed = co_await result.pending.close();
            CHECK(closed.verdict == resolution::not_applied);
        },
        s);
    s.where.scheduler.run();
    CHECK(find_integer(s.stored(), "pages") == 100);
    CHECK(s.stored_version() == 2);
}

TEST_CASE("a lost answer is resolved by stamps though others wrote since, up to three times") {
    const int others = GENERATE(1, 3, 4);
    shop s;
    s.in_a(
        [](shop& in, int writes) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            auto theirs = in.books(in.b);
            const auto one = a_book();
            auto first = co_await books.create(one);
            first.value.pages = 7;
            auto save = [](versioned<book> table, loaded<book> base) -> asio::awaitable<void> {
                auto [error, result] = co_await table.save(base, as_pair);
                if (error == errc::in_doubt) co_return;
                if (error) throw boost::system::system_error(error);
                CHECK(result.superseded);
                CHECK(result.saved->value.pages == 7);
            };
            in.a.network->set_plan(testing::scripted_faults({fault{kind::lose_answer}}));
            running saving(in.where, in.a, save(books, first));
            co_await sleep(in.b, 100ms);
            for (int i = 0; i < writes; ++i) {
                auto now = co_await theirs.load(isbn);
                co_await theirs.touch(*now);
            }
            co_await sleep(in.b, 30s);
            CHECK(saving.done());
            saving.wait();
        },
        s, others);
    CHECK(find_integer(s.stored(), "pages") == 7);
    CHECK(s.stored_version() == 2 + others);
}

TEST_CASE("a conflict after a lost answer is a conflict only if the stamps prove it") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            auto theirs = in.books(in.b);
            const auto one = a_book();
            auto first = co_await books.create(one);
            in.a.network->set_plan(testing::scripted_faults({fault{kind::lose_request}}));
            auto save = [](versioned<book> table, loaded<book> base) -> asio::awaitable<void> {
                auto [error, result] = co_await table.save(base, as_pair);
                CHECK(error == errc::conflict);
                CHECK(result.found == 2);
            };
            running saving(in.where, in.a, save(books, first));
            co_await theirs.touch(first);
            co_await sleep(in.b, 30s);
            saving.wait();
        },
        s);
}

TEST_CASE("a creation whose answer was lost is told by its birth, however many wrote since") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            auto theirs = in.books(in.b);
            in.a.network->set_plan(testing::scripted_faults({fault{kind::lose_answer}}));
            auto create = [](versioned<book> table) -> asio::awaitable<void> {
                const auto one = a_book();
                auto [error, result] = co_await table.create(one, as_pair);
                CHECK_FALSE(error);
                CHECK(result.superseded);
            };
            running creating(in.where, in.a, create(books));
            co_await sleep(in.b, 100ms);
            for (int i = 0; i < 9; ++i) {
                auto now = co_await theirs.load(isbn);
                co_await theirs.touch(*now);
            }
            co_await sleep(in.b, 30s);
            creating.wait();
        },
        s);
    CHECK(s.stored_version() == 10);
}

TEST_CASE("a blind update is sent once, and a read tells whether it was applied") {
    const bool arrives = GENERATE(true, false);
    shop s;
    s.in_a(
        [](shop& in, bool applied) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            const auto one = a_book();
            co_await books.create(one);
            in.a.network->clear_log();
            in.a.network->set_plan(testing::scripted_faults({fault{applied ? kind::lose_answer : kind::lose_request}}));
            const auto more = add("pages", 1);
            auto [error, result] = co_await books.blind(isbn, more, as_pair);
            CHECK(error == (applied ? error_code{} : make_error_code(errc::in_doubt)));
            CHECK(in.requests(in.a, "UpdateItem") == 1);
            if (applied) {
                CHECK(result.saved->value.pages == 101);
            }
        },
        s, arrives);
    s.where.scheduler.run();
    CHECK(find_integer(s.stored(), "pages") == (arrives ? 101 : 100));
}

TEST_CASE("an exact blind update is repeated by the service's own token, and applied once") {
    const auto what = GENERATE(kind::lose_answer, kind::lose_request, kind::apply_twice, kind::pass);
    shop s;
    s.in_a(
        [](shop& in, kind fate) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            const auto one = a_book();
            co_await books.create(one);
            in.a.network->set_plan(testing::scripted_faults({fault{fate}}));
            const auto more = add("pages", 1);
            auto done = co_await books.blind(isbn, more, {.exact = true});
            CHECK(done.value.pages == 101);
            CHECK(done.version == 2);
        },
        s, what);
    s.where.scheduler.run();
    CHECK(find_integer(s.stored(), "pages") == 101);
}

TEST_CASE("tombstones keep a late creation from bringing a removed item back") {
    const bool tombstones = GENERATE(true, false);
    shop s;
    s.in_a(
        [](shop& in, bool buries) -> asio::awaitable<void> {
            auto options = in_books();
            if (buries) options.removal = removal::tombstone;
            auto books = in.books(in.a, options);
            auto theirs = in.books(in.b, options);
            fault doubled{kind::apply_twice};
            doubled.copy = 2min;
            in.a.network->set_plan(testing::scripted_faults({doubled}));
            const auto one = a_book();
            auto created = co_await books.create(one);
            co_await theirs.remove(created);
            auto gone = co_await theirs.load(isbn);
            CHECK_FALSE(gone);
            co_await sleep(in.b, 5min);
            auto later = co_await theirs.load(isbn);
            CHECK(later.has_value() == !buries);
            if (buries) {
                in.b.network->clear_log();
                auto anew = co_await theirs.create(one);
                CHECK(anew.version == 3);
                CHECK(in.requests(in.b) == 2);
                auto saved = co_await theirs.save(anew);
                CHECK(saved.version == 4);
            }
        },
        s, tombstones);
}

TEST_CASE("a cancelled write says whether it may have left") {
    shop s;
    asio::cancellation_signal cancel;
    s.in_a(
        [](shop& in, asio::cancellation_signal& signal) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            const auto one = a_book();
            auto first = co_await books.create(one);
            cut_off(in.a);
            std::optional<error_code> told;
            books.save(first,
                       asio::bind_cancellation_slot(signal.slot(), [&](error_code error, write_result<book> result) {
                           told = error;
                           CHECK(result.pending);
                       }));
            co_await sleep(in.a, 3s);
            CHECK_FALSE(told);
            const auto before = in.requests(in.a);
            signal.emit(asio::cancellation_type::terminal);
            co_await sleep(in.a, 1ms);
            REQUIRE(told);
            CHECK(*told == errc::in_doubt);
            co_await sleep(in.a, 1min);
            CHECK(in.requests(in.a) == before);
        },
        s, cancel);
}

TEST_CASE("random faults: no update is lost and none is applied twice") {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        shop s(seed);
        std::vector<std::unique_ptr<running>> work;
        int done = 0;
        int doubtful = 0;
        s.in_a(
            [](shop& in) -> asio::awaitable<void> {
                auto books = in.books(in.a);
                const auto one = a_book("Counter", 0);
                co_await books.create(one);
            },
            s);
        auto count = [](versioned<book> table, int times, int& counted, int& doubted) -> asio::awaitable<void> {
            for (int i = 0; i < times; ++i) {
                update_options how{.tries = 1000};
                how.wait = 1h;
                auto [error, result] = co_await table.update(
                    isbn,
                    [](book value) {
                        ++value.pages;
                        return value;
                    },
                    how, as_pair);
                if (!error)
                    ++counted;
                else if (error == errc::in_doubt)
                    ++doubted;
            }
        };
        for (auto* each : {&s.a, &s.b}) {
            each->network->set_plan(testing::seeded_faults(seed * 3 + (each == &s.a ? 1 : 2), {.lose_request = 0.1,
                                                                                               .lose_answer = 0.1,
                                                                                               .apply_twice = 0.1,
                                                                                               .throttle = 0.05,
                                                                                               .server_error = 0.1,
                                                                                               .delay = 0.2,
                                                                                               .longest_delay = 20s}));
            for (int i = 0; i < 3; ++i) {
                work.push_back(std::make_unique<running>(s.where, *each, count(s.books(*each), 5, done, doubtful)));
            }
        }
        for (auto& each : work) each->wait(5h);
        s.where.scheduler.run();
        INFO("seed " << seed << ": " << done << " done, " << doubtful << " in doubt");
        const auto pages = find_integer(s.stored(), "pages").value_or(-1);
        CHECK(pages >= done);
        CHECK(pages <= done + doubtful);
        CHECK(s.stored_version() == 1 + pages);
        CHECK(done > 5);
    }
}
