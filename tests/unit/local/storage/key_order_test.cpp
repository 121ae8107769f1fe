// The order of keys: numbers by value over the whole range, binaries by unsigned bytes.
// SPDX-License-Identifier: BSL-1.0
#include "local/storage/hash_order.hpp"
#include "local/storage/number_key.hpp"

#include "unit/local/engine_world.hpp"

#include <algorithm>
#include <random>
#include <vector>

namespace dynalease::local::test {

namespace {

number random_number(std::mt19937& chance) {
    std::string text = chance() % 2 == 0 ? "-" : "";
    const auto digits = 1 + chance() % 38;
    for (unsigned i = 0; i < digits; ++i) text += static_cast<char>('0' + chance() % 10);
    const int exponent = static_cast<int>(chance() % 140) - 125;
    text += "E" + std::to_string(chance() % 3 == 0 ? exponent : static_cast<int>(chance() % 4) - 2);
    return number::parse(text).value_or(number(0));
}

}  // namespace

TEST_CASE("encoded numbers sort as the numbers do") {
    std::mt19937 chance(7);
    std::vector<number> numbers{n("0"),       n("1"),  n("1.0"), n("-1"),  n("9.99E+125"), n("-9.99E+125"), n("1E-130"),
                                n("-1E-130"), n("10"), n("99"),  n("100"), n("0.1"),       n("0.01")};
    for (int i = 0; i < 200; ++i) numbers.push_back(random_number(chance));
    for (const number& left : numbers) {
        for (const number& right : numbers) {
            const auto by_bytes = sortable_bytes(left) <=> sortable_bytes(right);
            if (by_bytes != (left <=> right)) FAIL(left.text() + " and " + right.text());
        }
    }
}

TEST_CASE("a query walks numeric range keys by value and binary ones by unsigned bytes") {
    const auto order_of = [](scalar_type type, std::vector<attribute_value> keys) {
        engine_world world(true, type);
        for (const auto& key : keys) world.put({{"pk", "a"}, {"sk", key}});
        query_request request;
        request.table_name = "things";
        request.key_condition_expression = "pk = :a";
        request.values = {{":a", "a"}};
        std::vector<attribute_value> found;
        for (const item& each : world.execute(request).value().items) found.push_back(each.at("sk"));
        return found;
    };
    CHECK(order_of(scalar_type::n, {10, 9, -1, n("0.5"), 0, -20}) ==
          std::vector<attribute_value>{-20, -1, 0, n("0.5"), 9, 10});
    CHECK(order_of(scalar_type::b, {bytes("\xff"), bytes("a"), bytes("\x7f\x01"), bytes("\x80")}) ==
          std::vector<attribute_value>{bytes("a"), bytes("\x7f\x01"), bytes("\x80"), bytes("\xff")});
}

TEST_CASE("a key is scattered by MD5, however it fills the blocks") {
    const auto of_length = [](std::size_t length) { return hash_order(std::string(length, 'a')); };
    CHECK(of_length(0) == 0x65a4c05294be8932);
    CHECK(of_length(47) == 0x24b4102af26bb651);
    CHECK(of_length(48) == 0xf598f76bc3e9f800);
    CHECK(of_length(55) == 0xe94efa23b4b6ee96);
    CHECK(of_length(56) == 0xd0ef2609bba6ba1e);
    CHECK(of_length(200) == 0x23f9b799e72c7d6e);
    CHECK(hash_order("aa", std::string(198, 'a')) == of_length(200));
}

TEST_CASE("a scan goes by the service's order of hash keys") {
    const auto scanned = [](const std::vector<attribute_value>& keys, scalar_type type) {
        engine_world world;
        create_table_request table;
        table.table_name = "scattered";
        table.key.hash = {"k", type};
        REQUIRE(world.execute(table));
        for (const auto& key : keys) {
            put_item_request put;
            put.table_name = "scattered";
            put.new_item = {{"k", key}};
            REQUIRE(world.execute(put));
        }
        scan_request request;
        request.table_name = "scattered";
        std::vector<attribute_value> found;
        for (const item& each : world.execute(request).value().items) found.push_back(each.at("k"));
        return found;
    };
    // Both orders were seen on AWS.
    const std::vector<attribute_value> texts{"2", "8", "9",    "1",       "6", "hello", "0",
                                             "5", "4", "äáöü", "aardman", "7", "3",     "zapf"};
    const std::vector<attribute_value> numbers{7, n("999.9"), 8, 3, 2, n("-999.9"),   9,
                                               4, n("-0.09"), 6, 1, 0, n("0.012345"), 5};
    CHECK(scanned({texts.rbegin(), texts.rend()}, scalar_type::s) == texts);
    CHECK(scanned({numbers.rbegin(), numbers.rend()}, scalar_type::n) == numbers);
}

}  // namespace dynalease::local::test
