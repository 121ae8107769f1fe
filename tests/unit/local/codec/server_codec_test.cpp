// Requests as the service reads them, and the exact bytes of answers.
// SPDX-License-Identifier: BSL-1.0
#include "local/codec/server_codec.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace dynalease {

TEST_CASE("a query says which way it goes, and what it selects") {
    const auto arrived = codec::decode_request(
        "Query", R"({"TableName":"ttt","KeyConditionExpression":"k","ScanIndexForward":false,"Select":"COUNT"})");
    REQUIRE(arrived.has_value());
    CHECK(!std::get<query_request>(*arrived).scan_index_forward);
    CHECK(std::get<query_request>(*arrived).select == selection::count);
}

TEST_CASE("a counted page has no list, an empty one has an empty list") {
    CHECK(codec::encode_response(
              page_response{.items = {}, .count = 2, .scanned_count = 3, .last_evaluated_key = {}, .consumed = {}}) ==
          R"({"Count":2,"ScannedCount":3})");
    CHECK(codec::encode_response(page_response{}) == R"({"Items":[],"Count":0,"ScannedCount":0})");
    CHECK(codec::encode_count(page_response{}) == R"({"Count":0,"ScannedCount":0})");
}

TEST_CASE("what nothing here would heed is refused by its name") {
    const auto fault = [](const char* operation, const std::string& member) {
        const auto arrived = codec::decode_request(operation, R"({"TableName":"ttt",)" + member + "}");
        return arrived ? std::string() : arrived.error().details.message;
    };
    for (const char* name : {"ReplicaUpdates", "WarmThroughput", "MultiRegionConsistency"}) {
        CHECK_THAT(fault("UpdateTable", "\"" + std::string(name) + R"(":{})"),
                   Catch::StartsWith(std::string(name) + " is not supported by this server: "));
    }
    const std::string keys = R"("AttributeDefinitions":[{"AttributeName":"a","AttributeType":"S"}],)"
                             R"("KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST",)";
    CHECK(fault("CreateTable", keys + R"("TableClass":"STANDARD")").empty());
    for (const char* name : {"WarmThroughput", "ResourcePolicy", "GlobalTableSourceArn"}) {
        CHECK_THAT(fault("CreateTable", keys + "\"" + std::string(name) + R"(":"x")"),
                   Catch::StartsWith(std::string(name) + " is not supported by this server: "));
    }
}

}  // namespace dynalease
