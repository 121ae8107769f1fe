// Tables on the wire: what is asked arrives as it was meant, and each mistake is told as the service tells it.
// SPDX-License-Identifier: BSL-1.0
#include "local/codec/server_codec.hpp"

#include <catch2/catch.hpp>

namespace dynalease {

namespace {

std::string refusal(std::string_view operation, const std::string& body) {
    const auto arrived = codec::decode_request(operation, body);
    if (arrived) return {};
    CHECK(arrived.error().code == errc::validation);
    return arrived.error().details.message;
}

template <class Request>
Request sent_and_read(const Request& request) {
    const auto body = codec::encode_request(request);
    INFO(body);
    auto arrived = codec::decode_request(Request::name, body);
    if (!arrived) FAIL(arrived.error().details.message);
    CHECK(codec::encode_request(*arrived) == body);
    return std::get<Request>(*std::move(arrived));
}

/// A CreateTable of a string key `a`, on demand, with more members.
std::string table_with(const std::string& more) {
    return R"({"TableName":"ttt","BillingMode":"PAY_PER_REQUEST",)" + more + "}";
}

const std::string definitions =
    R"("AttributeDefinitions":[{"AttributeName":"a","AttributeType":"S"},{"AttributeName":"b","AttributeType":"N"}])";
const std::string both_keys =
    R"("KeySchema":[{"AttributeName":"a","KeyType":"HASH"},{"AttributeName":"b","KeyType":"RANGE"}])";
const std::string swapped_keys =
    R"("KeySchema":[{"AttributeName":"b","KeyType":"HASH"},{"AttributeName":"a","KeyType":"RANGE"}])";
const std::string all = R"("Projection":{"ProjectionType":"ALL"})";

std::string index(const std::string& name, const std::string& more) {
    return R"({"IndexName":")" + name + "\"," + more + "}";
}

}  // namespace

TEST_CASE("a table with everything arrives as it was asked for") {
    create_table_request request{.table_name = "ttt",
                                 .key = {{"a", scalar_type::s}, key_attribute{"b", scalar_type::n}}};
    request.global_indexes = {{.name = "global",
                               .key = {{"c", scalar_type::b}},
                               .projected = projection::include,
                               .included = {"x", "y"},
                               .provisioned = throughput{3, 4}}};
    request.local_indexes = {{.name = "local", .key = {{"a"}, key_attribute{"d"}}, .projected = projection::keys_only}};
    request.billing = billing_mode::provisioned;
    request.provisioned = throughput{1, 2};
    request.deletion_protected = true;
    request.stream = stream_view::new_image;
    request.table_class = "STANDARD_INFREQUENT_ACCESS";
    request.tags = {{"k", "v"}};
    request.encrypted = encryption{"alias/ours"};
    // The writer names a stream's view; the service wants it said that there is one.
    auto body = codec::encode_request(request);
    CHECK_THAT(body, Catch::Contains(R"("StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_IMAGE"})"));
    const auto arrived = sent_and_read(request);
    CHECK(arrived.global_indexes.front().provisioned->write_units == 4);
    CHECK(arrived.local_indexes.front().key.range->name == "d");
    CHECK(arrived.tags == request.tags);
    CHECK(arrived.encrypted->key == "alias/ours");
}

TEST_CASE("a global index of four hash and four range attributes arrives as it was asked for") {
    create_table_request request{.table_name = "ttt", .key = {{"a"}}};
    request.global_indexes = {{.name = "global",
                               .key = {.hash = {"h1"},
                                       .range = key_attribute{"r1", scalar_type::n},
                                       .more_hash = {{"h2", scalar_type::b}, {"h3"}, {"h4"}},
                                       .more_range = {{"r2"}, {"r3"}, {"r4", scalar_type::b}}}}};
    CHECK(sent_and_read(request).global_indexes.front().key == request.global_indexes.front().key);
}

