// The system's resolver hangs: this program's own getaddrinfo, which stands in for the C library's.
// SPDX-License-Identifier: BSL-1.0
#include "unit/http/fixture.hpp"

#include <netdb.h>

#include <cstdlib>
#include <cstring>
#include <latch>

using namespace http_test;
using support::answer;
using support::reaction;
using support::scripted_server;

namespace {

std::latch gate{1};  // where the look-up waits

asio::awaitable<void> expect_no_answer(fixture& fx) {
    const auto result = co_await exchange(*fx.pool, post("{}"), fx.in(5s));
    CHECK(result.error == errc::unreachable);
    CHECK_THAT(fx.pool->problem(), Catch::Contains("no answer from the name service for hung.example"));
}

}  // namespace

extern "C" int getaddrinfo(const char* name, const char* port, const addrinfo* hints, addrinfo** found) {
    if (std::strcmp(name, "hung.example") != 0) return EAI_FAIL;
    gate.wait();
    // As the C library does with one block of memory, which freeaddrinfo takes back.
    struct block {
        addrinfo info{};
        sockaddr_in address{};
    };
    auto* const one = static_cast<block*>(std::calloc(1, sizeof(block)));
    one->address.sin_family = AF_INET;
    one->address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    one->address.sin_port = htons(static_cast<std::uint16_t>(std::stoul(port)));
    one->info.ai_family = AF_INET;
    one->info.ai_socktype = hints->ai_socktype;
    one->info.ai_addr = reinterpret_cast<sockaddr*>(&one->address);
    one->info.ai_addrlen = sizeof one->address;
    *found = &one->info;
    return 0;
}

TEST_CASE("a look-up that hangs holds neither the loop nor its end, and is of use when it ends at last") {
    {
        fixture f;
        f.connecting.timeout = 50ms;
        f.connect_to(443, "hung.example");
        f.run(expect_no_answer(f));
    }
    fixture f;
    f.connecting.timeout = 50ms;
    scripted_server server(f.io.get_executor(),
                           [](std::size_t, const std::string&) { return reaction{answer(200, "{}")}; });
    f.connect_to(server.port(), "hung.example");
    f.run([](fixture& fx, scripted_server& peer) -> asio::awaitable<void> {
        co_await expect_no_answer(fx);
        gate.count_down();
        const auto end = fx.in(10s);
        for (bool served = false; !served;) {
            REQUIRE(fx.world.clock->now() < end);
            const auto result = co_await exchange(*fx.pool, post("{}"), fx.in(5s));
            served = !result.error;
        }
        fx.pool->close();
        peer.stop();
    }(f, server));
}
