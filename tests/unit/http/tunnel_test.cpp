// Through a proxy to a secure server: what is asked of it, and what it may answer.
// SPDX-License-Identifier: BSL-1.0
#include "support/certificates.hpp"
#include "unit/http/fixture.hpp"

#include <boost/asio/detached.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

#include <array>

using namespace http_test;
using support::answer;
using support::reaction;
using support::scripted_server;

namespace {

using asio::ip::tcp;

/// A proxy for one connection: it answers as it is told to, and if that is a tunnel, passes on what both sides say.
class one_proxy {
public:
    one_proxy(asio::io_context& io, std::string says, std::uint16_t server)
        : acceptor_(io, {asio::ip::address_v4::loopback(), 0}), says_(std::move(says)), server_(server) {
        asio::co_spawn(io, serve(*this), asio::detached);
    }
    std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
    const std::string& asked() const { return asked_; }

private:
    static asio::awaitable<void> pass(tcp::socket& from, tcp::socket& to) {
        std::array<char, 4096> piece;
        for (;;) {
            const auto [error, size] = co_await from.async_read_some(asio::buffer(piece), as_result);
            if (error) break;
            const auto [failed, written] = co_await asio::async_write(to, asio::buffer(piece, size), as_result);
            if (failed) break;
        }
        error_code ignored;
        to.close(ignored);
        from.close(ignored);
    }

    static asio::awaitable<void> serve(one_proxy& self) {
        tcp::socket client = co_await self.acceptor_.async_accept(asio::use_awaitable);
        auto into = asio::dynamic_buffer(self.asked_);
        co_await asio::async_read_until(client, into, "\r\n\r\n", asio::use_awaitable);
        co_await asio::async_write(client, asio::buffer(self.says_), asio::use_awaitable);
        if (!self.says_.starts_with("HTTP/1.1 200")) {
            // What the client does with a refusal: it goes.
            char byte = 0;
            const auto [error, size] = co_await client.async_read_some(asio::buffer(&byte, 1), as_result);
            CHECK(error);
            co_return;
        }
        tcp::socket server(self.acceptor_.get_executor());
        co_await server.async_connect({asio::ip::address_v4::loopback(), self.server_}, asio::use_awaitable);
        auto back = asio::co_spawn(self.acceptor_.get_executor(), pass(server, client), asio::use_awaitable);
        asio::co_spawn(self.acceptor_.get_executor(), pass(client, server), asio::detached);
        co_await std::move(back);
    }

    tcp::acceptor acceptor_;
    std::string says_;
    std::uint16_t server_;
    std::string asked_;
};

struct seen {
    done result;
    std::string problem;
    std::string asked;
};

seen ask_through(const std::string& says, const std::string& authorization = {}) {
    fixture f;
    const support::authority trusted;
    scripted_server server(
        f.io.get_executor(), [](std::size_t, const std::string&) { return reaction{answer(200, "secret")}; },
        trusted.server_for("db.example.org"));
    one_proxy proxy(f.io, says, server.port());
    f.connecting.tls = http::make_tls_context({true, trusted.pem_file()}).context;
    f.connecting.timeout = 5s;
    f.connecting.proxy = http::proxy{{false, "127.0.0.1", proxy.port()}, authorization};
    f.connect_to(443, "db.example.org");
    seen what;
    f.run([](fixture& fx, scripted_server& peer, seen& into) -> asio::awaitable<void> {
        into.result = co_await exchange(*fx.pool, post("{}"), fx.in(5s));
        into.problem = fx.pool->problem();
        fx.pool->close();
        peer.stop();
    }(f, server, what));
    what.asked = proxy.asked();
    return what;
}

}  // namespace

TEST_CASE("a server is reached through a proxy, which learns its name and nothing else") {
    const auto what = ask_through("HTTP/1.1 200 Connection established\r\nVia: proxy\r\n\r\n");
    CHECK(what.result.body == "secret");
    CHECK(what.asked == "CONNECT db.example.org:443 HTTP/1.1\r\nHost: db.example.org:443\r\n\r\n");
    CHECK_THAT(ask_through("HTTP/1.1 200 OK\r\n\r\n", "Basic YTpi").asked,
               Catch::Contains("\r\nProxy-Authorization: Basic YTpi\r\n"));
}

TEST_CASE("a proxy that opens no tunnel is told in its own words, and no request was sent") {
    const auto refused = ask_through("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n");
    CHECK(refused.result.error == errc::unreachable);
    CHECK_FALSE(refused.result.wrote);
    CHECK_THAT(refused.problem, Catch::Contains("the proxy 127.0.0.1:") &&
                                    Catch::Contains("opened no tunnel: 407 Proxy Authentication Required"));
    CHECK_THAT(ask_through("SSH-2.0-OpenSSH\r\n\r\n").problem, Catch::Contains("no HTTP"));
    CHECK_THAT(ask_through("HTTP/1.1 200 OK\r\n\r\nHello").problem, Catch::Contains("speaks in the server's place"));
    CHECK_THAT(ask_through("HTTP/1.1 403 " + std::string(20'000, 'x')).problem, Catch::Contains("opened no tunnel"));
}

TEST_CASE("a proxy that says nothing costs the connect timeout") {
    fixture f;
    tcp::acceptor silent(f.io, {asio::ip::address_v4::loopback(), 0});
    f.connecting.tls = http::make_tls_context({}).context;
    f.connecting.timeout = 100ms;
    f.connecting.proxy = http::proxy{{false, "127.0.0.1", silent.local_endpoint().port()}};
    f.connect_to(443, "db.example.org");
    f.run([](fixture& fx) -> asio::awaitable<void> {
        const auto result = co_await exchange(*fx.pool, post("{}"), fx.in(5s));
        CHECK(result.error == errc::unreachable);
        CHECK_THAT(fx.pool->problem(), Catch::Contains("within the connect timeout"));
        fx.pool->close();
    }(f));
}
