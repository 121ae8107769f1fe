// The server's HTTP: what every answer carries, kept connections, and peers that misbehave.
// SPDX-License-Identifier: BSL-1.0
#include "unit/local/http/http_peer.hpp"

#include <dynalease/runtime/environment.hpp>

#include <zlib.h>
#include <catch2/catch.hpp>

#include <atomic>
#include <memory>
#include <vector>

namespace dynalease::local::test {

namespace {

std::string put(const std::string& key, const std::string& more = "") {
    return signed_request("PutItem", R"({"TableName":"things","Item":{"pk":{"S":")" + key + "\"}" + more + "}}");
}

std::string get(const std::string& key) {
    return signed_request("GetItem", R"({"TableName":"things","Key":{"pk":{"S":")" + key + "\"}}}");
}

std::string checksum(const std::string& body) {
    return std::to_string(crc32_z(0, reinterpret_cast<const Bytef*>(body.data()), body.size()));
}

}  // namespace

TEST_CASE("an answer carries what DynamoDB's answers carry") {
    running_server server;
    peer peer(server.port());
    const auto answer = peer.ask(signed_request("CreateTable", create_things));
    CHECK(answer.status == 200);
    CHECK_THAT(answer.head, Catch::StartsWith("HTTP/1.1 200 OK\r\n"));
    CHECK(answer.header("Content-Type") == "application/x-amz-json-1.0");
    CHECK(answer.header("x-amz-crc32") == checksum(answer.body));
    CHECK(answer.header("Server") == "Server");
    CHECK(answer.header("Connection") == "keep-alive");
    CHECK_THAT(answer.header("Date"), Catch::Matches("(Mon|Tue|Wed|Thu|Fri|Sat|Sun), [0-9]{2} [A-Z][a-z]{2} [0-9]{4} "
                                                     "[0-9]{2}:[0-9]{2}:[0-9]{2} GMT"));
    CHECK_THAT(answer.header("x-amzn-RequestId"), Catch::Matches("[0-9A-Z]{52}"));
    CHECK(peer.ask(signed_request("ListTables", "{}")).header("x-amzn-RequestId") != answer.header("x-amzn-RequestId"));
}

TEST_CASE("a kept connection serves one request after another, and several sent at once in order") {
    running_server server;
    peer peer(server.port());
    REQUIRE(peer.ask(signed_request("CreateTable", create_things)).status == 200);
    for (int i = 0; i < 20; ++i) CHECK(peer.ask(put("k" + std::to_string(i))).status == 200);
    std::string together;
    for (int i = 0; i < 20; ++i) together += get("k" + std::to_string(i));
    peer.send(together);
    for (int i = 0; i < 20; ++i) {
        CHECK(peer.receive().body == R"({"Item":{"pk":{"S":"k)" + std::to_string(i) + "\"}}}");
    }
}

TEST_CASE("a request may come byte by byte") {
    running_server server;
    peer peer(server.port());
    for (const char byte : signed_request("ListTables", "{}")) peer.send(std::string_view(&byte, 1));
    CHECK(peer.receive().status == 200);
}

