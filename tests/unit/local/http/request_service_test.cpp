// What the server says before it knows who asks: no operation, browsers of another origin, packed requests.
// SPDX-License-Identifier: BSL-1.0
#include "local/http/compression.hpp"
#include "unit/local/http/http_peer.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace dynalease::local::test {

namespace {

std::string request(const std::string& method, const std::string& headers, const std::string& body = "") {
    return method + " / HTTP/1.1\r\nHost: db.test\r\n" + headers + "Content-Length: " + std::to_string(body.size()) +
           "\r\n\r\n" + body;
}

/// The body of a put of one item, signed as it is sent.
std::string packed_put(const std::string& coding, const std::string& bytes) {
    std::string text = signed_request("PutItem", bytes);
    return text.insert(text.find("\r\n") + 2, "Content-Encoding: " + coding + "\r\n");
}

const std::string put_of_a = R"({"TableName":"things","Item":{"pk":{"S":"a"}}})";

}  // namespace

TEST_CASE("what asks for no operation is told so before it is asked who it is") {
    running_server server;
    peer peer(server.port());
    const std::string json = "Content-Type: application/json; charset=utf-8\r\n";
    const auto unknown = peer.ask(request("POST", json, "{}"));
    CHECK(unknown.status == 400);
    CHECK(unknown.body == R"({"__type":"com.amazon.coral.service#UnknownOperationException"})");
    CHECK(unknown.header("Content-Type") == "application/json");
    CHECK(peer.ask(request("POST", "")).body == unknown.body);
    CHECK(peer.ask(request("POST", json, "no JSON")).body ==
          R"({"__type":"com.amazon.coral.service#SerializationException"})");
    CHECK(peer.ask(request("POST", "X-Amz-Target: DynamoDB_20120810.ListTables\r\n")).body ==
          R"({"__type":"com.amazon.coral.service#MissingAuthenticationTokenException",)"
          R"("message":"Request is missing Authentication Token"})");
    CHECK(peer.ask(request("POST", "Content-Type: text/plain\r\n", "{}")).status == 404);
}

TEST_CASE("what only the service can do is told by its name") {
    running_server server;
    peer peer(server.port());
    const auto ask = [&](const std::string& target) {
        return peer.ask(
            request("POST", "Content-Type: application/x-amz-json-1.0\r\nX-Amz-Target: " + target + "\r\n", "{}"));
    };
    const auto streams = ask("DynamoDBStreams_20120810.ListStreams");
    CHECK(streams.status == 400);
    CHECK(streams.body == R"({"__type":"com.amazon.coral.service#UnknownOperationException",)"
                          R"("message":"DynamoDBStreams_20120810.ListStreams is not supported by this server"})");
    CHECK_THAT(ask("DynamoDB_20120810.ExecuteStatement").body, Catch::Contains("ExecuteStatement is not supported"));
    CHECK(ask("DynamoDB_20120810.ListTable").body ==
          R"({"__type":"com.amazon.coral.service#UnknownOperationException"})");
}

TEST_CASE("a count without a match is a count") {
    running_server server;
    peer peer(server.port());
    REQUIRE(peer.ask(signed_request("CreateTable", create_things)).status == 200);
    CHECK(peer.ask(signed_request("Scan", R"({"TableName":"things","Select":"COUNT"})")).body ==
          R"({"Count":0,"ScannedCount":0})");
    CHECK(peer.ask(signed_request("Scan", R"({"TableName":"things"})")).body ==
          R"({"Items":[],"Count":0,"ScannedCount":0})");
}

TEST_CASE("a signature in the query is refused for what it lacks") {
    running_server server;
    peer peer(server.port());
    const auto ask = [&](const std::string& query, const std::string& headers) {
        std::string text = request("POST", "X-Amz-Target: DynamoDB_20120810.ListTables\r\n" + headers);
        return peer.ask(text.replace(text.find("/ "), 1, "/?" + query)).body;
    };
    CHECK_THAT(ask("X-Amz-Algorithm=A", ""), Catch::Contains("must include 'X-Amz-Credential'.") &&
                                                 !Catch::Contains("must include 'X-Amz-Algorithm'."));
    CHECK_THAT(ask("X-Amz-Algorithm", "Authorization: AWS4-\r\n"), Catch::Contains("Found both 'X-Amz-Algorithm'"));
}

TEST_CASE("pages of another origin may ask") {
    running_server server;
    peer peer(server.port());
    const std::string origin = "Origin: http://page.test\r\n";
    const auto asked = peer.ask(request("OPTIONS", origin + "Access-Control-Request-Headers: x-one, x-two\r\n"
                                                            "Access-Control-Request-Method: POST\r\n"));
    CHECK(asked.status == 200);
    CHECK(asked.body.empty());
    CHECK(asked.header("Access-Control-Allow-Origin") == "*");
    CHECK(asked.header("Access-Control-Allow-Headers") == "x-one, x-two");
    CHECK(asked.header("Access-Control-Allow-Methods") == "POST");
    CHECK(asked.header("Access-Control-Max-Age") == "172800");
    const auto posted = peer.ask(request("POST", origin));
    CHECK(posted.header("Access-Control-Allow-Origin") == "*");
    CHECK(posted.header("Access-Control-Max-Age").empty());
    CHECK(peer.ask(request("POST", "")).header("Access-Control-Allow-Origin").empty());
    CHECK(peer.ask(request("OPTIONS", "")).status == 404);
}

TEST_CASE("pages of one origin may ask, or none") {
    const std::string page = "Origin: http://page.test\r\n";
    const std::string other = "Origin: http://evil.test\r\n";
    for (const char* allowed : {"http://page.test", "none"}) {
        server_options options;
        options.cors = allowed;
        options.anyone = true;
        running_server server(std::move(options));
        peer peer(server.port());
        const std::string list = "Content-Type: application/json\r\nX-Amz-Target: DynamoDB_20120810.ListTables\r\n";
        const bool is_page = std::string(allowed) != "none";
        CHECK(peer.ask(request("OPTIONS", other)).status == 403);
        // Its name may have become ours: then the browser asks for no leave first.
        CHECK(peer.ask(request("POST", other + list, "{}")).status == 403);
        const auto told = peer.ask(request("POST", page + list, "{}"));
        CHECK(told.status == (is_page ? 200 : 403));
        CHECK(told.header("Access-Control-Allow-Origin") == (is_page ? allowed : ""));
        CHECK(peer.ask(request("POST", list, "{}")).status == 200);
    }
}

TEST_CASE("the health check names the host it was asked as") {
    running_server server;
    peer peer(server.port());
    CHECK(peer.ask(request("GET", "")).body == "healthy: db.test ");
}

TEST_CASE("a packed request is unpacked, and its signature is over the packed bytes") {
    running_server server;
    peer peer(server.port());
    REQUIRE(peer.ask(signed_request("CreateTable", create_things)).status == 200);
    CHECK(peer.ask(packed_put("gzip", compressed(put_of_a, "gzip"))).body == "{}");
    CHECK(peer.ask(packed_put("GZIP", compressed(put_of_a, "gzip"))).body == "{}");
    CHECK(peer.ask(packed_put("deflate", compressed(put_of_a, "deflate"))).body == "{}");
    const std::string halves = compressed(put_of_a.substr(0, 9), "gzip") + compressed(put_of_a.substr(9), "gzip");
    CHECK(peer.ask(packed_put("gzip", halves)).body == "{}");
}

TEST_CASE("the largest items may be packed, whatever the number of their values") {
    running_server server;
    peer peer(server.port());
    REQUIRE(peer.ask(signed_request("CreateTable", create_things)).status == 200);
    const auto put = [&](const std::string& value, int count) {
        std::string body = R"({"TableName":"things","Item":{"pk":{"S":"a"},"l":{"L":[)" + value;
        for (int i = 1; i < count; ++i) body += "," + value;
        return peer.ask(packed_put("gzip", compressed(body + "]}}}", "gzip"))).body;
    };
    CHECK(put(R"({"NULL":true})", 195'000) == "{}");
    CHECK(put(R"({"S":""})", 390'000) == "{}");
}

TEST_CASE("a body that is not packed as it says is a fault of nobody's validation") {
    running_server server;
    peer peer(server.port());
    const std::string packed = compressed(put_of_a, "gzip");
    CHECK(peer.ask(packed_put("gzip", put_of_a)).status == 500);
    CHECK(peer.ask(packed_put("gzip", "")).status == 500);
    CHECK(peer.ask(packed_put("gzip", packed.substr(0, packed.size() - 1))).status == 500);
    CHECK(peer.ask(packed_put("br", put_of_a)).status == 500);
    const std::string bomb = compressed(std::string(20 * 1024 * 1024, ' '), "gzip");
    CHECK(peer.ask(packed_put("gzip", bomb)).status == 413);
    CHECK(peer.ask(signed_request("ListTables", "{}")).status == 200);
}

TEST_CASE("tagging answers with no body, and a table without tags has an empty list of them") {
    running_server server;
    peer peer(server.port());
    REQUIRE(peer.ask(signed_request("CreateTable", create_things)).status == 200);
    const std::string arn = R"({"ResourceArn":"arn:aws:dynamodb:us-east-1:111122223333:table/things")";
    const auto listed = [&] { return peer.ask(signed_request("ListTagsOfResource", arn + "}")).body; };
    CHECK(listed() == R"({"Tags":[]})");
    const auto tagged = peer.ask(signed_request("TagResource", arn + R"(,"Tags":[{"Key":"k","Value":"v"}]})"));
    CHECK(tagged.status == 200);
    CHECK(tagged.body.empty());
    CHECK(listed() == R"({"Tags":[{"Key":"k","Value":"v"}]})");
    CHECK(peer.ask(signed_request("UntagResource", arn + R"(,"TagKeys":["k"]})")).body.empty());
}

}  // namespace dynalease::local::test
