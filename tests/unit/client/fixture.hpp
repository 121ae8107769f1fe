// A client against a scripted peer on one loop, which must run dry at the end.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support/scripted_server.hpp"

#include <dynalease/client.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <catch2/catch.hpp>

#include <cstddef>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace client_test {

namespace asio = boost::asio;
using namespace dynalease;
using namespace std::chrono_literals;
using support::answer;
using support::reaction;
using support::scripted_server;

inline const std::string table_missing =
    R"({"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException","message":"Requested resource not found"})";

/// To be completed by the number of the request: no two answers of the service bear the same id.
inline const std::string request_id_line = "x-amzn-RequestId: R\r\n";

/// An error as the service writes it.
inline reaction refusal(const std::string& name, const std::string& message = "no", unsigned status = 400,
                        const std::string& headers = {}) {
    const auto body = R"({"__type":"com.amazonaws.dynamodb.v20120810#)" + name + R"(","message":")" + message + "\"}";
    return {answer(status, body, request_id_line + headers)};
}

inline get_item_request a_read() {
    get_item_request request;
    request.table_name = "locks";
    request.key.emplace("pk", "account/42");
    return request;
}

inline update_item_request a_write() {
    update_item_request request;
    request.table_name = "locks";
    request.key.emplace("pk", "account/42");
    request.update_expression = "SET a = :a";
    request.values.emplace(":a", "private");
    return request;
}

// Requests are named before they are awaited: GCC 12 destroys a temporary aggregate in such an expression twice.

inline auto read_on(const database& where, call_options how = {}) {
    auto request = a_read();
    return where.call(std::move(request), how);
}

inline auto write_on(const database& where, call_options how = {}) {
    auto request = a_write();
    return where.call(std::move(request), how);
}

inline std::size_t open_files() {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

struct fixture {
    asio::io_context io{1};
    client_options options{};
    std::unique_ptr<scripted_server> server;
    std::vector<std::string> log;

    fixture() {
        options.region = "eu-central-1";
        options.credentials = credentials{"AKIDEXAMPLE", "a-secret-key"};
        options.log = [this](severity, std::string_view line) { log.emplace_back(line); };
    }
    ~fixture() {
        server.reset();
        io.restart();
        io.run_for(10s);
        CHECK(io.stopped());
    }

    void serve(scripted_server::script script) {
        auto numbered = [script = std::move(script)](std::size_t number, const std::string& request) {
            auto what = script(number, request);
            if (const auto at = what.bytes.find(request_id_line); at != std::string::npos) {
                what.bytes.insert(at + request_id_line.size() - 2, std::to_string(number + 1));
            }
            return what;
        };
        server = std::make_unique<scripted_server>(io.get_executor(), std::move(numbered));
        options.endpoint = "http://127.0.0.1:" + std::to_string(server->port());
    }

    /// Runs `body` with a client, closes the client, and requires that nothing is left to do.
    void run(const std::function<asio::awaitable<void>(client&)>& body) {
        client database(io.get_executor(), options);
        asio::co_spawn(database.get_executor(), close_after(database, server.get(), body),
                       [](std::exception_ptr failure) {
                           if (failure) std::rethrow_exception(failure);
                       });
        io.restart();
        io.run_for(20s);
        REQUIRE(io.stopped());
    }

    /// The failure of one call.
    template <class Request>
    failure fail(Request request, call_options how = {}) {
        failure seen;
        run([&](client& database) { return expect_failure(database, request, how, seen); });
        return seen;
    }

private:
    static asio::awaitable<void> close_after(client& database, scripted_server* peer,
                                             const std::function<asio::awaitable<void>(client&)>& body) {
        co_await body(database);
        database.close();
        if (peer != nullptr) peer->stop();
    }

    template <class Request>
    static asio::awaitable<void> expect_failure(client& database, Request request, call_options how, failure& into) {
        auto answer = co_await database.call(std::move(request), how);
        REQUIRE_FALSE(answer.has_value());
        into = std::move(answer).error();
    }
};

}  // namespace client_test
