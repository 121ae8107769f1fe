// Conditions: every operator and function, precedence, missing attributes, types that do not match.
// SPDX-License-Identifier: BSL-1.0
#include "unit/local/engine_world.hpp"

#include <vector>

namespace dynalease::local::test {

namespace {

const item subject{
    {"pk", "a"},
    {"n", 5},
    {"half", n("0.5")},
    {"big", n("99999999999999999999999999999999999999")},
    {"s", "hello"},
    {"accent", "\xc3\xa9"},
    {"clef", "\xf0\x9d\x84\x9e"},
    {"bin", bytes("\x01\xff")},
    {"no_bytes", binary{}},
    {"yes", true},
    {"nil", null{}},
    {"l", list({1, "two", list({3})})},
    {"m", attribute_map{{"mid", attribute_map{{"deep", 7}}}, {"l", list({"x"})}}},
    {"ss", string_set{"red", "green"}},
    {"ns", number_set{number(1), number(2)}},
    {"bs", binary_set{bytes("k")}},
};

const attribute_values constants{
    {":0", 0},
    {":1", 1},
    {":3", 3},
    {":4", 4},
    {":5", 5},
    {":5text", n("5.00")},
    {":6", 6},
    {":7", 7},
    {":2b", 2},
    {":he", "he"},
    {":hello", "hello"},
    {":ll", "ll"},
    {":z", "z"},
    {":e", "e"},
    {":five", "5"},
    {":true", true},
    {":null", null{}},
    {":red", "red"},
    {":two", "two"},
    {":inner", list({3})},
    {":S", "S"},
    {":N", "N"},
    {":B", "B"},
    {":BOOL", "BOOL"},
    {":NULL", "NULL"},
    {":L", "L"},
    {":M", "M"},
    {":SS", "SS"},
    {":NS", "NS"},
    {":BS", "BS"},
    {":ff", bytes("\xff")},
    {":01", bytes("\x01")},
    {":nothing", binary{}},
    {":k", bytes("k")},
    {":set", string_set{"green", "red"}},
    {":x", "x"},
    {":bigger", n("1E+38")},
};

struct row {
    const char* condition;
    bool holds;
};

bool holds(const std::string& condition) {
    engine_world world;
    world.put(subject);
    delete_item_request request;
    request.table_name = "things";
    request.key = {{"pk", "a"}};
    request.condition_expression = condition;
    request.values = used(constants, condition);
    const auto answer = world.execute(request);
    if (!answer) REQUIRE(answer.error().details.message == "The conditional request failed");
    REQUIRE(world.get({{"pk", "a"}}).has_value() != answer.has_value());
    return answer.has_value();
}

void check(const std::vector<row>& rows) {
    for (const auto& [condition, expected] : rows) {
        INFO(condition);
        CHECK(holds(condition) == expected);
    }
}

}  // namespace

TEST_CASE("comparisons go by type: numbers by value, strings and binaries by bytes") {
    check({{"n = :5", true},         {"n = :5text", true},      {"n = :five", false},    {"n <> :5", false},
           {"n <> :five", true},     {"n < :6", true},          {"n < :5", false},       {"n <= :5", true},
           {"n > :4", true},         {"n > :5", false},         {"n >= :5", true},       {"n >= :6", false},
           {"half < :1", true},      {"half > :0", true},       {"big < :bigger", true}, {"big > :five", false},
           {"s < :z", true},         {"s >= :hello", true},     {"accent > :z", true},   {"accent > :e", true},
           {"bin > :01", true},      {"bin < :ff", true},       {"yes = :true", true},   {"nil = :null", true},
           {"ss = :set", true},      {":5 = n", true},          {":4 < n", true},        {"n < s", false},
           {"n < m.mid.deep", true}, {"m.mid.deep = :7", true}, {"l[2][0] = :3", true},  {"l[1] = :two", true},
           {"m.l[0] = :x", true},    {"(n) = :5", true},        {"size(l) = :3", true},  {":3 = size(l)", true}});
}

TEST_CASE("what is missing is equal to nothing, unequal to everything, and in no order") {
    check({{"gone = :5", false},
           {"gone <> :5", true},
           {"gone < :5", false},
           {"gone >= :5", false},
           {"NOT gone < :5", true},
           {"gone BETWEEN :1 AND :5", false},
           {"gone IN (:5)", false},
           {"contains(gone, :he)", false},
           {"begins_with(gone, :he)", false},
           {"attribute_type(gone, :S)", false},
           {"size(gone) >= :0", false},
           {"size(gone) <> :0", true},
           {"l[9] = :1", false},
           {"attribute_exists(l[2][1])", false},
           {"attribute_not_exists(s.nope)", true},
           {"attribute_not_exists(s[0])", true},
           {"attribute_not_exists(l.nope)", true},
           {"m.mid.gone = gone", false}});
}

TEST_CASE("BETWEEN includes both ends, IN compares by value") {
    check({{"n BETWEEN :5 AND :6", true},
           {"n BETWEEN :4 AND :5", true},
           {"n BETWEEN :6 AND :7", false},
           {"s BETWEEN :he AND :z", true},
           {"s BETWEEN :1 AND :5", false},
           {"n between :1 and :6 and s = :hello", true},
           {"n IN (:4, :5text)", true},
           {"n IN (:five)", false},
           {"s IN (:he, :ll)", false},
           {"m.mid.deep IN (:6, :7)", true},
           {"yes in (:true)", true}});
}

TEST_CASE("functions") {
    check({{"attribute_exists(pk)", true},
           {"attribute_exists(m.mid.deep)", true},
           {"attribute_not_exists(pk)", false},
           {"attribute_exists(l[0])", true},
           {"attribute_not_exists(l[3])", true},
           {"attribute_exists(nil)", true},
           {"begins_with(s, :he)", true},
           {"begins_with(s, :hello)", true},
           {"begins_with(s, :ll)", false},
           {"begins_with(bin, :01)", true},
           {"begins_with(n, :five)", false},
           {"contains(s, :ll)", true},
           {"contains(s, :z)", false},
           {"contains(bin, :ff)", true},
           {"contains(bin, :nothing)", true},
           {"contains(no_bytes, :nothing)", true},
           {"contains(no_bytes, :ff)", false},
           {"contains(l, :two)", true},
           {"contains(l, :inner)", true},
           {"contains(l, :five)", false},
           {"contains(ss, :red)", true},
           {"contains(ss, :z)", false},
           {"contains(ns, :2b)", true},
           {"contains(ns, :5text)", false},
           {"contains(bs, :k)", true},
           {"contains(n, :5)", false},
           {"size(s) = :5", true},
           {"size(accent) = :2b", false},  // UTF-16, not bytes
           {"size(clef) = :2b", true},
           {"size(bin) = :2b", true},
           {"size(ss) = :2b", true},
           {"size(m) = :2b", true},
           {"size(n) = :1", false}});
}

TEST_CASE("attribute_type knows all ten types") {
    check({{"attribute_type(s, :S)", true},
           {"attribute_type(n, :N)", true},
           {"attribute_type(bin, :B)", true},
           {"attribute_type(yes, :BOOL)", true},
           {"attribute_type(l, :L)", true},
           {"attribute_type(nil, :NULL)", true},
           {"attribute_type(m, :M)", true},
           {"attribute_type(ss, :SS)", true},
           {"attribute_type(ns, :NS)", true},
           {"attribute_type(bs, :BS)", true},
           {"attribute_type(s, :N)", false},
           {"attribute_type(ss, :S)", false}});
}

TEST_CASE("NOT binds closer than AND, AND closer than OR") {
    check({{"n = :5 OR n = :4 AND s = :z", true},
           {"(n = :5 OR n = :4) AND s = :z", false},
           {"s = :z AND n = :4 OR n = :5", true},
           {"NOT n = :4 AND s = :hello", true},
           {"NOT (n = :5 AND s = :z)", true},
           {"NOT n = :5 OR s = :hello", true},
           {"NOT NOT n = :5", true},
           {"NOT n BETWEEN :4 AND :6", false},
           {"n = :4 OR n = :6 OR NOT s = :z AND yes = :true", true},
           {"n = :5 aNd s = :hello oR n = :4", true}});
}

TEST_CASE("a condition on an absent item sees no attributes") {
    engine_world world;
    put_item_request request;
    request.table_name = "things";
    request.new_item = {{"pk", "a"}};
    request.condition_expression = "attribute_exists(pk)";
    CHECK(world.execute(request).error().code == errc::condition_failed);
    request.condition_expression = "attribute_not_exists(pk)";
    CHECK(world.execute(request));
    CHECK(world.execute(request).error().code == errc::condition_failed);
}

}  // namespace dynalease::local::test
