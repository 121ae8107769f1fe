// Certificates: who is trusted, for which name, and what a refusal says.
// SPDX-License-Identifier: BSL-1.0
#include "support/certificates.hpp"
#include "unit/http/fixture.hpp"

#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <cstdio>
#include <filesystem>

using namespace http_test;
using support::answer;
using support::reaction;
using support::scripted_server;

namespace {

struct attempt {
    done result;
    std::string problem;
};

/// Every name is this machine's.
class local_names final : public http::name_service {
public:
    explicit local_names(asio::any_io_executor executor) : executor_(std::move(executor)) {}
    void resolve(const std::string&, std::uint16_t port, handler done) override {
        asio::post(executor_, [port, done] { done({}, {{asio::ip::address_v4::loopback(), port}}); });
    }
    void cancel() noexcept override {}

private:
    asio::any_io_executor executor_;
};

attempt try_tls(const std::shared_ptr<asio::ssl::context>& server_side, const http::tls_options& options,
                const std::string& host) {
    fixture f;
    f.connecting.names = std::make_shared<local_names>(f.world.executor);
    scripted_server server(
        f.io.get_executor(), [](std::size_t, const std::string&) { return reaction{answer(200, "secret")}; },
        server_side);
    auto setup = http::make_tls_context(options);
    REQUIRE_FALSE(setup.error);
    f.connecting.tls = setup.context;
    f.connecting.timeout = 5s;
    f.connect_to(server.port(), host);
    attempt seen;
    f.run([](fixture& fx, scripted_server& peer, attempt& into) -> asio::awaitable<void> {
        auto result = co_await exchange(*fx.pool, post("{}"), fx.in(5s));
        if (!result.error) {
            auto again = co_await exchange(*fx.pool, post("{}"), fx.in(5s));
            result = std::move(again);
        }
        into.result = std::move(result);
        into.problem = fx.pool->problem();
        fx.pool->close();
        peer.stop();
    }(f, server, seen));
    return seen;
}

// A pointer to std::fclose has attributes in glibc's headers, which GCC 14 finds lost in a template's argument.
struct closes_file {
    void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
};

/// As OpenSSL looks it up in a directory.
std::string hash_of_name(const std::string& pem_file) {
    const std::unique_ptr<std::FILE, closes_file> file(std::fopen(pem_file.c_str(), "r"));
    const std::unique_ptr<X509, decltype(&X509_free)> certificate(PEM_read_X509(file.get(), nullptr, nullptr, nullptr),
                                                                  &X509_free);
    char text[9];
    std::snprintf(text, sizeof text, "%08lx", X509_subject_name_hash(certificate.get()));
    return text;
}

}  // namespace

TEST_CASE("a server whose certificate is good for its name and signed by a trusted authority") {
    const support::authority trusted;
    CHECK(try_tls(trusted.server_for("localhost"), {true, trusted.pem_file()}, "localhost").result.body == "secret");
    CHECK(try_tls(trusted.server_for("127.0.0.1"), {true, trusted.pem_file()}, "127.0.0.1").result.body == "secret");
}

TEST_CASE("a server that cannot prove who it is gets no request") {
    const support::authority trusted;
    const support::authority other;
    struct refused {
        std::shared_ptr<asio::ssl::context> server;
        std::string host;
        const char* reason;
    };
    const refused cases[] = {
        {other.server_for("localhost"), "localhost", "unable to get local issuer certificate"},
        {trusted.server_for("example.org"), "localhost", "ostname mismatch"},
        {trusted.server_for("localhost"), "127.0.0.1", "IP address mismatch"},
        {trusted.server_for("localhost", -2, -1), "localhost", "expired"},
    };
    for (const auto& one : cases) {
        const auto seen = try_tls(one.server, {true, trusted.pem_file()}, one.host);
        CHECK(seen.result.error == errc::tls_failed);
        CHECK_FALSE(seen.result.wrote);
        CHECK_THAT(seen.problem, Catch::Contains(one.reason));
    }
}

TEST_CASE("the system's authorities do not know ours, and verification can be switched off") {
    const support::authority ours;
    CHECK(try_tls(ours.server_for("localhost"), {}, "localhost").result.error == errc::tls_failed);
    CHECK(try_tls(ours.server_for("example.org"), {false, ""}, "localhost").result.body == "secret");
}

TEST_CASE("authorities may stand in a directory, under the hashes of their names") {
    const support::authority trusted;
    const auto folder = std::filesystem::path(trusted.pem_file() + ".d");
    std::filesystem::create_directory(folder);
    CHECK(try_tls(trusted.server_for("localhost"), {true, folder}, "localhost").result.error == errc::tls_failed);
    std::filesystem::copy_file(trusted.pem_file(), folder / (hash_of_name(trusted.pem_file()) + ".0"));
    CHECK(try_tls(trusted.server_for("localhost"), {true, folder}, "localhost").result.body == "secret");
    std::filesystem::remove_all(folder);
}

