// The calls that were under way when a process forked are the parent's: its child sends none of them again.
// SPDX-License-Identifier: BSL-1.0
#include "unit/client/fixture.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

using namespace client_test;

TEST_CASE("in a forked child the calls of its parent end, and calls of its own are served") {
    asio::io_context io{1};
    asio::io_context serving{1};  // only the parent runs it
    scripted_server server(serving.get_executor(), [](std::size_t, const std::string& request) {
        if (request.find("GetItem") != std::string::npos) return reaction{answer(200, "{}")};
        const bool throttled = request.find("throttled") != std::string::npos;
        return throttled ? refusal("ThrottlingException", "slow", 400, "x-amz-retry-after: 500\r\n") : reaction{};
    });
    client_options options;
    options.region = "eu-central-1";
    options.endpoint = "http://127.0.0.1:" + std::to_string(server.port());
    options.credentials = credentials{"key", "secret"};
    options.connections = 2;
    client database(io.get_executor(), options);

    std::vector<failure> ends;
    const auto write = [&](const char* table) {
        asio::co_spawn(
            database.get_executor(),
            [](client& on, std::string where, std::vector<failure>& into) -> asio::awaitable<void> {
                auto request = a_write();
                request.table_name = std::move(where);
                auto done = co_await on.call(std::move(request));
                if (!done) into.push_back(std::move(done).error());
            }(database, table, ends),
            asio::detached);
    };
    const auto step = [&] {
        io.poll();
        serving.poll();
    };
    write("throttled");  // pauses before its next attempt
    while (database.counters().throttled == 0) step();
    for (int i = 0; i < 3; ++i) write("silent");  // two on the wire, one in line
    while (server.requests().size() < 3 || database.counters().requests_waiting == 0) step();
    const auto seen = server.requests().size();

    io.notify_fork(asio::io_context::fork_prepare);
    const auto id = ::fork();
    REQUIRE(id >= 0);
    if (id == 0) {
        io.notify_fork(asio::io_context::fork_child);
        bool served = false;
        asio::co_spawn(
            database.get_executor(),
            [](client& on, std::vector<failure>& others, bool& good) -> asio::awaitable<void> {
                while (others.size() < 4) co_await asio::post(on.get_executor(), asio::use_awaitable);
                const auto got = co_await read_on(on);
                good = got.has_value();
                on.close();
            }(database, ends, served),
            asio::detached);
        io.restart();
        io.run_for(10s);
        const auto count = [&](errc code) {
            return std::count_if(ends.begin(), ends.end(), [&](const auto& each) { return each.code == code; });
        };
        ::_exit(served && count(errc::in_doubt) == 2 && count(errc::shut_down) == 2 ? 0 : 1);
    }
    io.notify_fork(asio::io_context::fork_parent);
    int status = 0;
    while (::waitpid(id, &status, WNOHANG) == 0) {
        serving.restart();
        serving.poll();
    }
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(server.requests().size() == seen + 1);
    CHECK(ends.empty());
    server.stop();
    database.close();
    io.restart();
    io.run_for(10s);
    CHECK(ends.size() == 4);
}
