// Conditions and updates as texts and placeholders.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/dynamodb/expression.hpp>
#include <dynalease/error.hpp>

#include <catch2/catch.hpp>

#include <array>
#include <cstddef>
#include <ranges>
#include <set>
#include <string>
#include <vector>

namespace dynalease {

namespace {

struct rendered {
    attribute_names names{};
    attribute_values values{};
    std::string text;

    template <class Expression>
    explicit rendered(const Expression& expression) {
        text = expression_names(names, values).render(expression);
    }
};

std::string text_of(const condition_expression& condition) {
    return rendered(condition).text;
}
std::string text_of(const update_expression& update) {
    return rendered(update).text;
}

}  // namespace

TEST_CASE("comparisons and functions are rendered in DynamoDB's grammar") {
    CHECK(text_of(attr("a") == 1) == "#0 = :0");
    CHECK(text_of(attr("a") != 1) == "#0 <> :0");
    CHECK(text_of(attr("a") < attr("b")) == "#0 < #1");
    CHECK(text_of(attr("a") <= 1) == "#0 <= :0");
    CHECK(text_of(1 > attr("a")) == ":0 > #0");
    CHECK(text_of(attr("a") >= 1) == "#0 >= :0");
    CHECK(text_of(attribute_exists("a")) == "attribute_exists(#0)");
    CHECK(text_of(attribute_not_exists("a")) == "attribute_not_exists(#0)");
    CHECK(text_of(attribute_type("a", "N")) == "attribute_type(#0, :0)");
    CHECK(text_of(begins_with("a", "x")) == "begins_with(#0, :0)");
    CHECK(text_of(contains("a", attr("b"))) == "contains(#0, #1)");
    CHECK(text_of(between(attr("a"), 1, 2)) == "#0 BETWEEN :0 AND :1");
    CHECK(text_of(in(attr("a"), {1, "x", attr("b")})) == "#0 IN (:0, :1, #1)");
    CHECK(text_of(size_of("a") < 3) == "size(#0) < :0");
}

TEST_CASE("of a function's first argument a string is an attribute's name, and an attribute stands for its path") {
    CHECK(text_of(between("a", 1, 2)) == "#0 BETWEEN :0 AND :1");
    CHECK(text_of(!in(std::string("a"), {1, "x"})) == "NOT #0 IN (:0, :1)");
    CHECK(text_of(in(path("a")["b"], {1})) == "#0.#1 IN (:0)");
    CHECK(text_of(between(size_of("a"), 1, 2)) == "size(#0) BETWEEN :0 AND :1");
    CHECK(text_of(begins_with(attr("a"), "x")) == "begins_with(#0, :0)");
    CHECK(text_of(attribute_exists(attr("a"))) == "attribute_exists(#0)");
    CHECK(text_of(size_of(attr(path("a")[0])) < 3) == "size(#0[0]) < :0");
    CHECK_FALSE(set(attr("a"), attr("b") + 1).empty());
    CHECK(text_of(attr("a")["b"][2] == 1) == "#0.#1[2] = :0");
    CHECK(text_of(attribute_exists(attr("a")["b"])) == "attribute_exists(#0.#1)");
}

TEST_CASE("what a container holds may be the candidates") {
    const std::vector<std::string> states{"open", "paid"};
    CHECK(text_of(in("a", states)) == "#0 IN (:0, :1)");
    CHECK(text_of(in(attr("a"), std::set<int>{1, 2, 3})) == "#0 IN (:0, :1, :2)");
    CHECK(text_of(in(size_of("a"), std::vector<operand>{1, attr("b")})) == "size(#0) IN (:0, #1)");
    CHECK(text_of(in(size_of("a"), std::vector<std::size_t>{1, 2})) == "size(#0) IN (:0, :1)");
    CHECK(text_of(in("a", attribute_list{1, "x"})) == "#0 IN (:0, :1)");
    CHECK(text_of(in("a", string_set{"x", "y"})) == "#0 IN (:0, :1)");
    CHECK(text_of(in("a", number_set{1, 2})) == "#0 IN (:0, :1)");
    CHECK(text_of(in("a", states | std::views::filter([](auto& each) { return each != "paid"; }))) == "#0 IN (:0)");
    static_assert(!detail::operands<std::string>);
    static_assert(!detail::operands<const char(&)[2]>);
}

TEST_CASE("parentheses stand where they are needed, and nowhere else") {
    const auto a = attribute_exists("a");
    const auto b = attribute_exists("b");
    const auto c = attribute_exists("c");
    const std::string A = "attribute_exists(#0)", B = "attribute_exists(#1)", C = "attribute_exists(#2)";
    CHECK(text_of(a && b && c) == A + " AND " + B + " AND " + C);
    CHECK(text_of(a && (b && c)) == A + " AND " + B + " AND " + C);
    CHECK(text_of(a || b || c) == A + " OR " + B + " OR " + C);
    CHECK(text_of(a || (b && c)) == A + " OR " + B + " AND " + C);
    CHECK(text_of((a || b) && c) == "(" + A + " OR " + B + ") AND " + C);
    CHECK(text_of(a && (b || c)) == A + " AND (" + B + " OR " + C + ")");
    CHECK(text_of(!a) == "NOT " + A);
    CHECK(text_of(!(a && b)) == "NOT (" + A + " AND " + B + ")");
    CHECK(text_of(!!a) == "NOT (NOT " + A + ")");
    CHECK(text_of(!a && b) == "NOT " + A + " AND " + B);
}

TEST_CASE("a condition that demands nothing vanishes") {
    const condition_expression nothing;
    CHECK(nothing.empty());
    CHECK(text_of(nothing && attribute_exists("a")) == "attribute_exists(#0)");
    CHECK(text_of(attribute_exists("a") || nothing) == "attribute_exists(#0)");
    CHECK(text_of(!nothing) == "");
    put_item_request request;
    apply(request, nothing);
    CHECK(request.condition_expression.empty());
}

TEST_CASE("updates are rendered clause by clause") {
    CHECK(text_of(set("state", "CHARGED")) == "SET #0 = :0");
    CHECK(text_of(set("n", attr("n") + 1)) == "SET #0 = #0 + :0");
    CHECK(text_of(set("n", if_not_exists("n", 0) - 1)) == "SET #0 = if_not_exists(#0, :0) - :1");
    CHECK(text_of(set("l", list_append(if_not_exists("l", attribute_list{}), attribute_list{1}))) ==
          "SET #0 = list_append(if_not_exists(#0, :0), :1)");
    CHECK(text_of(dynalease::remove("ttl")) == "REMOVE #0");
    CHECK(text_of(add("n", 1)) == "ADD #0 :0");
    CHECK(text_of(delete_from("s", string_set{"x"})) == "DELETE #0 :0");
    auto all = delete_from("d", string_set{"x"}) + set("a", 1) + add("c", 2) + dynalease::remove("b");
    all += set("e", 3) + dynalease::remove(path{"line"}[0]);
    CHECK(text_of(all) == "SET #0 = :0, #1 = :1 REMOVE #2, #3[0] ADD #4 :2 DELETE #5 :3");
    CHECK(update_expression{}.empty());
    CHECK(!all.empty());
}

TEST_CASE("a string is one attribute, whatever its characters") {
    const auto name = GENERATE(as<std::string>{}, "a.b", "with space", "size", "AND", "#x", ":v", "l[0]", "é", "");
    const rendered out(attr(name) == 1);
    CHECK(out.text == "#0 = :0");
    CHECK(out.names == attribute_names{{"#0", name}});
    CHECK(out.values == attribute_values{{":0", 1}});
}

TEST_CASE("a path leads into maps and lists") {
    const rendered out(attr(path{"order"}["lines"][0]["order"]) == 1);
    CHECK(out.text == "#0.#1[0].#0 = :0");
    CHECK(out.names == attribute_names{{"#0", "order"}, {"#1", "lines"}});
}

TEST_CASE("the expressions of one request share placeholders") {
    update_item_request request;
    apply(request, set("n", attr("n") + 1) + set("state", "b"));
    apply(request, attr("state") == "a" && attr("n") < 5);
    CHECK(request.update_expression == "SET #0 = #0 + :0, #1 = :1");
    CHECK(request.condition_expression == "#1 = :2 AND #0 < :3");
    CHECK(request.names == attribute_names{{"#0", "n"}, {"#1", "state"}});
    CHECK(request.values == attribute_values{{":0", 1}, {":1", "b"}, {":2", "a"}, {":3", 5}});
}

TEST_CASE("what a request holds already stays") {
    put_item_request request;
    request.condition_expression = "#0 = :0 OR #mine = :0";
    request.names = {{"#0", "zero"}, {"#mine", "mine"}};
    request.values = {{":0", "old"}};
    apply(request, attr("mine") == 1 && attr("other") == 2);
    CHECK(request.condition_expression == "(#0 = :0 OR #mine = :0) AND (#mine = :1 AND #1 = :2)");
    CHECK(request.names == attribute_names{{"#0", "zero"}, {"#1", "other"}, {"#mine", "mine"}});
    CHECK(request.values == attribute_values{{":0", "old"}, {":1", 1}, {":2", 2}});

    // Twice the same parentheses would be refused as redundant.
    request.condition_expression = "(a = :0)";
    apply(request, attribute_exists("zero"));
    CHECK(request.condition_expression == "(a = :0) AND (attribute_exists(#0))");
    request.condition_expression = "(a = :0) OR (b = :0)";
    apply(request, attribute_exists("zero"));
    CHECK(request.condition_expression == "((a = :0) OR (b = :0)) AND (attribute_exists(#0))");
}

TEST_CASE("a second update is an error, not a lost one") {
    transact_update action{.table_name = "t", .key = {}, .update_expression = {}};
    apply(action, set("a", 1));
    apply(action, update_expression{});
    CHECK_THROWS_AS(apply(action, set("b", 1)), error);
    CHECK(action.update_expression == "SET #0 = :0");
}

TEST_CASE("every request that takes conditions takes them here") {
    delete_item_request deletion;
    apply(deletion, attribute_exists("a"));
    CHECK(deletion.condition_expression == "attribute_exists(#0)");
    condition_check check;
    apply(check, attribute_exists("a"));
    CHECK(check.condition_expression == "attribute_exists(#0)");

    query_request query;
    apply_key(query, attr("pk") == "p" && begins_with("sk", "s"));
    apply_filter(query, attr("pk") != attr("size"));
    apply_projection(query, std::array<path, 2>{"size", path{"m"}["size"]});
    CHECK(query.key_condition_expression == "#0 = :0 AND begins_with(#1, :1)");
    CHECK(query.filter_expression == "#0 <> #2");
    CHECK(query.projection_expression == "#2, #3.#2");
    CHECK(query.names == attribute_names{{"#0", "pk"}, {"#1", "sk"}, {"#2", "size"}, {"#3", "m"}});

    get_item_request get;
    apply_projection(get, std::array<path, 1>{"a"});
    CHECK(get.projection_expression == "#0");
    apply_projection(get, {"b", path{"m"}["a"]});
    CHECK(get.projection_expression == "#0, #1, #2.#0");
}

}  // namespace dynalease
