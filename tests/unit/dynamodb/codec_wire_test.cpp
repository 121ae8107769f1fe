// The exact bytes of requests, and answers as the service words them.
// SPDX-License-Identifier: BSL-1.0
#include "dynamodb/codec.hpp"

#include <catch2/catch.hpp>

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <string>
#include <utility>

namespace dynalease {

namespace {

template <class Response, class Request>
Response answer_to(const Request& request, std::string_view body) {
    auto answer = codec::decode_response(any_request(request).index(), body);
    if (!answer) FAIL(answer.error().details.message);
    return std::get<Response>(*std::move(answer));
}

}  // namespace

TEST_CASE("each type of value has its own form on the wire") {
    const put_item_request request{.table_name = "t",
                                   .new_item = {{"b", binary{std::byte{'f'}}},
                                                {"bool", true},
                                                {"bs", binary_set{{std::byte{'f'}}}},
                                                {"l", attribute_list{1, "x"}},
                                                {"m", attribute_map{{"k", "v"}}},
                                                {"n", number("1.50")},
                                                {"ns", number_set{2, 1}},
                                                {"null", null{}},
                                                {"s", "\"\n€"},
                                                {"ss", string_set{"b", "a"}}}};
    CHECK(codec::encode_request(request) ==
          R"({"TableName":"t","Item":{"b":{"B":"Zg=="},"bool":{"BOOL":true},"bs":{"BS":["Zg=="]},)"
          R"("l":{"L":[{"N":"1"},{"S":"x"}]},"m":{"M":{"k":{"S":"v"}}},"n":{"N":"1.50"},"ns":{"NS":["1","2"]},)"
          R"("null":{"NULL":true},"s":{"S":"\"\n€"},"ss":{"SS":["a","b"]}}})");
}

