// One request and one answer, well and badly behaved.
// SPDX-License-Identifier: BSL-1.0
#include "unit/http/fixture.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>

#include <algorithm>
#include <filesystem>

using namespace http_test;
using support::answer;
using support::reaction;
using support::scripted_server;

namespace {

/// What becomes of one request when the peer does this.
done one_exchange(const reaction& what, dynalease::clock::duration time = 5s) {
    fixture f;
    scripted_server server(f.io.get_executor(), [&](std::size_t, const std::string&) { return what; });
    f.connect_to(server.port());
    done result;
    f.run(
        [](fixture& fx, scripted_server& peer, done& into, dynalease::clock::duration limit) -> asio::awaitable<void> {
            auto seen = co_await exchange(*fx.pool, post("{}"), fx.in(limit));
            into = std::move(seen);
            fx.pool->close();
            peer.stop();
        }(f, server, result, time));
    return result;
}

}  // namespace

TEST_CASE("an answer of any framing comes through") {
    CHECK(one_exchange({answer(200, "{\"a\":1}")}).body == "{\"a\":1}");
    CHECK(one_exchange({answer(400, "no")}).status == 400);
    const auto chunked = one_exchange({"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"});
    CHECK(chunked.body == "abc");
    const auto to_the_end = one_exchange({"HTTP/1.1 200 OK\r\n\r\nabc", true});
    CHECK_FALSE(to_the_end.error);
    CHECK(to_the_end.body == "abc");
    const std::string large(17 * 1024 * 1024, 'x');
    CHECK(one_exchange({answer(200, large)}).body == large);
}

