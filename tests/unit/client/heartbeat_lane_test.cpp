// Heartbeats do not wait behind ordinary requests, however many there are.
// SPDX-License-Identifier: BSL-1.0
#include "unit/client/fixture.hpp"

using namespace client_test;

namespace {

call_options beat() {
    call_options options;
    options.lane = lane::heartbeat;
    return options;
}

}  // namespace

TEST_CASE("a heartbeat overtakes ten thousand requests that wait") {
    fixture f;
    f.options.connections = 4;
    f.options.timeout = 15s;
    f.options.attempt_timeout = 15s;
    bool beaten = false;
    std::size_t ordinary_before = 0;
    // Ordinary requests are answered only when the heartbeat is through.
    f.serve([&](std::size_t, const std::string& request) {
        const bool ordinary = request.find("GetItem") != std::string::npos;
        if (ordinary && !beaten) ++ordinary_before;
        return ordinary && !beaten ? reaction{} : reaction{answer(200, "{}")};
    });
    int failed = 0;
    f.run([&](client& database) -> asio::awaitable<void> {
        return [](client& on, bool& done, int& lost) -> asio::awaitable<void> {
            for (int i = 0; i < 10'000; ++i) {
                asio::co_spawn(
                    on.get_executor(),
                    [](client& shared, int& count) -> asio::awaitable<void> {
                        const auto got = co_await read_on(shared);
                        if (!got) ++count;
                    }(on, lost),
                    asio::detached);
            }
            while (on.counters().requests_waiting < 9'000) co_await asio::post(on.get_executor(), asio::use_awaitable);
            for (int i = 0; i < 5; ++i) {
                const auto got = co_await write_on(on, beat());
                CHECK(got.has_value());
            }
            done = true;
            CHECK(on.counters().requests_waiting >= 9'000);
        }(database, beaten, failed);
    });
    CHECK(ordinary_before <= 4);
    CHECK(failed == 10'000);  // closed after the heartbeats: each got its answer, once
}

TEST_CASE("the heartbeats of many sessions travel side by side, however far the server is") {
    constexpr std::size_t sessions = 40;
    fixture f;
    f.serve([](std::size_t, const std::string&) { return reaction{}; });
    std::size_t answered = 0;
    std::size_t ended = 0;
    f.run([&](client& database) -> asio::awaitable<void> {
        return [](client& on, scripted_server& peer, std::size_t& good, std::size_t& all) -> asio::awaitable<void> {
            for (std::size_t i = 0; i < sessions; ++i) {
                asio::co_spawn(
                    on.get_executor(),
                    [](client& shared, std::size_t& well, std::size_t& count) -> asio::awaitable<void> {
                        auto how = beat();
                        how.attempts = 1;
                        const auto got = co_await write_on(shared, how);
                        if (got) ++well;
                        ++count;
                    }(on, good, all),
                    asio::detached);
            }
            // None is answered before all have been sent.
            while (peer.requests().size() < sessions && all == 0) {
                co_await asio::post(on.get_executor(), asio::use_awaitable);
            }
            peer.say(answer(200, "{}"));
            while (all < sessions) co_await asio::post(on.get_executor(), asio::use_awaitable);
        }(database, *f.server, answered, ended);
    });
    CHECK(answered == sessions);
}

TEST_CASE("when other calls have used the retry quota up, heartbeats are still tried again") {
    fixture f;
    f.options.attempts = 3;
    f.serve([](std::size_t, const std::string& request) {
        return request.find("GetItem") != std::string::npos ? refusal("InternalServerError", "oops", 500)
                                                            : reaction{"", true};
    });
    f.run([&](client& database) -> asio::awaitable<void> {
        return [](client& on, scripted_server& peer) -> asio::awaitable<void> {
            for (int i = 0; i < 40; ++i) co_await read_on(on);
            auto before = peer.requests().size();
            co_await read_on(on);
            CHECK(peer.requests().size() == before + 1);
            before = peer.requests().size();
            co_await write_on(on, beat());
            CHECK(peer.requests().size() == before + 3);
        }(database, *f.server);
    });
}