TEST_CASE("a field at its default is not sent") {
    CHECK(codec::encode_request(update_item_request{.table_name = "t", .key = {{"pk", "k"}}}) ==
          R"({"TableName":"t","Key":{"pk":{"S":"k"}}})");
    CHECK(codec::encode_request(list_tables_request{}) == "{}");
    CHECK(codec::encode_request(query_request{.table_name = "t", .key_condition_expression = "#0 = :0"}) ==
          R"({"TableName":"t","KeyConditionExpression":"#0 = :0"})");
}

TEST_CASE("item collection metrics are asked for and read, of one item and of many") {
    CHECK(codec::encode_request(
              delete_item_request{.table_name = "t", .key = {{"pk", "k"}}, .report_collection = true}) ==
          R"({"TableName":"t","Key":{"pk":{"S":"k"}},"ReturnItemCollectionMetrics":"SIZE"})");
    const auto one = answer_to<delete_item_response>(
        delete_item_request{.table_name = "t", .key = {}},
        R"({"ItemCollectionMetrics":{"ItemCollectionKey":{"pk":{"S":"k"}},"SizeEstimateRangeGB":[0.0,1.5]}})");
    REQUIRE(one.collection);
    CHECK(*find_string(one.collection->key, "pk") == "k");
    CHECK(one.collection->size_range_gb == std::vector<double>{0.0, 1.5});
    const auto many = answer_to<batch_write_item_response>(
        batch_write_item_request{},
        R"({"UnprocessedItems":{},"ItemCollectionMetrics":{"t":[{"SizeEstimateRangeGB":[1]}]}})");
    CHECK(many.collections.at("t").at(0).size_range_gb == std::vector<double>{1});
}

TEST_CASE("every option of an update is sent under the service's name") {
    CHECK(codec::encode_request(update_item_request{.table_name = "t",
                                                    .key = {{"pk", "k"}},
                                                    .update_expression = "SET #a = :a",
                                                    .condition_expression = "#a < :a",
                                                    .names = {{"#a", "a"}},
                                                    .values = {{":a", 1}},
                                                    .returned = return_values::updated_new,
                                                    .current_on_refusal = true,
                                                    .report_capacity = true}) ==
          R"({"TableName":"t","Key":{"pk":{"S":"k"}},"ReturnValues":"UPDATED_NEW","ReturnConsumedCapacity":"TOTAL",)"
          R"("ExpressionAttributeNames":{"#a":"a"},"ExpressionAttributeValues":{":a":{"N":"1"}},)"
          R"("UpdateExpression":"SET #a = :a","ConditionExpression":"#a < :a",)"
          R"("ReturnValuesOnConditionCheckFailure":"ALL_OLD"})");
}

TEST_CASE("every option of a query and a scan is sent under the service's name") {
    CHECK(codec::encode_request(query_request{.table_name = "t",
                                              .key_condition_expression = "k",
                                              .index_name = "i",
                                              .filter_expression = "f",
                                              .projection_expression = "p",
                                              .names = {{"#a", "a"}},
                                              .values = {{":a", 1}},
                                              .exclusive_start_key = {{"pk", "k"}},
                                              .limit = 5,
                                              .scan_index_forward = false,
                                              .consistent_read = true,
                                              .select = selection::count,
                                              .report_capacity = true,
                                              .capacity_by_index = true}) ==
          R"({"TableName":"t","IndexName":"i","Limit":5,"ConsistentRead":true,"Select":"COUNT",)"
          R"("ReturnConsumedCapacity":"INDEXES","ExclusiveStartKey":{"pk":{"S":"k"}},)"
          R"("ExpressionAttributeNames":{"#a":"a"},"ExpressionAttributeValues":{":a":{"N":"1"}},)"
          R"("KeyConditionExpression":"k","FilterExpression":"f","ProjectionExpression":"p",)"
          R"("ScanIndexForward":false})");
    CHECK(codec::encode_request(scan_request{.table_name = "t", .segment = 0, .total_segments = 4}) ==
          R"({"TableName":"t","Segment":0,"TotalSegments":4})");
}

TEST_CASE("a transaction keeps the order and kind of its actions") {
    transact_write_items_request request;
    request.client_request_token = "token";
    request.actions = {condition_check{.table_name = "t", .key = {{"pk", 1}}, .condition_expression = "c"},
                       transact_put{.table_name = "t", .new_item = {{"pk", 2}}},
                       transact_update{.table_name = "t", .key = {{"pk", 3}}, .update_expression = "u"},
                       transact_delete{.table_name = "t", .key = {{"pk", 4}}, .current_on_refusal = true}};
    CHECK(codec::encode_request(request) ==
          R"({"TransactItems":[)"
          R"({"ConditionCheck":{"TableName":"t","Key":{"pk":{"N":"1"}},"ConditionExpression":"c"}},)"
          R"({"Put":{"TableName":"t","Item":{"pk":{"N":"2"}}}},)"
          R"({"Update":{"TableName":"t","Key":{"pk":{"N":"3"}},"UpdateExpression":"u"}},)"
          R"({"Delete":{"TableName":"t","Key":{"pk":{"N":"4"}},"ReturnValuesOnConditionCheckFailure":"ALL_OLD"}}],)"
          R"("ClientRequestToken":"token"})");
    CHECK(codec::encode_request(transact_get_items_request{.gets = {{.table_name = "t", .key = {{"pk", 1}}}}}) ==
          R"({"TransactItems":[{"Get":{"TableName":"t","Key":{"pk":{"N":"1"}}}}]})");
    const auto found = answer_to<transact_get_items_response>(transact_get_items_request{},
                                                              R"({"Responses":[{"Item":{"pk":{"N":"1"}}},{}]})");
    CHECK(found.items == std::vector<std::optional<item>>{item{{"pk", 1}}, std::nullopt});
}

TEST_CASE("batches name their tables") {
    CHECK(
        codec::encode_request(
            batch_write_item_request{.tables = {{"t", {batch_put{{{"pk", 1}}}, batch_delete{{{"pk", 2}}}}}}}) ==
        R"({"RequestItems":{"t":[{"PutRequest":{"Item":{"pk":{"N":"1"}}}},{"DeleteRequest":{"Key":{"pk":{"N":"2"}}}}]}})");
    const auto answer = answer_to<batch_get_item_response>(
        batch_get_item_request{},
        R"({"Responses":{"t":[{"pk":{"N":"1"}}]},"UnprocessedKeys":{"t":{"Keys":[{"pk":{"N":"2"}}],"ConsistentRead":true}}})");
    CHECK(answer.items.at("t") == std::vector<item>{{{"pk", 1}}});
    CHECK(answer.unprocessed.at("t").keys == std::vector<item_key>{{{"pk", 2}}});
    CHECK(answer.unprocessed.at("t").consistent_read);
}

TEST_CASE("a table is created on demand billing with the types of all its keys") {
    const create_table_request request{
        .table_name = "t",
        .key = {{"pk", scalar_type::s}, key_attribute{"sk", scalar_type::n}},
        .global_indexes = {{.name = "g",
                            .key = {{"sk", scalar_type::n}, key_attribute{"x", scalar_type::b}},
                            .projected = projection::include,
                            .included = {"y"}}}};
    const std::string schema =
        R"("AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},)"
        R"({"AttributeName":"sk","AttributeType":"N"},{"AttributeName":"x","AttributeType":"B"}],)"
        R"("KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],)"
        R"("GlobalSecondaryIndexes":[{"IndexName":"g",)"
        R"("KeySchema":[{"AttributeName":"sk","KeyType":"HASH"},{"AttributeName":"x","KeyType":"RANGE"}],)"
        R"("Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["y"]}}])";
    CHECK(codec::encode_request(request) == R"({"TableName":"t",)" + schema + R"(,"BillingMode":"PAY_PER_REQUEST"})");
    const auto described =
        answer_to<describe_table_response>(describe_table_request{}, R"({"Table":{"TableName":"t",)" + schema +
                                                                         R"(,"TableStatus":"ACTIVE","ItemCount":7}})");
    CHECK(described.table.status == "ACTIVE");
    CHECK(described.table.item_count == 7);
    CHECK(described.table.key.range->type == scalar_type::n);
    CHECK(described.table.global_indexes.front().key.range->type == scalar_type::b);
}

