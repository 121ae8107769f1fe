// Requests as the service reads them, and the exact bytes of answers.
// SPDX-License-Identifier: BSL-1.0
#include "local/codec/server_codec.hpp"

#include <catch2/catch.hpp>

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
}

}  // namespace dynalease
