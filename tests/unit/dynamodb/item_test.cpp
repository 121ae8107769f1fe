// Items: reading attributes, sizes, and what a request is about.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/dynamodb/item.hpp>
#include <dynalease/dynamodb/operations.hpp>

#include <catch2/catch.hpp>

namespace dynalease {

TEST_CASE("attributes are read by name and type") {
    const item row{{"name", "n"}, {"count", 3}, {"half", number("0.5")}};
    CHECK(find(row, "name") == &row.at("name"));
    CHECK(find(row, "absent") == nullptr);
    CHECK(*find_string(row, "name") == "n");
    CHECK(find_string(row, "count") == nullptr);
    CHECK(find_integer(row, "count") == 3);
    CHECK(!find_integer(row, "half"));
    CHECK(!find_integer(row, "name"));
    CHECK(!find_integer(row, "absent"));
}

TEST_CASE("a C++ value becomes the type that is meant") {
    CHECK(attribute_value("text").type_name() == "S");
    CHECK(attribute_value(std::string_view("text")).type_name() == "S");
    CHECK(attribute_value(1).type_name() == "N");
    CHECK(attribute_value(1ULL).type_name() == "N");
    CHECK(attribute_value(true).type_name() == "BOOL");
    CHECK(attribute_value().type_name() == "NULL");
    CHECK(attribute_value(binary{std::byte{1}}).type_name() == "B");
    CHECK(attribute_value(attribute_list{1, "a"}).type_name() == "L");
    CHECK(attribute_value(attribute_map{{"a", 1}}).type_name() == "M");
    CHECK(attribute_value(string_set{"a"}).type_name() == "SS");
    CHECK(attribute_value(number_set{1}).type_name() == "NS");
    CHECK(attribute_value(binary_set{{}}).type_name() == "BS");
    CHECK(attribute_value(number("1.0")) == attribute_value(1));
    CHECK(attribute_value("1") != attribute_value(1));
}

TEST_CASE("an item has the size that DynamoDB counts") {
    CHECK(item_size({}) == 0);
    CHECK(item_size({{"key", "value"}}) == 8);
    CHECK(item_size({{"é", "€"}}) == 5);  // bytes of UTF-8, not characters
    CHECK(item_size({{"n", 0}}) == 2);    // zero has no digits
    CHECK(item_size({{"n", 1}}) == 3);    // two digits share a byte
    CHECK(item_size({{"n", 12}}) == 3);
    CHECK(item_size({{"n", 123}}) == 4);
    CHECK(item_size({{"n", -123}}) == 5);             // the sign takes one
    CHECK(item_size({{"n", number("1e100")}}) == 3);  // zeros at the end take none
    CHECK(item_size({{"n", number("0.15")}}) == 3);
    CHECK(item_size({{"n", number("1.5")}}) == 4);  // digits on both sides of the point do not share a byte
    CHECK(item_size({{"n", number("3.14159")}}) == 6);
    CHECK(item_size({{"n", number("100.5")}}) == 5);  // zeros before the point count where digits follow it
    CHECK(item_size({{"b", binary(7)}}) == 8);
    CHECK(item_size({{"t", true}, {"z", null{}}}) == 4);
    CHECK(item_size({{"l", attribute_list{}}}) == 4);
    CHECK(item_size({{"l", attribute_list{"a", "bc"}}}) == 1 + 3 + 2 + 3);
    CHECK(item_size({{"m", attribute_map{{"k", "v"}}}}) == 1 + 3 + 1 + 2);
    CHECK(item_size({{"s", string_set{"a", "bc"}}}) == 4);
    CHECK(item_size({{"s", number_set{1, 100}}}) == 5);
}

TEST_CASE("requests say their operation, table and whether they write") {
    CHECK(operation_name(update_item_request{}) == "UpdateItem");
    CHECK(table_of(update_item_request{.table_name = "t", .key = {}}) == "t");
    CHECK(table_of(list_tables_request{}) == "");
    CHECK(table_of(batch_get_item_request{.tables = {{"b", {}}}}) == "b");
    CHECK(table_of(batch_write_item_request{}) == "");
    CHECK(table_of(transact_get_items_request{.gets = {{.table_name = "g", .key = {}}}}) == "g");
    CHECK(table_of(transact_write_items_request{.actions = {transact_delete{.table_name = "w", .key = {}}}}) == "w");
    CHECK(is_write(update_item_request{}));
    CHECK(is_write(transact_write_items_request{}));
    CHECK(is_write(create_table_request{}));
    CHECK(!is_write(get_item_request{}));
    CHECK(!is_write(query_request{}));
    CHECK(!is_write(transact_get_items_request{}));
    CHECK(!is_write(describe_time_to_live_request{}));
}

}  // namespace dynalease
