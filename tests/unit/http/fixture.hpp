// A pool against a scripted peer on one loop, which must run dry at the end.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "http/pool.hpp"
#include "http/tls.hpp"
#include "support/scripted_server.hpp"

#include <dynalease/runtime/environment.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <catch2/catch.hpp>

#include <exception>
#include <memory>
#include <string>
#include <utility>

namespace http_test {

namespace asio = boost::asio;
namespace http = dynalease::http;
using dynalease::errc;
using dynalease::error_code;
using namespace std::chrono_literals;
constexpr auto as_result = asio::as_tuple(asio::use_awaitable);

struct fixture {
    asio::io_context io{1};
    dynalease::environment world = dynalease::environment::system(io.get_executor());
    std::shared_ptr<http::deadlines> timing = std::make_shared<http::deadlines>(world);
    http::pool_policy::limits limits{};
    http::connector_options connecting{};
    std::shared_ptr<http::connector> source;
    std::shared_ptr<http::pool> pool;

    void connect_to(std::uint16_t port, std::string host = "127.0.0.1") {
        connecting.server.secure = connecting.tls != nullptr;
        connecting.server.host = std::move(host);
        connecting.server.port = port;
        source = std::make_shared<http::connector>(world, timing, connecting);
        pool = std::make_shared<http::pool>(world, timing, source, limits);
    }

    dynalease::clock::time_point in(dynalease::clock::duration time) const { return world.clock->now() + time; }

    /// Runs until nothing is left to do, and fails if that takes longer than anything here should.
    void run() {
        io.restart();
        io.run_for(20s);
        REQUIRE(io.stopped());
    }
    void run(asio::awaitable<void> body) {
        asio::co_spawn(world.executor, std::move(body), [](std::exception_ptr failure) {
            if (failure) std::rethrow_exception(failure);
        });
        run();
    }

    ~fixture() {
        if (pool) pool->close();
        if (source) source->close();
        io.restart();
        io.run_for(5s);
        CHECK(io.stopped());
    }
};

/// A whole request with this body.
inline std::string post(std::string_view body) {
    return "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
           std::string(body);
}

struct done {
    error_code error;
    bool wrote = false;
    unsigned status = 0;
    std::string body{};
};

/// Makes one exchange on a connection that it takes, and another where one had died unseen, as the client does.
inline asio::awaitable<done> exchange(http::pool& pool, std::string request, dynalease::clock::time_point until) {
    for (;;) {
        auto held = pool.try_take();
        if (!held) {
            auto [error, taken] = co_await pool.take(until, as_result);
            if (error) co_return done{error};
            held = std::move(taken);
        }
        held->request() = request;
        const auto [error] = co_await held->exchange(until, as_result);
        if (error == errc::server_error && !held->wrote() && held->reused()) continue;
        done result{error, held->wrote(), held->answer().status(), std::string(held->answer().body())};
        co_return result;
    }
}

}  // namespace http_test
