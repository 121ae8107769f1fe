// PutItem, GetItem, DeleteItem: keys, what they return, and what a refusal brings.
// SPDX-License-Identifier: BSL-1.0
#include "unit/local/engine_world.hpp"

#include <vector>

namespace dynalease::local::test {

namespace {

put_item_request put_of(item value) {
    put_item_request request;
    request.table_name = "things";
    request.new_item = std::move(value);
    return request;
}

delete_item_request delete_of(item_key key) {
    delete_item_request request;
    request.table_name = "things";
    request.key = std::move(key);
    return request;
}

}  // namespace

TEST_CASE("a put replaces the whole item and returns the old one when asked") {
    engine_world world;
    auto request = put_of({{"pk", "a"}, {"n", 1}});
    request.returned = return_values::all_old;
    CHECK(world.execute(request).value().attributes == item{});
    request.new_item = {{"pk", "a"}, {"s", "x"}};
    CHECK(world.execute(request).value().attributes == item{{"pk", "a"}, {"n", 1}});
    CHECK(world.get({{"pk", "a"}}) == request.new_item);
}

TEST_CASE("a delete removes the item, returns the old one when asked, and may find nothing") {
    engine_world world;
    world.put({{"pk", "a"}, {"n", 1}});
    auto request = delete_of({{"pk", "a"}});
    request.returned = return_values::all_old;
    CHECK(world.execute(request).value().attributes == item{{"pk", "a"}, {"n", 1}});
    CHECK_FALSE(world.get({{"pk", "a"}}));
    CHECK(world.execute(request).value().attributes == item{});
}

TEST_CASE("put and delete return old values only") {
    engine_world world;
    auto request = put_of({{"pk", "a"}});
    request.returned = return_values::all_new;
    CHECK_THAT(world.fault(request), Catch::Contains("ReturnValues"));
}

TEST_CASE("a refused condition brings the present item when asked, and nothing when there is none") {
    engine_world world;
    auto request = put_of({{"pk", "a"}, {"n", 2}});
    request.condition_expression = "n = :one";
    request.values = {{":one", 1}};
    request.current_on_refusal = true;
    auto why = world.execute(request).error();
    CHECK(why.code == errc::condition_failed);
    CHECK(why.outcome == outcome::not_applied);
    CHECK(why.details.message == "The conditional request failed");
    CHECK_FALSE(why.current);
    world.put({{"pk", "a"}, {"n", 7}, {"s", "x"}});
    CHECK(world.execute(request).error().current == item{{"pk", "a"}, {"n", 7}, {"s", "x"}});
    request.current_on_refusal = false;
    CHECK_FALSE(world.execute(request).error().current);
}

TEST_CASE("numbers come back in the one form DynamoDB gives them") {
    engine_world world;
    world.put({{"pk", "a"},
               {"n", n("1.500")},
               {"l", list({n("1E2"), attribute_map{{"x", n("-0.0")}}})},
               {"ns", number_set{n("1.0"), n("20")}}});
    const item found = *world.get({{"pk", "a"}});
    CHECK(found.at("n").get_if<number>()->text() == "1.5");
    const auto& list = *found.at("l").get_if<attribute_list>();
    CHECK(list[0].get_if<number>()->text() == "100");
    CHECK(list[1].get_if<attribute_map>()->at("x").get_if<number>()->text() == "0");
    CHECK(found.at("ns").get_if<number_set>()->begin()->text() == "1");
}

TEST_CASE("one number has one key, however it is written") {
    engine_world world;
    create_table_request create;
    create.table_name = "numbers";
    create.key.hash = {"k", scalar_type::n};
    REQUIRE(world.execute(create));
    auto request = put_of({{"k", n("1.0")}, {"v", 1}});
    request.table_name = "numbers";
    REQUIRE(world.execute(request));
    get_item_request get;
    get.table_name = "numbers";
    get.key = {{"k", n("10e-1")}};
    CHECK(world.execute(get).value().found == item{{"k", 1}, {"v", 1}});
}

TEST_CASE("keys that do not fit the table are refused") {
    const std::string too_long(2049, 'x');
    const std::vector<std::pair<item, const char*>> puts{
        {{{"n", 1}}, "One or more parameter values were invalid: Missing the key pk in the item"},
        {{{"pk", 1}}, "One or more parameter values were invalid: Type mismatch for key pk expected: S actual: N"},
        {{{"pk", ""}},
         "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty "
         "string value. Key: pk"},
        {{{"pk", too_long}}, "Size of hashkey has exceeded the maximum size limit"},
    };
    for (const auto& [value, words] : puts) {
        engine_world world;
        CHECK_THAT(world.fault(put_of(value)), Catch::Contains(words));
    }
    for (const item_key& key :
         {item_key{}, item_key{{"n", "a"}}, item_key{{"pk", 1}}, item_key{{"pk", "a"}, {"n", 1}}}) {
        engine_world world;
        CHECK(world.fault(delete_of(key)) == "The provided key element does not match the schema");
    }
    engine_world world;
    world.put({{"pk", std::string(2048, 'x')}});
    engine_world ranged(true);
    CHECK(ranged.fault(delete_of({{"pk", "a"}})) == "The provided key element does not match the schema");
    CHECK_THAT(ranged.fault(put_of({{"pk", "a"}, {"sk", std::string(1025, 'x')}})),
               Catch::Contains("range keys has exceeded the size limit of 1024 bytes"));
    ranged.put({{"pk", "a"}, {"sk", std::string(1024, 'x')}});
}

TEST_CASE("values DynamoDB does not keep are refused") {
    attribute_value deep{1};
    for (int i = 0; i < 30; ++i) deep = attribute_value(attribute_list(1, deep));
    engine_world world;
    world.put({{"pk", "a"}, {"v", list({deep})}});
    CHECK_THAT(world.fault(put_of({{"pk", "a"}, {"v", list({attribute_list(1, deep)})}})),
               Catch::Contains("Nesting Levels have exceeded supported limits"));
    CHECK_THAT(world.fault(put_of({{"pk", "a"}, {"v", string_set{}}})), Catch::Contains("may not be empty"));
    CHECK_THAT(world.fault(put_of({{"pk", "a"}, {"v", attribute_map{{"x", number_set{}}}}})),
               Catch::Contains("may not be empty"));
    CHECK_THAT(world.fault(update_of("SET v = :v", {{":v", binary_set{}}})), Catch::Contains("may not be empty"));
}

TEST_CASE("an unknown table is named so, by every operation on items") {
    engine_world world;
    auto request = put_of({{"pk", "a"}});
    request.table_name = "nowhere";
    const auto why = world.execute(request).error();
    CHECK(why.code == errc::table_not_found);
    CHECK(why.details.message == "Requested resource not found");
    request.table_name = "arn:aws:dynamodb:eu-central-1:123456789012:table/things";
    CHECK(world.execute(request));
    request.table_name = "a b";
    CHECK(world.execute(request).error().code == errc::validation);
}

TEST_CASE("capacity is reported when asked for") {
    engine_world world;
    auto request = put_of({{"pk", "a"}, {"v", std::string(1500, 'x')}});
    CHECK_FALSE(world.execute(request).value().consumed);
    request.report_capacity = true;
    CHECK(world.execute(request).value().consumed->capacity_units == 2);
    get_item_request get;
    get.table_name = "things";
    get.key = {{"pk", "a"}};
    get.report_capacity = true;
    CHECK(world.execute(get).value().consumed->capacity_units == 0.5);
    get.consistent_read = true;
    CHECK(world.execute(get).value().consumed->capacity_units == 1);
}

}  // namespace dynalease::local::test