TEST_CASE("which name a server must have: a whole wildcard counts, a part of one does not, nor an end that is a dot") {
    const support::authority trusted;
    const auto expects = [&](const std::string& certified, const std::string& host) {
        return try_tls(trusted.server_for(certified), {true, trusted.pem_file()}, host).result.body == "secret";
    };
    CHECK(expects("db.example.org", "db.example.org."));
    CHECK(expects("*.example.org", "db.example.org"));
    CHECK_FALSE(expects("d*.example.org", "db.example.org"));
    CHECK_FALSE(expects("*.example.org", "a.db.example.org"));
}

TEST_CASE("a name that cannot be insisted on is none to shake hands with") {
    const auto setup = http::make_tls_context({});
    const std::unique_ptr<SSL, decltype(&SSL_free)> session(SSL_new(setup.context->native_handle()), &SSL_free);
    CHECK(http::expect_server(session.get(), "localhost"));
    CHECK_FALSE(http::expect_server(session.get(), ""));
    CHECK_FALSE(http::expect_server(session.get(), "."));
}

TEST_CASE("a server that wants to shake hands anew is not followed") {
    const auto setup = http::make_tls_context({});
    CHECK((SSL_CTX_get_options(setup.context->native_handle()) & SSL_OP_NO_RENEGOTIATION) != 0);
}

TEST_CASE("an authority file that is none is an error") {
    CHECK(http::make_tls_context({true, "/no/such/file.pem"}).error);
}

TEST_CASE("a plain HTTP server behind an https endpoint is named as such a failure") {
    fixture f;
    scripted_server server(f.io.get_executor(), [](std::size_t, const std::string&) { return reaction{}; });
    f.connecting.tls = http::make_tls_context({}).context;
    f.connecting.timeout = 5s;
    asio::ip::tcp::acceptor plain(f.io, {asio::ip::address_v4::loopback(), 0});
    f.connect_to(plain.local_endpoint().port());
    server.stop();
    f.run([](fixture& fx, asio::ip::tcp::acceptor& acceptor) -> asio::awaitable<void> {
        asio::co_spawn(
            acceptor.get_executor(),
            [](asio::ip::tcp::acceptor& listening) -> asio::awaitable<void> {
                auto socket = co_await listening.async_accept(asio::use_awaitable);
                const std::string text = "HTTP/1.1 400 Bad Request\r\n\r\n";
                co_await asio::async_write(socket, asio::buffer(text), asio::use_awaitable);
            }(acceptor),
            [](std::exception_ptr) {});
        const auto result = co_await exchange(*fx.pool, post("{}"), fx.in(5s));
        CHECK(result.error == errc::tls_failed);
    }(f, plain));
}

namespace {

/// A pool of connections to a TLS server that says what it is told to.
struct secure_fixture : fixture {
    support::authority trusted;
    scripted_server server;

    explicit secure_fixture(scripted_server::script behaviour)
        : server(io.get_executor(), std::move(behaviour), trusted.server_for("localhost")) {
        connecting.tls = http::make_tls_context({true, trusted.pem_file()}).context;
        connecting.timeout = 5s;
        connect_to(server.port(), "localhost");
    }
};

}  // namespace

TEST_CASE("decrypted or not, bytes that nobody asked for end the connection, not the next request") {
    secure_fixture f([](std::size_t number, const std::string&) {
        // The first answer fills the first read exactly: what follows it stays behind in the TLS engine.
        auto text = answer(200, std::to_string(number), "X-Filler: \r\n");
        if (number == 0) text = answer(200, "0", "X-Filler: " + std::string(4096 - text.size(), 'x') + "\r\n");
        return reaction{text + (number == 0 ? answer(200, "stray") : "")};
    });
    f.run([](secure_fixture& fx) -> asio::awaitable<void> {
        for (int i = 0; i < 3; ++i) {
            const auto result = co_await exchange(*fx.pool, post("{}"), fx.in(5s));
            CHECK(result.body == std::to_string(i));
        }
        fx.pool->close();
        fx.server.stop();
    }(f));
    CHECK(f.server.connections() == 2);
}

TEST_CASE("a connection that was opened and not yet used is used, although session tickets wait in it") {
    secure_fixture f([](std::size_t, const std::string&) { return reaction{answer(200, "{}")}; });
    bool hung_up = false;
    SECTION("open") {}
    SECTION("closed by the server meanwhile") {
        hung_up = true;
    }
    f.run([](secure_fixture& fx, bool closed) -> asio::awaitable<void> {
        auto [failed, unused] = co_await fx.pool->take(fx.in(5s), as_result);
        REQUIRE_FALSE(failed);
        // Whole answers on a second connection: meanwhile the tickets of the first have come.
        const auto result = co_await exchange(*fx.pool, post("{}"), fx.in(5s));
        CHECK_FALSE(result.error);
        unused.give_back();
        if (closed) fx.server.hang_up();
        for (int i = 0; i < 2; ++i) {
            auto held = fx.pool->try_take();
            REQUIRE(held);
            held->request() = post("{}");
            const auto [error] = co_await held->exchange(fx.in(5s), as_result);
            CHECK(bool(error) == closed);
            CHECK(held->wrote() == !closed);
            held.give_back();
        }
        fx.pool->close();
        fx.server.stop();
    }(f, hung_up));
    CHECK(f.server.connections() == 2);
}