TEST_CASE("each mistake in the key of a global index has its own words") {
    const auto [key, message] = GENERATE(table<std::string, std::string>({
        {"rh", "Invalid KeySchema: The first KeySchemaElement is not a HASH key type"},
        {"hrh", "All HASH key attributes must precede RANGE key attributes in the KeySchema"},
        {"hhhhh", "The KeySchema exceeds the maximum allowed number of HASH key attributes"},
        {"hrrrrr", "The KeySchema exceeds the maximum allowed number of RANGE key attributes"},
    }));
    std::string defined = R"({"AttributeName":"pk","AttributeType":"S"})";
    std::string elements;
    for (std::size_t i = 0; i < key.size(); ++i) {
        const auto name = R"({"AttributeName":"a)" + std::to_string(i) + "\",";
        defined += "," + name + R"("AttributeType":"S"})";
        elements += (i == 0 ? "" : ",") + name + R"("KeyType":")" + (key[i] == 'h' ? "HASH" : "RANGE") + "\"}";
    }
    const auto indexes = [&](const std::string& schema) {
        return table_with(R"("AttributeDefinitions":[)" + defined +
                          R"(],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"GlobalSecondaryIndexes":[)" +
                          index("iii", R"("KeySchema":[)" + schema + "]," + all) + "]");
    };
    CHECK_THAT(refusal("CreateTable", indexes(elements)), Catch::EndsWith(message));
    CHECK(refusal("CreateTable", indexes(R"({"AttributeName":"pk","KeyType":"HASH"},)"
                                         R"({"AttributeName":"pk","KeyType":"HASH"})")) ==
          "The KeySchema contains multiple key attributes with the same name");
}

TEST_CASE("a change of a table arrives as it was asked for") {
    update_table_request request{.table_name = "ttt"};
    request.billing = billing_mode::provisioned;
    request.provisioned = throughput{5, 6};
    request.index_changes.emplace_back(secondary_index{.name = "new", .key = {{"x", scalar_type::n}}});
    request.index_changes.emplace_back(update_index{"old", {1, 1}});
    request.index_changes.emplace_back(delete_index{"gone"});
    request.stream_enabled = false;
    const auto arrived = sent_and_read(request);
    CHECK(std::get<secondary_index>(arrived.index_changes[0]).key.hash.type == scalar_type::n);
    CHECK(arrived.stream_enabled == false);
    const auto alone = sent_and_read(update_table_request{.table_name = "ttt", .deletion_protected = false});
    CHECK(alone.deletion_protected == false);
    update_table_request limits{.table_name = "ttt"};
    limits.on_demand = on_demand_limits{10, std::nullopt};
    CHECK(sent_and_read(limits).on_demand == limits.on_demand);
    update_table_request secret{.table_name = "ttt"};
    secret.encryption_enabled = true;
    secret.encrypted = encryption{"alias/ours"};
    CHECK(sent_and_read(secret).encrypted->key == "alias/ours");
    secret.encryption_enabled = false;
    CHECK(sent_and_read(secret).encryption_enabled == false);
}

TEST_CASE("a description keeps its indexes, billing, stream and class") {
    table_description table;
    table.table_name = "ttt";
    table.key.hash.name = "a";
    index_description one;
    one.name = "one";
    one.key.hash.name = "b";
    one.status = "ACTIVE";
    one.item_count = 3;
    one.size_bytes = 4;
    table.global_indexes.push_back(one);
    table.pay_per_request_since = 1.5;
    table.stream = stream_view::keys_only;
    table.table_class = "STANDARD";
    table.deletion_protected = true;
    table.on_demand = on_demand_limits{10, 5};
    table.encrypted = encryption{"arn:aws:kms:us-east-1:111122223333:key/one"};
    const auto body = codec::encode_response(describe_table_response{table});
    const auto arrived = codec::decode_response(any_request(describe_table_request{}).index(), body);
    if (!arrived) FAIL(arrived.error().details.message);
    CHECK(codec::encode_response(*arrived) == body);
    const auto& read = std::get<describe_table_response>(*arrived).table;
    CHECK(read.global_indexes.front().item_count == 3);
    CHECK(read.billing == billing_mode::pay_per_request);
    CHECK(read.stream == stream_view::keys_only);
    CHECK(read.on_demand == table.on_demand);
    CHECK(read.encrypted->key == table.encrypted->key);
}