TEST_CASE("a peer that asks to close gets its answer first") {
    running_server server;
    peer peer(server.port());
    const auto answer = peer.ask("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    CHECK(answer.status == 200);
    CHECK(answer.header("Connection") == "close");
    CHECK(peer.is_closed());
}

TEST_CASE("health and strangers") {
    running_server server;
    peer peer(server.port());
    const auto health = peer.ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    CHECK(health.status == 200);
    CHECK_THAT(health.body, Catch::StartsWith("healthy"));
    CHECK(peer.ask("GET /elsewhere HTTP/1.1\r\nHost: x\r\n\r\n").status == 404);
    CHECK(
        peer.ask(
                "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-amz-json-1.1\r\nContent-Length: 2\r\n\r\n{}")
            .status == 404);
    CHECK(peer.ask("DELETE / HTTP/1.1\r\nHost: x\r\n\r\n").status == 404);
    CHECK(peer.ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n").status == 200);
}

TEST_CASE("HEAD is answered as GET is, without the body") {
    running_server server;
    peer peer(server.port());
    peer.send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\nHEAD /elsewhere HTTP/1.1\r\nHost: x\r\n\r\n");
    const auto health = peer.receive_head();
    CHECK(health.status == 200);
    CHECK(health.header("Content-Length") == std::to_string(std::string("healthy: x ").size()));
    CHECK(peer.receive_head().status == 404);
    CHECK(peer.ask(signed_request("ListTables", "{}")).status == 200);
}

TEST_CASE("a peer that waits with its body is told to go on, once, and only while it waits") {
    running_server server;
    peer peer(server.port());
    REQUIRE(peer.ask(signed_request("CreateTable", create_things)).status == 200);
    std::string request = put("a");
    request.insert(request.find("\r\n") + 2, "expect: 100-Continue\r\n");
    const auto body = request.find("\r\n\r\n") + 4;
    peer.send(request.substr(0, body));
    CHECK(peer.receive_head().status == 100);
    peer.send(request.substr(body, 5));
    CHECK(peer.ask(request.substr(body + 5)).status == 200);
    CHECK(peer.ask(request).status == 200);
}

TEST_CASE("requests that are not DynamoDB's are refused by name, and the connection goes on") {
    running_server server;
    peer peer(server.port());
    const std::vector<std::pair<std::string, const char*>> rows{
        {signed_request("StrangeOperation", "{}"), "UnknownOperationException"},
        {signed_request("PutItem", "null"), "SerializationException"},
        {signed_request("PutItem", "{\"TableName\":"), "SerializationException"},
        {signed_request("PutItem", std::string(100'000, '[')), "SerializationException"},
        {signed_request("PutItem", "\xff\xfe"), "SerializationException"},
        {signed_request("GetItem", R"({"TableName":7,"Key":{}})"), "SerializationException"},
        {signed_request("DescribeTable", R"({"TableName":"nowhere"})"), "ResourceNotFoundException"},
        {put("x", R"(,"n":{"N":"1.0e100000000"})"), "ValidationException"},
    };
    for (const auto& [request, name] : rows) {
        const auto answer = peer.ask(request);
        CHECK(answer.status == 400);
        CHECK_THAT(answer.body, Catch::Contains("#" + std::string(name) + "\""));
        CHECK(answer.header("x-amz-crc32") == checksum(answer.body));
    }
}

TEST_CASE("bytes that are no HTTP are answered with 400 and the connection is closed") {
    running_server server;
    for (const std::string& garbage :
         {std::string("\x16\x03\x01\x02garbage\r\n\r\n"), std::string("POST / HTTP/1.1\r\nHost: x\r\nNo colon\r\n\r\n"),
          std::string("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: many\r\n\r\n"),
          std::string("POST / HTTP/1.1\r\nHost: x\r\nX: a\r\n folded\r\n\r\n")}) {
        peer peer(server.port());
        const auto answer = peer.ask(garbage);
        CHECK(answer.status == 400);
        CHECK(peer.is_closed());
    }
    peer peer(server.port());
    CHECK(peer.ask("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n").status == 411);
    CHECK(test::peer(server.port()).ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n").status == 200);
}

TEST_CASE("a body in another coding than chunked has no end that is known, and nothing behind it is read") {
    running_server server;
    for (const char* coding : {"gzip", "identity", "xchunked", "chunked, gzip"}) {
        peer peer(server.port());
        peer.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: " + std::string(coding) +
                  "\r\n\r\nGET / HTTP/1.1\r\nHost: smuggled\r\n\r\n");
        CHECK(peer.receive().status == 400);
        CHECK(peer.is_closed());
    }
}

TEST_CASE("a request says once which host it is for, unless it is of HTTP/1.0") {
    running_server server;
    CHECK(peer(server.port()).ask("GET / HTTP/1.1\r\n\r\n").status == 400);
    CHECK(peer(server.port()).ask("GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n").status == 400);
    CHECK(peer(server.port()).ask("GET / HTTP/1.0\r\n\r\n").status == 200);
}

namespace {

/// The system's, put forward at will.
class advanced_clock final : public dynalease::clock {
public:
    explicit advanced_clock(std::shared_ptr<dynalease::clock> real) : real_(std::move(real)) {}

    void advance(duration by) { ahead_.fetch_add(by.count()); }

    time_point now() const noexcept override { return real_->now() + duration(ahead_.load()); }
    wall_time wall() const noexcept override { return real_->wall(); }

private:
    void wait_until(time_point when, wait_handler handler) override {
        real_->async_wait_until(when - duration(ahead_.load()), std::move(handler));
    }

    std::shared_ptr<dynalease::clock> real_;
    std::atomic<duration::rep> ahead_ = 0;
};

}  // namespace

TEST_CASE("who is silent for two minutes gives way to whoever comes") {
    boost::asio::io_context timers;
    const auto clock = std::make_shared<advanced_clock>(environment::system(timers.get_executor()).clock);
    server_options options;
    options.clock = clock;
    running_server server(std::move(options));
    peer silent(server.port());
    peer half(server.port());
    half.send("POST / HTTP/1.1\r\nHost: x\r\n");
    peer busy(server.port());
    REQUIRE(busy.ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n").status == 200);
    clock->advance(std::chrono::seconds(119));
    REQUIRE(busy.ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n").status == 200);
    REQUIRE(peer(server.port()).ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n").status == 200);
    clock->advance(std::chrono::seconds(2));
    CHECK(peer(server.port()).ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n").status == 200);
    CHECK(silent.is_closed());
    CHECK(half.is_closed());
    CHECK(busy.ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n").status == 200);
}

TEST_CASE("what is too large is refused before it is read") {
    running_server server;
    peer body(server.port());
    CHECK(body.ask("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 16777217\r\n\r\n").status == 413);
    CHECK(body.is_closed());
    peer head(server.port());
    CHECK(head.ask("POST / HTTP/1.1\r\nHost: x\r\nX-Long: " + std::string(17'000, 'x') + "\r\n\r\n").status == 400);
}

TEST_CASE("a large item passes whole") {
    running_server server;
    peer peer(server.port());
    REQUIRE(peer.ask(signed_request("CreateTable", create_things)).status == 200);
    const std::string value(390'000, 'x');
    REQUIRE(peer.ask(put("big", R"(,"v":{"S":")" + value + "\"}")).status == 200);
    const auto answer = peer.ask(get("big"));
    CHECK_THAT(answer.body, Catch::Contains(value));
    CHECK(answer.header("x-amz-crc32") == checksum(answer.body));
}

TEST_CASE("a peer that vanishes in the middle harms nobody") {
    running_server server;
    {
        peer(server.port()).send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nhalf");
    }
    {
        peer(server.port()).send("POST / HT");
    }
    CHECK(peer(server.port()).ask(signed_request("ListTables", "{}")).status == 200);
}

TEST_CASE("stopping closes every connection, in whatever state") {
    server_options options;
    options.latency = std::chrono::seconds(60);
    running_server server(std::move(options));
    peer idle(server.port());
    peer half(server.port());
    half.send("POST / HTTP/1.1\r\n");
    peer waiting(server.port());
    waiting.send(signed_request("ListTables", "{}"));
    server.stop();
    CHECK(idle.is_closed());
    CHECK(half.is_closed());
    CHECK(waiting.is_closed());
}

TEST_CASE("an address in use is an error that names it") {
    running_server server;
    server_options options;
    options.port = server.port();
    boost::asio::io_context context;
    try {
        local::server second(context.get_executor(), options);
        FAIL("two servers on one port");
    } catch (const error& failure) {
        CHECK_THAT(failure.diagnostics().message, Catch::Contains("127.0.0.1:" + std::to_string(options.port)));
    }
}

}  // namespace dynalease::local::test
