// Connections to a server with latency: requests that meet another one's transaction.
// SPDX-License-Identifier: BSL-1.0
#include "unit/local/http/http_peer.hpp"

#include <catch2/catch.hpp>

#include <functional>

namespace dynalease::local::test {

namespace {

const std::string put = signed_request("PutItem", R"({"TableName":"things","Item":{"pk":{"S":"a"}}})");
const std::string read =
    signed_request("TransactGetItems", R"({"TransactItems":[{"Get":{"TableName":"things","Key":{"pk":{"S":"a"}}}}]})");

std::string transaction(const std::string& token) {
    return signed_request("TransactWriteItems",
                          R"({"ClientRequestToken":")" + token +
                              R"(","TransactItems":[{"Put":{"TableName":"things","Item":{"pk":{"S":"a"}}}}]})");
}

/// Sends a transaction and, right behind it on another connection, what meets it. The server may see them in the other
/// order, which is as good as always another one in the next round.
bool meets(std::uint16_t port, const std::function<std::string(const std::string&)>& other, const std::string& answer) {
    constexpr int rounds = 10;
    peer first(port);
    peer second(port);
    for (int round = 0; round < rounds; ++round) {
        const std::string token = "t" + std::to_string(round);
        first.send(transaction(token));
        second.send(other(token));
        CHECK(first.receive().status == 200);
        if (second.receive().body.find(answer) != std::string::npos) return true;
    }
    return false;
}

}  // namespace

TEST_CASE("requests that meet a transaction on its way are refused, and pass after its answer") {
    server_options options;
    options.latency = std::chrono::milliseconds(50);
    running_server server(std::move(options));
    peer client(server.port());
    REQUIRE(client.ask(signed_request("CreateTable", create_things)).status == 200);
    CHECK(meets(server.port(), [](const auto&) { return put; }, "#TransactionConflictException"));
    CHECK(meets(
        server.port(), [](const auto&) { return read; },
        R"("CancellationReasons":[{"Code":"TransactionConflict","Message")"));
    CHECK(
        meets(server.port(), [](const auto& token) { return transaction(token); }, "#TransactionInProgressException"));
    CHECK(client.ask(put).status == 200);
    CHECK(client.ask(read).status == 200);
}

TEST_CASE("a server can be told to throttle and to fail") {
    server_options options;
    options.faults.throttled = 1;
    running_server server(options);
    peer peer(server.port());
    CHECK(peer.ask(signed_request("CreateTable", create_things)).status == 200);
    const auto get = signed_request("GetItem", R"({"TableName":"things","Key":{"pk":{"S":"a"}}})");
    const auto throttled = peer.ask(get);
    CHECK(throttled.status == 400);
    CHECK_THAT(throttled.body, Catch::Contains("#ProvisionedThroughputExceededException"));
    options.faults = {.failed = 1};
    running_server failing(options);
    test::peer other(failing.port());
    CHECK(other.ask(signed_request("CreateTable", create_things)).status == 200);
    CHECK(other.ask(get).status == 500);
}

}  // namespace dynalease::local::test