TEST_CASE("capacity by index and collection sizes arrive") {
    put_item_response answer;
    answer.consumed = consumed_capacity{.table_name = "ttt",
                                        .capacity_units = 3,
                                        .table_units = 1,
                                        .global_index_units = {{"g", 1}},
                                        .local_index_units = {{"l", 1}}};
    answer.collection = item_collection_metrics{{{"a", "x"}}, {0, 1}};
    const auto body = codec::encode_response(answer);
    CHECK(body == R"({"ConsumedCapacity":{"TableName":"ttt","CapacityUnits":3.0,"Table":{"CapacityUnits":1.0},)"
                  R"("GlobalSecondaryIndexes":{"g":{"CapacityUnits":1.0}},)"
                  R"("LocalSecondaryIndexes":{"l":{"CapacityUnits":1.0}}},)"
                  R"("ItemCollectionMetrics":{"ItemCollectionKey":{"a":{"S":"x"}},"SizeEstimateRangeGB":[0.0,1.0]}})");
    const auto arrived = codec::decode_response(any_request(put_item_request{}).index(), body);
    REQUIRE(arrived.has_value());
    CHECK(codec::encode_response(*arrived) == body);
}

TEST_CASE("each mistake in a table's keys and indexes has its own words") {
    const auto [members, message] = GENERATE(table<std::string, std::string>({
        {R"("AttributeDefinitions":[],)" + both_keys, "Invalid KeySchema: Some index key attribute have no definition"},
        {definitions + R"(,"KeySchema":[{"AttributeName":"x","KeyType":"HASH"}])",
         "Some index key attributes are not defined in AttributeDefinitions. Keys: [x], AttributeDefinitions: [a, b]"},
        {definitions +
             R"(,"KeySchema":[{"AttributeName":"a","KeyType":"HASH"},{"AttributeName":"a","KeyType":"RANGE"}])",
         "Both the Hash Key and the Range Key element in the KeySchema have the same name"},
        {definitions + R"(,"KeySchema":[{"AttributeName":"a","KeyType":"RANGE"}])",
         "Invalid KeySchema: The first KeySchemaElement is not a HASH key type"},
        {definitions + R"(,"KeySchema":[{"AttributeName":"a","KeyType":"HASH"}])",
         "Number of attributes in KeySchema does not exactly match number of attributes defined in "
         "AttributeDefinitions"},
        {definitions + "," + both_keys + R"(,"ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":1})",
         "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST"},
        {definitions + "," + both_keys + R"(,"LocalSecondaryIndexes":[])", "List of LocalSecondaryIndexes is empty"},
        {definitions + "," + both_keys + R"(,"LocalSecondaryIndexes":[)" + index("iii", swapped_keys + "," + all) + "]",
         "Index KeySchema does not have the same leading hash key as table KeySchema for index: iii. index hash key: "
         "b, table hash key: a"},
        {definitions + "," + both_keys + R"(,"GlobalSecondaryIndexes":[)" + index("iii", both_keys + "," + all) + "," +
             index("iii", both_keys + "," + all) + "]",
         "Duplicate index name: iii"},
        {definitions + "," + both_keys + R"(,"GlobalSecondaryIndexes":[)" +
             index("iii", both_keys + R"(,"Projection":{})") + "]",
         "Unknown ProjectionType: null"},
        {definitions + "," + both_keys + R"(,"GlobalSecondaryIndexes":[)" +
             index("iii", both_keys + R"(,"Projection":{"ProjectionType":"ALL","NonKeyAttributes":["x"]})") + "]",
         "ProjectionType is ALL, but NonKeyAttributes is specified"},
        {definitions + "," + both_keys + R"(,"GlobalSecondaryIndexes":[)" + index("i", both_keys + "," + all) + "]",
         "Value 'i' at 'globalSecondaryIndexes.1.member.indexName' failed to satisfy constraint: Member must have "
         "length greater than or equal to 3"},
    }));
    INFO(members);
    CHECK_THAT(refusal("CreateTable", table_with(members)), Catch::EndsWith(message));
}

