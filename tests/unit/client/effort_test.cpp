// How much a client does that gets nowhere: bounded by time and by the calls made, however many make them.
// SPDX-License-Identifier: BSL-1.0
#include "support/certificates.hpp"
#include "unit/client/fixture.hpp"

using namespace client_test;

namespace {

struct effort {
    std::size_t calls = 0;
    std::size_t callers = 0;  // at work
};

asio::awaitable<void> ask_until(client& on, clock::time_point end, std::size_t most, effort& spent) {
    ++spent.callers;
    const auto& clock = *on.environment().clock;
    for (std::size_t i = 0; i < most && clock.now() < end; ++i) {
        const auto got = co_await write_on(on);
        CHECK_FALSE(got.has_value());
        ++spent.calls;
    }
    --spent.callers;
}

/// So many ask, each again as soon as it is told no.
asio::awaitable<void> press(client& on, std::size_t callers, std::chrono::milliseconds time, std::size_t most,
                            effort& spent) {
    const auto end = on.environment().clock->now() + time;
    for (std::size_t i = 0; i < callers; ++i) {
        asio::co_spawn(on.get_executor(), ask_until(on, end, most, spent), [](std::exception_ptr failure) {
            if (failure) std::rethrow_exception(failure);
        });
    }
    while (spent.callers != 0) co_await asio::post(on.get_executor(), asio::use_awaitable);
}

constexpr std::size_t no_limit = 1'000'000;

}  // namespace

TEST_CASE("a server that lets nobody in is tried ten times a second, whether one call waits for it or a thousand") {
    for (const std::size_t callers : {1U, 100U, 1000U}) {
        const support::authority unknown;
        fixture f;
        f.options.log = {};
        f.server = std::make_unique<scripted_server>(
            f.io.get_executor(), [](std::size_t, const std::string&) { return reaction{}; },
            unknown.server_for("localhost"));
        f.options.endpoint = "https://localhost:" + std::to_string(f.server->port());
        effort spent;
        f.run([&](client& database) { return press(database, callers, 500ms, no_limit, spent); });
        INFO(callers << " callers, " << spent.calls << " calls");
        CHECK(f.server->connections() >= 2);
        // The addresses of localhost at first, then one in each tenth of a second; the last call may go on for a while.
        CHECK(f.server->connections() <= 64 + 2 * 10);
        CHECK(spent.calls <= callers * 2 * 10);
    }
}

TEST_CASE("a server that throttles everybody gets little more than a request for each call") {
    for (const std::size_t callers : {1U, 100U}) {
        fixture f;
        f.options.log = {};
        f.options.timeout = 100ms;
        f.serve([](std::size_t, const std::string&) { return refusal("ThrottlingException"); });
        effort spent;
        f.run([&](client& database) { return press(database, callers, 10s, 1000 / callers, spent); });
        CHECK(spent.calls == 1000);
        // The quota of a client: 500, and 5 for each retry.
        CHECK(f.server->requests().size() <= 1000 + 100);
    }
}

TEST_CASE("a server that never answers holds as many connections as there may be, each for an attempt's time") {
    fixture f;
    f.options.log = {};
    f.options.connections = 4;
    f.options.attempt_timeout = 50ms;
    f.options.timeout = 200ms;
    f.serve([](std::size_t, const std::string&) { return reaction{}; });
    effort spent;
    f.run([&](client& database) { return press(database, 100, 400ms, no_limit, spent); });
    CHECK(f.server->connections() <= 4 * (400 + 200) / 50 + 4);
    CHECK(f.server->requests().size() <= f.server->connections());
}