TEST_CASE("a table that goes away is described by little") {
    const auto answer = answer_to<delete_table_response>(
        delete_table_request{}, R"({"TableDescription":{"TableName":"t","TableStatus":"DELETING","ItemCount":0}})");
    CHECK(answer.table.status == "DELETING");
}

TEST_CASE("time to live is switched and described") {
    CHECK(codec::encode_request(update_time_to_live_request{.table_name = "t", .attribute_name = "ttl"}) ==
          R"({"TableName":"t","TimeToLiveSpecification":{"AttributeName":"ttl","Enabled":true}})");
    const auto answer = answer_to<describe_time_to_live_response>(
        describe_time_to_live_request{},
        R"({"TimeToLiveDescription":{"AttributeName":"ttl","TimeToLiveStatus":"ENABLED"}})");
    CHECK(answer.attribute_name == "ttl");
    CHECK(answer.status == "ENABLED");
}

TEST_CASE("a number of an answer is what it says, in whatever notation") {
    for (const auto& [text, value] : {std::pair{"0", 0.0},
                                      {"0e38", 0.0},
                                      {"-0e-124", 0.0},
                                      {"0.5", 0.5},
                                      {"35E-1", 3.5},
                                      {"1795285852664", 1795285852664.0},
                                      {"123456789012.345", 123456789012.345}}) {
        INFO(text);
        const auto body = R"({"ConsumedCapacity":{"CapacityUnits":)" + std::string(text) + "}}";
        const auto answer = answer_to<get_item_response>(get_item_request{}, body);
        REQUIRE(answer.consumed);
        CHECK(answer.consumed->capacity_units == value);
    }
}

TEST_CASE("an item that is absent is not an item that is empty") {
    CHECK(!answer_to<get_item_response>(get_item_request{}, "{}").found);
    CHECK(answer_to<get_item_response>(get_item_request{}, R"({"Item":{}})").found == item{});
}

TEST_CASE("a string is written as RapidJSON writes it, whichever byte stands at whichever place") {
    const auto reference = [](const std::string& text) {
        rapidjson::StringBuffer out;
        rapidjson::Writer<rapidjson::StringBuffer> writer(out);
        writer.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
        return std::string(out.GetString(), out.GetSize());
    };
    const auto as_reference = [&](const std::string& text) {
        const put_item_request request{.table_name = "t", .new_item = {{"s", text}}};
        return codec::encode_request(request).find(R"("s":{"S":)" + reference(text) + "}") != std::string::npos;
    };
    for (std::size_t length = 0; length <= 20; ++length) {
        for (std::size_t place = 0; place < std::max<std::size_t>(length, 1); ++place) {
            for (int byte = 0; byte < 256; ++byte) {
                std::string text(length, 'a');
                if (length > 0) text[place] = static_cast<char>(byte);
                if (!as_reference(text)) FAIL("byte " << byte << " at " << place << " of " << length);
            }
        }
    }
    // Neighbours, where the test of eight at a time may take one byte for another.
    for (int first = 0; first < 256; ++first) {
        for (int second = 0; second < 256; ++second) {
            std::string text(9, 'a');
            text[3] = static_cast<char>(first);
            text[4] = static_cast<char>(second);
            if (!as_reference(text)) FAIL("bytes " << first << " and " << second);
        }
    }
}

}  // namespace dynalease
