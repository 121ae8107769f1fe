// The end of a client leaves nothing behind.
// SPDX-License-Identifier: BSL-1.0
#include "unit/client/fixture.hpp"

#include <algorithm>

using namespace client_test;

TEST_CASE("closing answers every call under way exactly once, and later ones too") {
    fixture f;
    f.options.connections = 2;
    int answered = 0;
    f.serve([](std::size_t, const std::string&) { return reaction{}; });
    f.run([&](client& database) -> asio::awaitable<void> {
        return [](client& on, scripted_server& peer, int& count) -> asio::awaitable<void> {
            for (int i = 0; i < 50; ++i) {
                asio::co_spawn(
                    on.get_executor(),
                    [](client& shared, int& done) -> asio::awaitable<void> {
                        const auto got = co_await write_on(shared);
                        REQUIRE_FALSE(got.has_value());
                        const auto& why = got.error();
                        const bool in_doubt = why.code == errc::in_doubt && why.outcome == outcome::unknown;
                        const bool unsent = why.code == errc::shut_down && why.outcome == outcome::not_applied;
                        CHECK((in_doubt || unsent));
                        ++done;
                    }(on, count),
                    asio::detached);
            }
            while (peer.requests().size() < 2) co_await asio::post(on.get_executor(), asio::use_awaitable);
            on.close();
            on.close();
            const auto late = co_await write_on(on);
            CHECK(late.error().code == errc::shut_down);
            CHECK(late.error().outcome == outcome::not_applied);
        }(database, *f.server, answered);
    });
    CHECK(answered == 50);
}

TEST_CASE("closing ends the pause before a retry") {
    fixture f;
    f.options.timeout = 60s;
    f.serve([](std::size_t, const std::string&) {
        return refusal("ThrottlingException", "slow", 400, "x-amz-retry-after: 30000\r\n");
    });
    const auto begin = std::chrono::steady_clock::now();
    f.run([&](client& database) -> asio::awaitable<void> {
        return [](client& on, scripted_server& peer) -> asio::awaitable<void> {
            asio::co_spawn(
                on.get_executor(),
                [](client& shared) -> asio::awaitable<void> {
                    const auto got = co_await write_on(shared);
                    CHECK(got.error().code == errc::shut_down);
                }(on),
                asio::detached);
            while (on.counters().throttled == 0) co_await asio::post(on.get_executor(), asio::use_awaitable);
            peer.stop();
        }(database, *f.server);
    });
    CHECK(std::chrono::steady_clock::now() - begin < 4s);
}

TEST_CASE("a copy of the handle goes on without the client, and the last of them closes") {
    fixture f;
    f.serve([](std::size_t, const std::string&) { return reaction{answer(200, "{}")}; });
    std::unique_ptr<client> owner = std::make_unique<client>(f.io.get_executor(), f.options);
    auto copy = std::make_unique<database>(*owner);
    asio::co_spawn(
        copy->get_executor(),
        [](std::unique_ptr<database>& handle, std::unique_ptr<client>& whole,
           scripted_server& peer) -> asio::awaitable<void> {
            const auto before = co_await read_on(*handle);
            CHECK(before.has_value());
            whole.reset();
            const auto after = co_await read_on(*handle);
            CHECK(after.has_value());
            const std::weak_ptr<database_backend> last = handle->implementation();
            handle.reset();
            CHECK(last.expired());
            peer.stop();
        }(copy, owner, *f.server),
        asio::detached);
    f.io.run_for(10s);
    CHECK(f.io.stopped());
}

TEST_CASE("closing a client closes it for every copy of the handle") {
    fixture f;
    f.serve([](std::size_t, const std::string&) { return reaction{answer(200, "{}")}; });
    client owner(f.io.get_executor(), f.options);
    asio::co_spawn(
        owner.get_executor(),
        [](database handle, client& whole, scripted_server& peer) -> asio::awaitable<void> {
            const auto before = co_await read_on(handle);
            CHECK(before.has_value());
            whole.close();
            const auto after = co_await read_on(handle);
            CHECK(after.error().code == errc::shut_down);
            peer.stop();
        }(owner, owner, *f.server),
        asio::detached);
    f.io.run_for(10s);
    CHECK(f.io.stopped());
}

TEST_CASE("a client that another is moved into gives up what it was") {
    fixture f;
    f.serve([](std::size_t, const std::string&) { return reaction{answer(200, "{}")}; });
    client one(f.io.get_executor(), f.options);
    client two(f.io.get_executor(), f.options);
    const std::weak_ptr<database_backend> old = one.implementation();
    one = std::move(two);
    CHECK(old.expired());
    asio::co_spawn(
        one.get_executor(),
        [](client& present, scripted_server& peer) -> asio::awaitable<void> {
            const auto open = co_await present.execute(a_read());
            CHECK_FALSE(open.found);
            peer.stop();
        }(one, *f.server),
        [](std::exception_ptr failure) {
            if (failure) std::rethrow_exception(failure);
        });
    f.io.run_for(10s);
    CHECK(f.io.stopped());
}

namespace {

/// Four who write through a client, on a loop that is destroyed after so many steps.
/// @param alive kept by each of their coroutines
/// @returns what is behind the client, and how many requests had come by then
std::pair<std::weak_ptr<database_backend>, std::size_t> stop_after(int steps, const std::shared_ptr<int>& alive) {
    asio::io_context io{1};
    scripted_server server(io.get_executor(), [](std::size_t number, const std::string&) {
        return number % 2 == 0 ? reaction{"", true} : reaction{answer(200, "{}")};
    });
    client_options options;
    options.region = "eu-central-1";
    options.endpoint = "http://127.0.0.1:" + std::to_string(server.port());
    options.credentials = credentials{"key", "secret"};
    options.connections = 2;
    client database(io.get_executor(), options);
    for (int i = 0; i < 4; ++i) {
        asio::co_spawn(
            database.get_executor(),
            [](dynalease::database handle, std::shared_ptr<int>) -> asio::awaitable<void> {
                for (int round = 0; round < 2; ++round) co_await write_on(handle);
            }(database, alive),
            asio::detached);
    }
    for (int i = 0; i < steps; ++i) io.poll_one();
    return {database.implementation(), server.requests().size()};
}

}  // namespace

TEST_CASE("a loop destroyed at any step leaves no call, connection or memory behind") {
    const auto alive = std::make_shared<int>();
    const auto files = open_files();
    std::size_t most = 0;
    for (int steps = 0; steps < 80; ++steps) {
        const auto [backend, requests] = stop_after(steps, alive);
        most = std::max(most, requests);
        CHECK(backend.expired());
        CHECK(alive.use_count() == 1);
        CHECK(open_files() == files);
    }
    CHECK(most > 1);
}