TEST_CASE("a change of a table that changes nothing, or too much at once, is refused") {
    CHECK_THAT(refusal("UpdateTable", R"({"TableName":"ttt"})"), Catch::StartsWith("At least one of"));
    CHECK_THAT(refusal("UpdateTable", R"({"TableName":"ttt","BillingMode":"PROVISIONED"})"),
               Catch::Contains("ProvisionedThroughput must be specified"));
    CHECK_THAT(refusal("UpdateTable", R"({"TableName":"ttt","GlobalSecondaryIndexUpdates":[{}]})"),
               Catch::Contains("must not be null"));
    CHECK_THAT(refusal("UpdateTable", R"({"TableName":"ttt","GlobalSecondaryIndexUpdates":[)"
                                      R"({"Delete":{"IndexName":"iii"}},{"Delete":{"IndexName":"iii"}}]})"),
               Catch::Contains("Only one global secondary index update per index"));
    CHECK_THAT(refusal("UpdateTable", R"({"TableName":"ttt","TableClass":"STANDARD","BillingMode":"PAY_PER_REQUEST"})"),
               Catch::EndsWith("TableClass modification must be the only operation in the request"));
    CHECK_THAT(refusal("UpdateTable", R"({"TableName":"ttt","TableClass":"COLD"})"),
               Catch::StartsWith("Invalid table-class parameter provided."));
    CHECK_THAT(refusal("UpdateTable", R"({"TableName":"ttt","SSESpecification":{},"DeletionProtectionEnabled":true})"),
               Catch::EndsWith("Server-Side Encryption modification must be the only operation in the request"));
    CHECK_THAT(refusal("UpdateTable", R"({"TableName":"ttt","OnDemandThroughput":{"MaxReadRequestUnits":9},)"
                                      R"("StreamSpecification":{"StreamEnabled":false}})"),
               Catch::EndsWith("OnDemandThroughput can only be combined with BillingMode in an UpdateTable request"));
    CHECK_THAT(refusal("UpdateTable", R"({"TableName":"ttt","StreamSpecification":{"StreamEnabled":true}})"),
               Catch::EndsWith("If stream is being enabled then UpdateViewType is required"));
    CHECK_THAT(
        refusal("UpdateTable", R"({"TableName":"ttt","OnDemandThroughput":{"MaxReadRequestUnits":0}})"),
        Catch::EndsWith("Requested MaxReadRequestUnits for OnDemandThroughput for table is outside of valid range"));
}

TEST_CASE("encryption is asked for as the service takes it") {
    const auto asked = [](const std::string& specification) {
        return table_with(definitions + "," + both_keys + R"(,"SSESpecification":)" + specification);
    };
    CHECK_THAT(refusal("CreateTable", asked(R"({"SSEType":"KMS"})")),
               Catch::EndsWith("SSEType can not be specified if Enabled is false"));
    CHECK_THAT(refusal("CreateTable", asked(R"({"Enabled":true,"SSEType":"AES256"})")),
               Catch::EndsWith("SSEType AES256 is not supported"));
    CHECK_THAT(refusal("CreateTable", asked(R"({"Enabled":true,"KMSMasterKeyId":"k"})")),
               Catch::EndsWith("SSEType KMS is required if KMSMasterKeyId is specified"));
    CHECK(refusal("CreateTable", asked(R"({"Enabled":true})")).empty());
    CHECK(refusal("CreateTable", asked(R"({"Enabled":false})")).empty());
    CHECK(refusal("UpdateTable", R"({"TableName":"ttt","SSESpecification":{"Enabled":false}})").empty());
}

}  // namespace dynalease
