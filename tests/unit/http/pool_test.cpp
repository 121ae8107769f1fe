// The line before the pool, and connecting.
// SPDX-License-Identifier: BSL-1.0
#include "unit/http/fixture.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>

#include <vector>

using namespace http_test;
using support::answer;
using support::reaction;
using support::scripted_server;

namespace {

scripted_server::script fine() {
    return [](std::size_t, const std::string&) { return reaction{answer(200, "{}")}; };
}

/// A port at which nobody listens.
std::uint16_t dead_port(asio::io_context& io) {
    asio::ip::tcp::acceptor acceptor(io, {asio::ip::address_v4::loopback(), 0});
    return acceptor.local_endpoint().port();
}

}  // namespace

TEST_CASE("more requests than connections are served in the order they came") {
    fixture f;
    f.limits.connections = 2;
    scripted_server server(f.io.get_executor(), fine());
    f.connect_to(server.port());
    std::vector<int> order;
    int left = 100;
    for (int i = 0; i < 100; ++i) {
        asio::co_spawn(
            f.world.executor,
            [](fixture& fx, scripted_server& peer, std::vector<int>& log, int& pending,
               int number) -> asio::awaitable<void> {
                auto [error, held] = co_await fx.pool->take(fx.in(10s), as_result);
                REQUIRE_FALSE(error);
                log.push_back(number);
                held->request() = post("{}");
                const auto [failed] = co_await held->exchange(fx.in(5s), as_result);
                CHECK_FALSE(failed);
                held.give_back();
                if (--pending == 0) {
                    fx.pool->close();
                    peer.stop();
                }
            }(f, server, order, left, i),
            [](std::exception_ptr failure) {
                if (failure) std::rethrow_exception(failure);
            });
    }
    f.run();
    REQUIRE(order.size() == 100);
    CHECK(std::is_sorted(order.begin(), order.end()));
    CHECK(server.connections() == 2);
}

TEST_CASE("a full line refuses at once, a waiting request leaves at its deadline or when cancelled") {
    fixture f;
    f.limits.connections = 1;
    f.limits.waiting = 2;
    scripted_server server(f.io.get_executor(), fine());
    f.connect_to(server.port());
    f.run([](fixture& fx, scripted_server& peer) -> asio::awaitable<void> {
        auto [error, held] = co_await fx.pool->take(fx.in(5s), as_result);
        REQUIRE_FALSE(error);

        std::vector<error_code> seen(3);
        asio::cancellation_signal cancel;
        const auto note = [&](std::size_t at) {
            return asio::bind_executor(fx.world.executor, [&, at](error_code why, http::lease) { seen[at] = why; });
        };
        fx.pool->take(fx.in(30ms), note(0));
        fx.pool->take(fx.in(5s), asio::bind_cancellation_slot(cancel.slot(), note(1)));
        fx.pool->take(fx.in(5s), note(2));
        cancel.emit(asio::cancellation_type::total);
        CHECK(fx.pool->counters().waiting == 1);
        co_await fx.world.clock->async_wait_until(fx.in(60ms), as_result);
        CHECK(seen[0] == errc::timeout);
        CHECK(seen[1] == errc::cancelled);
        CHECK(seen[2] == errc::throttled);
        CHECK(fx.pool->counters().waiting == 0);
        held.give_back();
        CHECK(fx.pool->try_take());
        fx.pool->close();
        peer.stop();
    }(f, server));
}

TEST_CASE("where nobody listens the error names the address") {
    fixture f;
    f.connect_to(dead_port(f.io));
    f.run([](fixture& fx) -> asio::awaitable<void> {
        const auto result = co_await exchange(*fx.pool, post("{}"), fx.in(5s));
        CHECK(result.error == errc::unreachable);
        CHECK_FALSE(result.wrote);
        CHECK_THAT(fx.pool->problem(), Catch::Contains("127.0.0.1:"));
    }(f));
}

TEST_CASE("localhost is tried on all its addresses") {
    fixture f;
    scripted_server server(f.io.get_executor(), fine());
    f.connect_to(server.port(), "localhost");
    f.run([](fixture& fx, scripted_server& peer) -> asio::awaitable<void> {
        const auto result = co_await exchange(*fx.pool, post("{}"), fx.in(5s));
        CHECK_FALSE(result.error);
        fx.pool->close();
        peer.stop();
    }(f, server));
}

TEST_CASE("a name that does not resolve is unreachable, within the deadline") {
    fixture f;
    f.connect_to(443, "no-such-host.invalid");
    f.run([](fixture& fx) -> asio::awaitable<void> {
        const auto result = co_await exchange(*fx.pool, post("{}"), fx.in(5s));
        CHECK(result.error == errc::unreachable);
        CHECK_THAT(fx.pool->problem(), Catch::Contains("no-such-host.invalid"));
    }(f));
}

