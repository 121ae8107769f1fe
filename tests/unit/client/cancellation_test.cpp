// What a cancelled call says, and that it says it soon.
// SPDX-License-Identifier: BSL-1.0
#include "unit/client/fixture.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

using namespace client_test;

TEST_CASE("cancelled at any moment: nothing sent is cancelled, a write that may have left is in doubt") {
    struct row {
        bool connected;  // the peer sees the request
        bool write;
        errc error;
    };
    for (const auto type :
         {asio::cancellation_type::terminal, asio::cancellation_type::partial, asio::cancellation_type::total}) {
        for (const auto& one :
             {row{true, true, errc::in_doubt}, row{true, false, errc::cancelled}, row{false, true, errc::cancelled}}) {
            fixture f;
            asio::cancellation_signal cancel;
            f.options.connections = 1;
            f.serve([&](std::size_t, const std::string&) {
                asio::post(f.io, [&]() { cancel.emit(type); });
                return reaction{};
            });
            failure seen;
            client database(f.io.get_executor(), f.options);
            const auto body = [](client& on, row how, failure& into) -> asio::awaitable<void> {
                co_await asio::this_coro::throw_if_cancelled(false);
                co_await asio::this_coro::reset_cancellation_state(asio::enable_total_cancellation());
                if (how.write) {
                    auto answer = co_await write_on(on);
                    REQUIRE_FALSE(answer.has_value());
                    into = std::move(answer).error();
                } else {
                    auto answer = co_await read_on(on);
                    REQUIRE_FALSE(answer.has_value());
                    into = std::move(answer).error();
                }
                on.close();
            };
            asio::co_spawn(database.get_executor(), body(database, one, seen),
                           asio::bind_cancellation_slot(cancel.slot(), [&](std::exception_ptr failed) {
                               CHECK_FALSE(failed);
                               f.server->stop();
                           }));
            if (!one.connected) asio::post(database.get_executor(), [&]() { cancel.emit(type); });
            f.io.run_for(10s);
            REQUIRE(f.io.stopped());
            CHECK(seen.code == one.error);
            CHECK(seen.outcome == (one.error == errc::in_doubt ? outcome::unknown : outcome::not_applied));
        }
    }
}

TEST_CASE("a call cancelled in the moment its turn comes sends nothing") {
    fixture f;
    f.options.connections = 1;
    f.serve([](std::size_t, const std::string&) { return reaction{answer(200, "{}")}; });
    client database(f.io.get_executor(), f.options);
    asio::cancellation_signal cancel;
    failure second;
    asio::co_spawn(
        database.get_executor(),
        [](client& on, asio::cancellation_signal& other) -> asio::awaitable<void> {
            const auto got = co_await write_on(on);
            CHECK(got.has_value());
            // The connection has just been given on, and its new holder has not run yet.
            other.emit(asio::cancellation_type::terminal);
        }(database, cancel),
        asio::detached);
    asio::co_spawn(
        database.get_executor(),
        [](client& on, failure& into) -> asio::awaitable<void> {
            auto got = co_await write_on(on);
            REQUIRE_FALSE(got.has_value());
            into = std::move(got).error();
            on.close();
        }(database, second),
        asio::bind_cancellation_slot(cancel.slot(), [&](std::exception_ptr failed) {
            CHECK_FALSE(failed);
            f.server->stop();
        }));
    f.io.run_for(10s);
    REQUIRE(f.io.stopped());
    CHECK(second.code == errc::cancelled);
    CHECK(second.outcome == outcome::not_applied);
    CHECK(f.server->requests().size() == 1);
}

TEST_CASE("cancelled after any number of steps, a write answers once, and never that a request in flight was not") {
    for (const auto type :
         {asio::cancellation_type::terminal, asio::cancellation_type::partial, asio::cancellation_type::total}) {
        bool quiet = false;
        for (int steps = 0; !quiet; ++steps) {
            INFO("after " << steps << " steps");
            fixture f;
            std::size_t seen = 0;
            // In line behind another, then refused, then tried again, then left alone.
            f.options.connections = 1;
            f.serve([&](std::size_t, const std::string& request) {
                if (request.find("UpdateItem") == std::string::npos) return reaction{answer(200, "{}")};
                return ++seen == 1 ? refusal("ThrottlingException", "slow", 400, "x-amz-retry-after: 1\r\n")
                                   : reaction{};
            });
            client database(f.io.get_executor(), f.options);
            database.execute(a_read(), {}, [](error_code, const get_item_response&) {});
            asio::cancellation_signal cancel;
            int answered = 0;
            error_code code;
            const auto done = [&](error_code why, const update_item_response&) {
                ++answered;
                code = why;
                database.close();
                f.server->stop();
            };
            database.execute(a_write(), {}, asio::bind_cancellation_slot(cancel.slot(), done));
            for (int i = 0; i < steps && !quiet; ++i) quiet = f.io.run_one_for(100ms) == 0;
            CHECK(answered == 0);
            const auto begin = std::chrono::steady_clock::now();
            cancel.emit(type);
            f.io.run_for(10s);
            REQUIRE(f.io.stopped());
            CHECK(std::chrono::steady_clock::now() - begin < 900ms);  // sooner than an attempt's time
            CHECK(answered == 1);
            const bool cancelled = code == errc::cancelled && seen <= 1;
            const bool in_doubt = code == errc::in_doubt && seen >= 1;
            CHECK((cancelled || in_doubt));
        }
    }
}
