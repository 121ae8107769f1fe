// The server of examples/asio_http_server.cpp lives through an outage of its DynamoDB that ends its session: it refuses
// meanwhile, goes on after it, and ends cleanly at any time.
// SPDX-License-Identifier: BSL-1.0
#include "support/child_process.hpp"
#include "support/local_server.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <catch2/catch.hpp>

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

/// A program that tells where it listens.
struct program {
    explicit program(const std::vector<std::string>& command) : process(command) {
        const std::string greeting = support::read_line(process.output());
        const std::string_view words = "listening on ";
        REQUIRE(greeting.starts_with(words));
        endpoint = greeting.substr(words.size());
    }
    std::string port() const { return endpoint.substr(endpoint.rfind(':') + 1); }
    int interrupt() {
        ::kill(process.id(), SIGINT);
        return process.wait();
    }

    support::child_process process;
    std::string endpoint;
};

struct answer {
    unsigned status;
    std::string body;
};

answer post(const std::string& port, const std::string& target) {
    asio::io_context io;
    boost::beast::tcp_stream stream(io);
    asio::ip::tcp::resolver resolver(io);
    stream.connect(resolver.resolve("127.0.0.1", port));
    http::request<http::string_body> asked{http::verb::post, target, 11};
    asked.set(http::field::host, "localhost");
    asked.keep_alive(false);
    http::write(stream, asked);
    boost::beast::flat_buffer buffer;
    http::response<http::string_body> reply;
    http::read(stream, buffer, reply);
    return {reply.result_int(), reply.body()};
}

/// The store in a process of its own, which can be killed and begun again, and the server in front of it.
struct bank {
    bank() {
        store.emplace(store_command("0"));
        ::setenv("AWS_ENDPOINT_URL", store->endpoint.c_str(), 1);
        ::setenv("AWS_REGION", "us-east-1", 1);
        ::setenv("AWS_ACCESS_KEY_ID", "local", 1);
        ::setenv("AWS_SECRET_ACCESS_KEY", "local", 1);
        server.emplace(std::vector<std::string>{DYNALEASE_HTTP_SERVER, "--port", "0"});
    }
    ~bank() {
        server.reset();
        store.reset();
        for (const auto* end : {"", "-wal", "-shm"}) std::filesystem::remove(file.string() + end);
    }
    std::vector<std::string> store_command(std::string port) const {
        return {DYNALEASE_LOCAL_PROGRAM, "--port", std::move(port), "--file", file};
    }
    answer deposit() const { return post(server->port(), "/accounts/alice/deposit/1"); }
    void fail() {
        store_port = store->port();
        store.reset();  // kill -9
    }
    void mend() { store.emplace(store_command(store_port)); }

    const std::filesystem::path file =
        std::filesystem::temp_directory_path() / ("http_outage_" + std::to_string(::getpid()));
    std::string store_port;
    std::optional<program> store;
    std::optional<program> server;
};

constexpr auto lease = 10s;  // as the server has it, by default

}  // namespace

TEST_CASE("a server refuses during an outage that is longer than its lease, and goes on within one after it") {
    bank in;
    REQUIRE(in.deposit().status == 200);
    in.fail();
    for (const auto began = steady::now(); steady::now() - began < lease + 4s;) {
        CHECK(in.deposit().status == 503);
        std::this_thread::sleep_for(200ms);
    }
    in.mend();
    const auto mended = steady::now();
    answer last{};
    while (last.status != 200 && steady::now() - mended < lease) last = in.deposit();
    CHECK(last.status == 200);
    CHECK(last.body == "2\n");
    CHECK(in.deposit().body == "3\n");
    CHECK(in.server->interrupt() == 0);
}

TEST_CASE("a server that is interrupted in an outage ends by itself, and well") {
    bank in;
    REQUIRE(in.deposit().status == 200);
    in.fail();
    CHECK(in.deposit().status == 503);
    const auto told = steady::now();
    CHECK(in.server->interrupt() == 0);
    CHECK(steady::now() - told < 7s);  // the five of close, and what the last answers are given
}
