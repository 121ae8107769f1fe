// What a client leaves behind: no file, no handler, no coroutine, whenever it is closed.
// SPDX-License-Identifier: BSL-1.0
#include "unit/client/fixture.hpp"

#include <boost/asio/detached.hpp>

using namespace client_test;

namespace {

/// Calls that are counted when they begin, when they answer, and when their coroutine is gone.
struct tally {
    std::size_t begun = 0;
    std::size_t answered = 0;
    std::shared_ptr<int> alive = std::make_shared<int>();

    long coroutines() const { return alive.use_count() - 1; }
};

asio::awaitable<void> counted_call(database on, tally& count, std::shared_ptr<int>) {
    const auto got = co_await write_on(on);
    static_cast<void>(got);
    ++count.answered;
}

void begin_calls(client& on, tally& count, std::size_t number) {
    for (std::size_t i = 0; i < number; ++i) {
        ++count.begun;
        asio::co_spawn(on.get_executor(), counted_call(on, count, count.alive), asio::detached);
    }
}

}  // namespace

TEST_CASE("closed after any number of steps: every call is answered once, and nothing stays open") {
    const auto files = open_files();
    tally count;
    for (std::size_t steps = 0; steps < 120; steps += 3) {
        asio::io_context io{1};
        auto server = std::make_unique<scripted_server>(io.get_executor(), [](std::size_t number, const std::string&) {
            if (number % 3 == 0) return reaction{"", true};
            return number % 3 == 1 ? reaction{} : reaction{answer(200, "{}")};
        });
        client_options options;
        options.region = "eu-central-1";
        options.endpoint = "http://127.0.0.1:" + std::to_string(server->port());
        options.credentials = credentials{"key", "secret"};
        options.connections = 3;
        {
            client database(io.get_executor(), options);
            begin_calls(database, count, 10);
            for (std::size_t i = 0; i < steps; ++i) io.poll_one();
            database.close();
            server->stop();
            io.restart();
            io.run_for(10s);
            CHECK(io.stopped());
            CHECK(count.answered == count.begun);
            CHECK(database.counters().connections_open == 0);
        }
        CHECK(count.coroutines() == 0);
    }
    CHECK(open_files() <= files);
}

TEST_CASE("a loop destroyed in the middle leaves no coroutine and no file") {
    const auto files = open_files();
    tally count;
    for (std::size_t steps = 0; steps < 60; steps += 4) {
        asio::io_context io{1};
        scripted_server server(io.get_executor(), [](std::size_t, const std::string&) { return reaction{}; });
        client_options options;
        options.region = "eu-central-1";
        options.endpoint = "http://127.0.0.1:" + std::to_string(server.port());
        options.credentials = credentials{"key", "secret"};
        client database(io.get_executor(), options);
        begin_calls(database, count, 5);
        for (std::size_t i = 0; i < steps; ++i) io.poll_one();
    }
    CHECK(count.coroutines() == 0);
    CHECK(open_files() <= files);
}

TEST_CASE("connections that fell silent are closed while heartbeats go on") {
    fixture f;
    f.options.idle_limit = 1s;
    f.serve([](std::size_t, const std::string&) { return reaction{answer(200, "{}")}; });
    f.run([](client& database) -> asio::awaitable<void> {
        const auto read = co_await read_on(database);
        CHECK(read.has_value());
        call_options beat;
        beat.lane = lane::heartbeat;
        const auto& clock = database.environment().clock;
        const auto end = clock->now() + 1200ms;
        while (clock->now() < end) {
            const auto got = co_await write_on(database, beat);
            CHECK(got.has_value());
        }
        CHECK(database.counters().connections_open == 1);
    });
}

TEST_CASE("connections that a burst has opened are closed while one of them is used on") {
    fixture f;
    f.options.connections = 8;
    f.options.idle_limit = 1s;
    f.serve([](std::size_t, const std::string&) { return reaction{answer(200, "{}")}; });
    f.run([](client& database) -> asio::awaitable<void> {
        tally count;
        begin_calls(database, count, 8);
        while (count.answered != 8) co_await asio::post(database.get_executor(), asio::use_awaitable);
        const auto after_burst = database.counters().connections_open;
        CHECK(after_burst > 1);
        const auto& clock = database.environment().clock;
        const auto end = clock->now() + 1200ms;
        while (clock->now() < end) {
            const auto got = co_await write_on(database);
            CHECK(got.has_value());
        }
        CHECK(database.counters().connections_open == 1);
    });
}
