// The name service: asked once for all, and no single point of failure once it has answered.
// SPDX-License-Identifier: BSL-1.0
#include "support/certificates.hpp"
#include "unit/http/fixture.hpp"

#include <boost/asio/post.hpp>

#include <new>
#include <vector>

using namespace http_test;
using support::answer;
using support::reaction;
using support::scripted_server;

namespace {

/// Answers as it is told to, or not at all.
class fake_names final : public http::name_service {
public:
    explicit fake_names(asio::any_io_executor executor) : executor_(std::move(executor)) {}

    void resolve(const std::string&, std::uint16_t, handler done) override {
        ++asked;
        if (std::exchange(without_memory, false)) throw std::bad_alloc();
        if (silent) {
            unanswered.push_back(std::move(done));
            return;
        }
        asio::post(executor_, [this, done = std::move(done)] { done(error, addresses); });
    }
    void cancel() noexcept override { unanswered.clear(); }

    bool silent = false;
    bool without_memory = false;
    error_code error{};
    std::vector<http::tcp_address> addresses;
    std::vector<handler> unanswered;
    int asked = 0;

private:
    asio::any_io_executor executor_;
};

http::tcp_address local(std::uint16_t port) {
    return {asio::ip::address_v4::loopback(), port};
}

std::uint16_t nobody(asio::io_context& io) {
    return asio::ip::tcp::acceptor(io, {asio::ip::address_v4::loopback(), 0}).local_endpoint().port();
}

struct named_fixture : fixture {
    std::shared_ptr<fake_names> names = std::make_shared<fake_names>(world.executor);

    void connect_by_name() {
        connecting.names = names;
        connect_to(443, "db.example");
    }
};

reaction closing(std::size_t, const std::string&) {
    return {answer(200, "{}", "Connection: close\r\n"), true};
}

/// Exchanges, each on a connection of its own.
asio::awaitable<void> exchanges(named_fixture& fx, scripted_server& peer, int count) {
    for (int i = 0; i < count; ++i) {
        const auto result = co_await exchange(*fx.pool, post("{}"), fx.in(5s));
        CHECK_FALSE(result.error);
    }
    peer.stop();
}

}  // namespace

TEST_CASE("several addresses are tried, and the one that was good is tried first from then on") {
    named_fixture f;
    scripted_server server(f.io.get_executor(), closing);
    f.names->addresses = {local(nobody(f.io)), local(server.port())};
    f.connect_by_name();
    f.run(exchanges(f, server, 3));
    CHECK(server.connections() == 3);
    CHECK(f.names->asked == 1);
}

TEST_CASE("an address that says nothing leaves time for the others") {
    named_fixture f;
    f.connecting.timeout = 400ms;
    scripted_server server(f.io.get_executor(), closing);
    // A full line before a listener: the kernel drops whatever comes to it.
    asio::ip::tcp::acceptor silent(f.io, {asio::ip::address_v4::loopback(), 0});
    silent.listen(0);
    asio::ip::tcp::socket filling(f.io);
    filling.connect(silent.local_endpoint());
    f.names->addresses = {silent.local_endpoint(), local(server.port()), local(nobody(f.io))};
    f.connect_by_name();
    f.run(exchanges(f, server, 2));
    CHECK(server.connections() == 2);
}

TEST_CASE("an address that cannot prove who it is leaves the request to the others") {
    named_fixture f;
    const support::authority trusted;
    scripted_server impostor(f.io.get_executor(), closing, trusted.server_for("other.example"));
    scripted_server server(f.io.get_executor(), closing, trusted.server_for("db.example"));
    f.connecting.tls = http::make_tls_context({true, trusted.pem_file()}).context;
    f.connecting.timeout = 5s;
    f.names->addresses = {local(impostor.port()), local(server.port())};
    f.connect_by_name();
    f.run([](named_fixture& fx, scripted_server& bad, scripted_server& good) -> asio::awaitable<void> {
        co_await exchanges(fx, good, 2);
        bad.stop();
    }(f, impostor, server));
    CHECK(impostor.requests().empty());
    CHECK(impostor.connections() == 1);
    CHECK(server.requests().size() == 2);
}

TEST_CASE("requests that wait for a name share one question") {
    named_fixture f;
    scripted_server server(f.io.get_executor(),
                           [](std::size_t, const std::string&) { return reaction{answer(200, "{}")}; });
    f.names->addresses = {local(server.port())};
    f.connect_by_name();
    int done = 0;
    for (int i = 0; i < 10; ++i) {
        asio::co_spawn(
            f.world.executor,
            [](named_fixture& fx, scripted_server& peer, int& count) -> asio::awaitable<void> {
                const auto result = co_await exchange(*fx.pool, post("{}"), fx.in(5s));
                CHECK_FALSE(result.error);
                if (++count == 10) {
                    fx.pool->close();
                    peer.stop();
                }
            }(f, server, done),
            [](std::exception_ptr failure) {
                if (failure) std::rethrow_exception(failure);
            });
    }
    f.run();
    CHECK(done == 10);
    CHECK(f.names->asked == 1);
}

TEST_CASE("when the name service fails or falls silent the last good addresses serve on") {
    for (const bool silent : {false, true}) {
        named_fixture f;
        f.connecting.timeout = 400ms;
        scripted_server server(f.io.get_executor(), closing);
        f.names->addresses = {local(server.port())};
        f.connect_by_name();
        f.run([](named_fixture& fx, scripted_server& peer, bool quiet) -> asio::awaitable<void> {
            const auto before = co_await exchange(*fx.pool, post("{}"), fx.in(5s));
            CHECK_FALSE(before.error);
            fx.names->silent = quiet;
            fx.names->error = asio::error::host_not_found_try_again;
            // The answer is used for five seconds.
            co_await fx.world.clock->async_wait_until(fx.in(5100ms), as_result);
            const auto after = co_await exchange(*fx.pool, post("{}"), fx.in(5s));
            CHECK_FALSE(after.error);
            fx.source->close();
            peer.stop();
        }(f, server, silent));
        CHECK(f.names->asked == 2);
    }
}

TEST_CASE("a question that could not be asked for want of memory is asked again by the next") {
    named_fixture f;
    scripted_server server(f.io.get_executor(), closing);
    f.names->addresses = {local(server.port())};
    f.names->without_memory = true;
    f.connect_by_name();
    f.run([](named_fixture& fx, scripted_server& peer) -> asio::awaitable<void> {
        const auto first = co_await exchange(*fx.pool, post("{}"), fx.in(5s));
        CHECK(first.error == errc::unreachable);
        CHECK(fx.pool->problem() == "out of memory");
        co_await exchanges(fx, peer, 1);
    }(f, server));
    CHECK(f.names->asked == 2);
}

TEST_CASE("a name service that never answers is told apart from a server that does not") {
    named_fixture f;
    f.connecting.timeout = 100ms;
    f.names->silent = true;
    f.connect_by_name();
    f.run([](named_fixture& fx) -> asio::awaitable<void> {
        const auto result = co_await exchange(*fx.pool, post("{}"), fx.in(5s));
        CHECK(result.error == errc::unreachable);
        CHECK_THAT(fx.pool->problem(), Catch::Contains("no answer from the name service for db.example"));
    }(f));
}
