// Answers that belong to no request, at every moment between two of them: were one taken for the next answer, each
// later one would be given to the request before, and nobody would notice.
// SPDX-License-Identifier: BSL-1.0
#include "support/certificates.hpp"
#include "unit/http/fixture.hpp"

#include <boost/asio/post.hpp>

using namespace http_test;
using support::answer;
using support::reaction;
using support::scripted_server;

namespace {

/// A peer that answers each request with its number, on plain sockets and over TLS.
struct numbering : fixture {
    support::authority trusted;
    scripted_server server;

    explicit numbering(bool secure, std::string_view id_header = {})
        : server(
              io.get_executor(),
              [this](std::size_t number, const std::string&) {
                  const auto which = std::to_string(repeats_itself && number != 0 ? number - 1 : number);
                  return reaction{answer(200, which, "X-Id: " + which + "\r\n")};
              },
              secure ? trusted.server_for("localhost") : nullptr) {
        if (secure) connecting.tls = http::make_tls_context({true, trusted.pem_file()}).context;
        connecting.timeout = 5s;
        connecting.id_header = id_header;
        limits.connections = 1;
        connect_to(server.port(), "localhost");
    }

    asio::awaitable<void> expect(std::string body) {
        const auto got = co_await exchange(*pool, post("{}"), in(5s));
        CHECK_FALSE(got.error);
        CHECK(got.body == body);
    }

    /// What the peer says unasked reaches a connection that is on loan.
    asio::awaitable<void> hear(const http::lease& held, std::function<void()> say) {
        say();
        const auto [failed] =
            co_await held->transport().socket().async_wait(asio::ip::tcp::socket::wait_read, as_result);
        CHECK_FALSE(failed);
    }
    asio::awaitable<void> hear_stray(const http::lease& held) {
        return hear(held, [this] { server.say(answer(200, "stray")); });
    }
    /// The same, between two exchanges.
    asio::awaitable<void> hear_stray() {
        const auto held = pool->try_take();
        REQUIRE(held);
        co_await hear_stray(held);
    }

    void end() {
        pool->close();
        server.stop();
    }

    bool repeats_itself = false;
};

/// Takes the connection and makes an exchange; the stray answer comes when that is over, and then its lease ends.
asio::awaitable<void> exchange_then_stray(numbering& on, std::string body) {
    auto [error, held] = co_await on.pool->take(on.in(5s), as_result);
    REQUIRE_FALSE(error);
    held->request() = post("{}");
    const auto [failed] = co_await held->exchange(on.in(5s), as_result);
    CHECK_FALSE(failed);
    CHECK(held->answer().body() == body);
    co_await on.hear_stray(held);
}

}  // namespace

TEST_CASE("an answer that comes after its exchange is not the next one's") {
    for (const bool secure : {false, true}) {
        INFO("TLS: " << secure);
        numbering f(secure);
        f.run([](numbering& fx) -> asio::awaitable<void> {
            co_await fx.expect("0");
            co_await fx.hear_stray();
            co_await fx.expect("1");
            co_await fx.expect("2");
            fx.end();
        }(f));
        CHECK(f.server.connections() == 2);
    }
}

TEST_CASE("nor when the connection goes straight to one who waits for it") {
    for (const bool secure : {false, true}) {
        INFO("TLS: " << secure);
        numbering f(secure);
        f.run([](numbering& fx) -> asio::awaitable<void> {
            asio::co_spawn(fx.world.executor, exchange_then_stray(fx, "0"), [](std::exception_ptr failure) {
                if (failure) std::rethrow_exception(failure);
            });
            while (fx.pool->counters().waiting == 0) co_await asio::post(fx.world.executor, asio::use_awaitable);
            co_await fx.expect("1");
            co_await fx.expect("2");
            fx.end();
        }(f));
        CHECK(f.server.connections() == 2);
    }
}

TEST_CASE("a server that speaks before it is asked is none of ours, and is sent nothing") {
    numbering f(false);
    f.run([](numbering& fx) -> asio::awaitable<void> {
        auto [error, held] = co_await fx.pool->take(fx.in(5s), as_result);
        REQUIRE_FALSE(error);
        while (fx.server.connections() == 0) co_await asio::post(fx.world.executor, asio::use_awaitable);
        co_await fx.hear_stray(held);
        held->request() = post("{}");
        const auto [failed] = co_await held->exchange(fx.in(5s), as_result);
        CHECK(failed == errc::bad_response);
        CHECK(held->flaw() == http::answer_flaw::unasked);
        CHECK_FALSE(held->wrote());
        CHECK_FALSE(held->reusable());
        held.give_back();
        fx.end();
    }(f));
    CHECK(f.server.requests().empty());
}

TEST_CASE("an answer given twice while the next request is under way is known by its id") {
    for (const bool secure : {false, true}) {
        INFO("TLS: " << secure);
        numbering f(secure, "x-id");
        f.run([](numbering& fx) -> asio::awaitable<void> {
            co_await fx.expect("0");
            fx.repeats_itself = true;
            auto held = fx.pool->try_take();
            REQUIRE(held);
            held->request() = post("{}");
            const auto [failed] = co_await held->exchange(fx.in(5s), as_result);
            CHECK(failed == errc::bad_response);
            CHECK(held->flaw() == http::answer_flaw::repeated);
            CHECK(held->wrote());
            CHECK_FALSE(held->reusable());
            held.give_back();
            fx.repeats_itself = false;
            co_await fx.expect("2");
            fx.end();
        }(f));
        CHECK(f.server.connections() == 2);
    }
}

TEST_CASE("a connection that the peer closes between two requests carries no byte of the second") {
    for (const bool secure : {false, true}) {
        INFO("TLS: " << secure);
        numbering f(secure);
        f.run([](numbering& fx) -> asio::awaitable<void> {
            co_await fx.expect("0");
            auto held = fx.pool->try_take();
            REQUIRE(held);
            co_await fx.hear(held, [&fx] { fx.server.hang_up(); });
            held->request() = post("{}");
            const auto [failed] = co_await held->exchange(fx.in(5s), as_result);
            CHECK(failed == errc::server_error);
            CHECK_FALSE(held->wrote());
            CHECK(held->reused());
            held.give_back();
            fx.end();
        }(f));
        CHECK(f.server.requests().size() == 1);
    }
}
