// dynalease-local with a file, killed in the middle of writes: what it acknowledged is there when it is started again.
// SPDX-License-Identifier: BSL-1.0
#include "support/child_process.hpp"
#include "support/local_server.hpp"

#include <dynalease/client.hpp>
#include <dynalease/version.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <catch2/catch.hpp>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace {

namespace asio = boost::asio;
using namespace dynalease;

struct program {
    explicit program(const std::vector<std::string>& more) : process(command(more)) {
        const std::string greeting = support::read_line(process.output());
        const std::string_view words = "listening on ";
        REQUIRE(greeting.starts_with(words));
        endpoint = greeting.substr(words.size());
    }
    static std::vector<std::string> command(const std::vector<std::string>& more) {
        std::vector<std::string> all{DYNALEASE_LOCAL_PROGRAM};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }

    support::child_process process;
    std::string endpoint;
};

put_item_request put(int number) {
    put_item_request request;
    request.table_name = "numbers";
    request.new_item = {{"pk", std::to_string(number)}};
    return request;
}

/// Puts one number after another, by several tasks at a time, until the server is gone.
asio::awaitable<void> put_numbers(client& database, int first, int step, std::set<std::string>& acknowledged) {
    for (int number = first;; number += step) {
        put_item_request request = put(number);
        const std::string key = std::to_string(number);
        auto [error, answer] = co_await database.execute(std::move(request), asio::as_tuple(asio::deferred));
        if (error) co_return;
        acknowledged.insert(key);
    }
}

asio::awaitable<void> make_table(client& database) {
    create_table_request request;
    request.table_name = "numbers";
    request.key.hash.name = "pk";
    co_await database.execute(std::move(request));
}

asio::awaitable<std::set<std::string>> numbers_there(client& database) {
    std::set<std::string> keys;
    scan_request request;
    request.table_name = "numbers";
    const page_response page = co_await database.execute(std::move(request));
    for (const item& each : page.items) keys.insert(*find(each, "pk")->get_if<std::string>());
    co_return keys;
}

}  // namespace

TEST_CASE("a killed server with a file loses nothing that it acknowledged") {
    const auto file = std::filesystem::temp_directory_path() / ("kept_tables_" + std::to_string(::getpid()));
    const std::vector<std::string> arguments{"--port", "0", "--file", file};
    std::set<std::string> acknowledged;
    {
        std::optional<program> server(arguments);
        asio::io_context io;
        auto options = support::local_client_options(server->endpoint);
        options.attempts = 1;
        client database(io.get_executor(), options);
        asio::co_spawn(io, make_table(database), asio::detached);
        io.run();
        io.restart();
        constexpr int tasks = 4;
        for (int i = 0; i < tasks; ++i) {
            asio::co_spawn(io, put_numbers(database, i, tasks, acknowledged), asio::detached);
        }
        while (acknowledged.size() < 300 && io.run_one() != 0) continue;
        server.reset();  // kill -9
        io.run();
    }
    REQUIRE(acknowledged.size() >= 300);
    program again(arguments);
    asio::io_context io;
    client database(io.get_executor(), support::local_client_options(again.endpoint));
    auto there = asio::co_spawn(io, numbers_there(database), asio::use_future);
    io.run();
    const std::set<std::string> kept = there.get();
    CHECK(std::includes(kept.begin(), kept.end(), acknowledged.begin(), acknowledged.end()));
    CHECK(kept.size() <= acknowledged.size() + 4);
    std::filesystem::remove(file);
    std::filesystem::remove(file.string() + "-wal");
}

TEST_CASE("two servers that were asked for no port have one each") {
    const program one({});
    const program other({});
    CHECK(one.endpoint != other.endpoint);
}

TEST_CASE("the program tells its version") {
    support::child_process asked(program::command({"--version"}));
    CHECK(support::read_line(asked.output()) == "dynalease-local " + std::string(version));
}