TEST_CASE("a bad answer has a name, and the request counts as sent") {
    struct bad {
        const char* what;
        reaction how;
        errc error;
    };
    const bad cases[] = {
        {"closes before it answers", {"", true}, errc::server_error},
        {"closes within the head", {"HTTP/1.1 200 OK\r\nConte", true}, errc::bad_response},
        {"closes within the body", {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{}", true}, errc::bad_response},
        {"closes within a chunk",
         {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", true},
         errc::bad_response},
        {"speaks another protocol", {"SSH-2.0-OpenSSH_9.2\r\n", false}, errc::bad_response},
        {"announces too much", {"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", false}, errc::bad_response},
    };
    for (const auto& one : cases) {
        INFO(one.what);
        const auto result = one_exchange(one.how);
        CHECK(result.error == one.error);
        CHECK(result.wrote);
    }
}

TEST_CASE("a peer that never answers, or never ends, is given up at the deadline") {
    for (const auto* bytes : {"", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab"}) {
        INFO("after: " << bytes);
        const auto begin = std::chrono::steady_clock::now();
        const auto result = one_exchange({bytes}, 40ms);
        CHECK(result.error == errc::timeout);
        CHECK(result.wrote);
        CHECK(std::chrono::steady_clock::now() - begin >= 39ms);
    }
}

TEST_CASE("connections are reused, unless the peer says that it closes") {
    fixture f;
    bool close_each = false;
    SECTION("kept") {}
    SECTION("closed") {
        close_each = true;
    }
    scripted_server server(f.io.get_executor(), [&](std::size_t, const std::string&) {
        return reaction{answer(200, "{}", close_each ? "Connection: close\r\n" : "")};
    });
    f.connect_to(server.port());
    f.run([](fixture& fx, scripted_server& peer) -> asio::awaitable<void> {
        for (int i = 0; i < 5; ++i) {
            const auto result = co_await exchange(*fx.pool, post("{}"), fx.in(5s));
            CHECK_FALSE(result.error);
        }
        fx.pool->close();
        peer.stop();
    }(f, server));
    CHECK(server.connections() == (close_each ? 5 : 1));
    CHECK(f.pool->counters().reused == (close_each ? 0 : 4));
}

TEST_CASE("bytes that nobody asked for end the connection, not the next request") {
    fixture f;
    scripted_server server(f.io.get_executor(), [](std::size_t number, const std::string&) {
        return reaction{answer(200, std::to_string(number)) + (number == 0 ? answer(200, "stray") : "")};
    });
    f.connect_to(server.port());
    f.run([](fixture& fx, scripted_server& peer) -> asio::awaitable<void> {
        for (int i = 0; i < 3; ++i) {
            const auto result = co_await exchange(*fx.pool, post("{}"), fx.in(5s));
            CHECK(result.body == std::to_string(i));
        }
        fx.pool->close();
        peer.stop();
    }(f, server));
    CHECK(server.connections() == 2);
}

TEST_CASE("a connection that the peer has closed meanwhile is not used") {
    fixture f;
    scripted_server server(f.io.get_executor(),
                           [](std::size_t, const std::string&) { return reaction{answer(200, "{}")}; });
    f.connect_to(server.port());
    f.run([](fixture& fx, scripted_server& peer) -> asio::awaitable<void> {
        co_await exchange(*fx.pool, post("{}"), fx.in(5s));
        peer.hang_up();
        const auto second = co_await exchange(*fx.pool, post("{}"), fx.in(5s));
        CHECK_FALSE(second.error);
        fx.pool->close();
        peer.stop();
    }(f, server));
    CHECK(server.connections() == 2);
}

TEST_CASE("cancellation of each type ends an exchange at once and closes its connection") {
    for (const auto type :
         {asio::cancellation_type::terminal, asio::cancellation_type::partial, asio::cancellation_type::total}) {
        fixture f;
        asio::cancellation_signal cancel;
        scripted_server server(f.io.get_executor(), [&](std::size_t, const std::string&) {
            asio::post(f.world.executor, [&]() { cancel.emit(type); });
            return reaction{};
        });
        f.connect_to(server.port());
        int called = 0;
        http::lease held;
        f.pool->take(f.in(5s), asio::bind_executor(f.world.executor, [&](error_code error, http::lease taken) {
                         REQUIRE_FALSE(error);
                         held = std::move(taken);
                         held->request() = post("{}");
                         held->exchange(f.in(5s), asio::bind_cancellation_slot(cancel.slot(), [&](error_code why) {
                                            ++called;
                                            CHECK(why == errc::cancelled);
                                            CHECK(held->wrote());
                                            CHECK_FALSE(held->reusable());
                                            held.give_back();
                                            server.stop();
                                        }));
                     }));
        f.run();
        CHECK(called == 1);
        CHECK(f.pool->counters().open == 0);
    }
}

namespace {

std::size_t open_files() {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

/// A pool with three in line for its one connection, on a loop that is destroyed after so many steps.
/// @param alive kept by each of their coroutines
/// @returns the pool, and how many requests had come by then
std::pair<std::weak_ptr<http::pool>, std::size_t> stop_after(int steps, const std::shared_ptr<int>& alive) {
    asio::io_context io{1};
    const auto world = dynalease::environment::system(io.get_executor());
    auto timing = std::make_shared<http::deadlines>(world);
    http::connector_options connecting;
    scripted_server server(io.get_executor(),
                           [](std::size_t, const std::string&) { return reaction{answer(200, "{}")}; });
    connecting.server = {false, "127.0.0.1", server.port()};
    auto source = std::make_shared<http::connector>(world, timing, connecting);
    http::pool_policy::limits limits;
    limits.connections = 1;
    auto pool = std::make_shared<http::pool>(world, timing, source, limits);
    for (int i = 0; i < 3; ++i) {
        asio::co_spawn(
            world.executor,
            [](std::shared_ptr<http::pool> shared, dynalease::environment w,
               std::shared_ptr<int>) -> asio::awaitable<void> {
                for (int round = 0; round < 3; ++round) {
                    co_await exchange(*shared, post("{}"), w.clock->now() + 5s);
                }
            }(pool, world, alive),
            [](std::exception_ptr) {});
    }
    for (int i = 0; i < steps; ++i) io.poll_one();
    return {pool, server.requests().size()};
}

}  // namespace

TEST_CASE("a loop that is destroyed in the middle leaves nothing behind") {
    const auto alive = std::make_shared<int>();
    const auto files = open_files();
    std::size_t most = 0;
    for (int steps = 0; steps < 60; ++steps) {
        const auto [pool, requests] = stop_after(steps, alive);
        most = std::max(most, requests);
        CHECK(pool.expired());
        CHECK(alive.use_count() == 1);
        CHECK(open_files() == files);
    }
    CHECK(most > 1);
}
