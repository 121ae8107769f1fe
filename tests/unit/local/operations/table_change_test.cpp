// UpdateTable, deletion protection, tags, and what a description tells.
// SPDX-License-Identifier: BSL-1.0
#include "unit/local/engine_world.hpp"

namespace dynalease::local::test {

namespace {

table_description described(engine_world& world) {
    describe_table_request request;
    request.table_name = "things";
    return world.execute(request).value().table;
}

update_table_request change() {
    update_table_request request;
    request.table_name = "things";
    return request;
}

secondary_index by_x() {
    return {.name = "by_x", .key = {{"x", scalar_type::n}}};
}

}  // namespace

TEST_CASE("an index that is added takes in what is there, and one that is removed is gone") {
    engine_world world;
    world.put({{"pk", "a"}, {"x", 1}});
    world.put({{"pk", "b"}, {"x", "no number"}});
    world.put({{"pk", "c"}});
    auto add = change();
    add.index_changes.emplace_back(by_x());
    const auto answer = world.execute(add).value().table;
    CHECK(answer.status == "UPDATING");
    CHECK(answer.global_indexes.front().status == "CREATING");
    const auto after = described(world).global_indexes.front();
    CHECK(after.status == "ACTIVE");
    CHECK(after.item_count == 1);
    CHECK_THAT(after.arn, Catch::EndsWith(":table/things/index/by_x"));
    CHECK_THAT(world.fault(add), Catch::Contains("already exists"));

    auto drop = change();
    drop.index_changes.emplace_back(delete_index{"by_x"});
    CHECK(world.execute(drop).value().table.global_indexes.front().status == "DELETING");
    CHECK(described(world).global_indexes.empty());
    CHECK(world.execute(drop).error().code == errc::table_not_found);
}

TEST_CASE("one index at a time") {
    engine_world world;
    auto two = change();
    two.index_changes.emplace_back(by_x());
    auto other = by_x();
    other.name = "by_y";
    two.index_changes.emplace_back(other);
    CHECK(world.execute(two).error().code == errc::limit_exceeded);
    CHECK(described(world).global_indexes.empty());
}

TEST_CASE("billing changes both ways, and a change to the same is refused") {
    engine_world world;
    auto request = change();
    request.provisioned = throughput{5, 6};
    CHECK_THAT(world.fault(request), Catch::Contains("when BillingMode is PAY_PER_REQUEST"));
    request.billing = billing_mode::provisioned;
    REQUIRE(world.execute(request));
    CHECK(described(world).billing == billing_mode::provisioned);
    CHECK(described(world).provisioned.write_units == 6);
    CHECK_THAT(world.fault(request), Catch::StartsWith("The provisioned throughput for the table will not change."));
    auto back = change();
    back.billing = billing_mode::pay_per_request;
    REQUIRE(world.execute(back));
    CHECK(described(world).provisioned.write_units == 0);
}

TEST_CASE("limits of use and encryption are described as they were set") {
    engine_world world;
    create_table_request request;
    request.table_name = "others";
    request.key.hash.name = "pk";
    request.on_demand = on_demand_limits{10, 5};
    request.encrypted = encryption{};
    REQUIRE(world.execute(request));
    describe_table_request describe;
    describe.table_name = "others";
    const auto table = world.execute(describe).value().table;
    CHECK(table.on_demand == request.on_demand);
    CHECK_THAT(table.encrypted->key, Catch::StartsWith("arn:aws:kms:"));
    CHECK(!described(world).encrypted);
    auto limits = change();
    limits.on_demand = on_demand_limits{20, std::nullopt};
    REQUIRE(world.execute(limits));
    CHECK(described(world).on_demand == limits.on_demand);
}

TEST_CASE("encryption changes both ways, and a change to the same is refused") {
    engine_world world;
    auto request = change();
    request.encryption_enabled = false;
    CHECK_THAT(world.fault(request), Catch::EndsWith("Table is already encrypted by default"));
    request.encryption_enabled = true;
    request.encrypted = encryption{"alias/mine"};
    REQUIRE(world.execute(request));
    CHECK_THAT(described(world).encrypted->key, Catch::EndsWith(":alias/mine"));
    CHECK(world.execute(request));
    request.encrypted = described(world).encrypted;
    CHECK_THAT(world.fault(request), Catch::Contains("Table is already encrypted with given KMSMasterKeyId."));
    request.encryption_enabled = false;
    request.encrypted.reset();
    REQUIRE(world.execute(request));
    CHECK(!described(world).encrypted);
}

TEST_CASE("changes that the service does not make together are refused") {
    engine_world world;
    auto request = change();
    request.stream_enabled = true;
    request.stream = stream_view::keys_only;
    request.index_changes.emplace_back(by_x());
    CHECK_THAT(world.fault(request), Catch::EndsWith("You cannot create or delete index while changing stream status"));
    request.provisioned = throughput{1, 1};
    CHECK_THAT(world.fault(request), Catch::EndsWith("You cannot modify stream status while updating table IOPS"));
    request.stream_enabled.reset();
    CHECK_THAT(world.fault(request), Catch::EndsWith("You cannot create or delete index while updating table IOPS"));
}

TEST_CASE("a local index stays as it was made") {
    engine_world world;
    create_table_request made;
    made.table_name = "others";
    made.key = {{"pk"}, key_attribute{"sk"}};
    made.local_indexes = {{.name = "by_x", .key = {{"pk"}, key_attribute{"x"}}}};
    REQUIRE(world.execute(made));
    auto request = change();
    request.table_name = "others";
    request.index_changes.emplace_back(delete_index{"by_x"});
    CHECK(world.fault(request) == "Cannot delete an index that is not a GlobalSecondaryIndex: by_x");
    request.index_changes.front() = update_index{"by_x", {1, 1}};
    CHECK(world.fault(request) == "Cannot update an index that is not a GlobalSecondaryIndex: by_x");
}

TEST_CASE("a stream is refused, which nobody could read, and there is none to disable") {
    engine_world world;
    auto stream = change();
    stream.stream_enabled = false;
    CHECK(world.fault(stream) == "Table has no stream to disable: TableName: things");
    stream.stream_enabled = true;
    stream.stream = stream_view::keys_only;
    CHECK_THAT(world.fault(stream), Catch::StartsWith("Streams are not supported by this server"));
    create_table_request made;
    made.table_name = "streamed";
    made.key.hash.name = "pk";
    made.stream = stream_view::keys_only;
    CHECK_THAT(world.fault(made), Catch::StartsWith("Streams are not supported by this server"));
    CHECK(world.execute(list_tables_request{}).value().table_names == std::vector<std::string>{"things"});
}

TEST_CASE("a protected table stays") {
    engine_world world;
    auto protect = change();
    protect.deletion_protected = true;
    REQUIRE(world.execute(protect));
    delete_table_request remove;
    remove.table_name = "things";
    CHECK_THAT(world.fault(remove), Catch::Contains("protected against deletion"));
    protect.deletion_protected = false;
    REQUIRE(world.execute(protect));
    CHECK(world.execute(remove));
}

TEST_CASE("a description counts items and bytes") {
    engine_world world;
    CHECK(described(world).size_bytes == 0);
    world.put({{"pk", "a"}, {"value", "12345"}});
    CHECK(described(world).item_count == 1);
    CHECK(described(world).size_bytes == 2 + 1 + 5 + 5);
    delete_item_request remove;
    remove.table_name = "things";
    remove.key = {{"pk", "a"}};
    REQUIRE(world.execute(remove));
    CHECK(described(world).size_bytes == 0);
    CHECK_THAT(described(world).id, Catch::Matches("[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}"));
}

TEST_CASE("tags are kept, listed and removed") {
    engine_world world;
    const std::string arn = described(world).arn;
    tag_resource_request tag{arn, {{"team", "a"}, {"cost", "b"}}};
    REQUIRE(world.execute(tag));
    REQUIRE(world.execute(tag_resource_request{arn, {{"team", "c"}}}));
    REQUIRE(world.execute(untag_resource_request{arn, {"cost", "unknown"}}));
    const auto tags = world.execute(list_tags_of_resource_request{arn}).value().tags;
    CHECK(tags == std::map<std::string, std::string>{{"team", "c"}});
    // The shortest name that a table may have.
    CHECK_THAT(world.fault(list_tags_of_resource_request{arn.substr(0, arn.find('/') + 1) + "abc"}),
               Catch::Contains("not found"));

    CHECK_THAT(world.fault(list_tags_of_resource_request{"things"}), Catch::StartsWith("Invalid TableArn"));
    CHECK(world.execute(list_tags_of_resource_request{"arn:aws:dynamodb:us-east-1:1:table/other"}).error().code ==
          errc::access_denied);
    CHECK_THAT(world.fault(tag_resource_request{arn, {{"why?", "x"}}}),
               Catch::Contains("The Tag Key provided is invalid, Key: why?"));
    CHECK(world.execute(list_tags_of_resource_request{arn + "2"}).error().code == errc::table_not_found);
    CHECK_THAT(world.fault(tag_resource_request{arn, {}}), Catch::StartsWith("Atleast one Tag"));
}

TEST_CASE("a table is found by its ARN") {
    engine_world world;
    world.put({{"pk", "a"}});
    get_item_request request;
    request.table_name = described(world).arn;
    request.key = {{"pk", "a"}};
    CHECK(world.execute(request).value().found);
}

TEST_CASE("the service tells its limits and endpoint") {
    engine_world world;
    CHECK(world.execute(describe_limits_request{}).value().table_read_units > 0);
    CHECK(world.execute(describe_endpoints_request{}).value().endpoints.size() == 1);
}

}  // namespace dynalease::local::test