TEST_CASE("a peer that accepts and says nothing at the handshake is unreachable after the connect timeout") {
    fixture f;
    f.connecting.tls = http::make_tls_context({}).context;
    f.connecting.timeout = 40ms;
    scripted_server server(f.io.get_executor(), fine());  // waits for a plain request that never ends
    f.connect_to(server.port());
    f.run([](fixture& fx, scripted_server& peer) -> asio::awaitable<void> {
        const auto result = co_await exchange(*fx.pool, post("{}"), fx.in(5s));
        CHECK(result.error == errc::unreachable);
        CHECK_FALSE(result.wrote);
        peer.stop();
    }(f, server));
}

TEST_CASE("closing fails whoever waits and whoever is served, each once") {
    fixture f;
    f.limits.connections = 3;
    int shut_down = 0;
    scripted_server server(f.io.get_executor(), [&](std::size_t number, const std::string&) {
        if (number == 2) asio::post(f.world.executor, [&]() { f.pool->close(); });
        return reaction{};
    });
    f.connect_to(server.port());
    for (int i = 0; i < 20; ++i) {
        asio::co_spawn(
            f.world.executor,
            [](fixture& fx, scripted_server& peer, int& count) -> asio::awaitable<void> {
                const auto result = co_await exchange(*fx.pool, post("{}"), fx.in(10s));
                CHECK(result.error == errc::shut_down);
                if (++count == 20) peer.stop();
            }(f, server, shut_down),
            [](std::exception_ptr failure) {
                if (failure) std::rethrow_exception(failure);
            });
    }
    f.run();
    CHECK(shut_down == 20);
    CHECK_FALSE(f.pool->try_take());
}

TEST_CASE("after a failure to connect those who wait get connections again without anybody new to ask for one") {
    const bool one_comes_back = GENERATE(true, false);
    fixture f;
    f.limits.hold_off = 20ms;
    auto server = std::make_unique<scripted_server>(f.io.get_executor(), fine());
    f.connect_to(server->port());
    f.run([](fixture& fx, std::unique_ptr<scripted_server>& peer, bool back) -> asio::awaitable<void> {
        auto [error, held] = co_await fx.pool->take(fx.in(5s), as_result);
        REQUIRE_FALSE(error);
        const asio::ip::tcp::endpoint address{asio::ip::address_v4::loopback(), peer->port()};
        peer->stop();
        std::vector<http::lease> served;
        for (int i = 0; i < 3; ++i) {
            fx.pool->take(fx.in(5s), asio::bind_executor(fx.world.executor, [&](error_code why, http::lease taken) {
                              CHECK_FALSE(why);
                              served.push_back(std::move(taken));
                          }));
        }
        while (fx.pool->problem().empty()) co_await asio::post(fx.world.executor, asio::use_awaitable);
        asio::ip::tcp::acceptor again(fx.io, address);
        co_await fx.world.clock->async_wait_until(fx.in(30ms), as_result);
        if (back) held.give_back();
        while (served.size() < 3) co_await asio::post(fx.world.executor, asio::use_awaitable);
        served.clear();
    }(f, server, one_comes_back));
}

TEST_CASE("an idle connection keeps no memory of a huge request") {
    fixture f;
    scripted_server server(f.io.get_executor(), fine());
    f.connect_to(server.port());
    f.run([](fixture& fx, scripted_server& peer) -> asio::awaitable<void> {
        const auto result = co_await exchange(*fx.pool, post(std::string(1024 * 1024, 'x')), fx.in(5s));
        CHECK_FALSE(result.error);
        auto again = fx.pool->try_take();
        REQUIRE(again);
        CHECK(again->request().capacity() <= 64 * 1024);
        again.give_back();
        fx.pool->close();
        peer.stop();
    }(f, server));
}

TEST_CASE("idle connections do not keep the loop running") {
    fixture f;
    scripted_server server(f.io.get_executor(), fine());
    f.connect_to(server.port());
    const auto begin = std::chrono::steady_clock::now();
    f.run([](fixture& fx, scripted_server& peer) -> asio::awaitable<void> {
        const auto result = co_await exchange(*fx.pool, post("{}"), fx.in(5s));
        CHECK_FALSE(result.error);
        peer.stop();
    }(f, server));
    CHECK(f.pool->counters().open == 1);
    CHECK(std::chrono::steady_clock::now() - begin < 4s);
}
