// Global indexes whose hash and range keys have several attributes.
// SPDX-License-Identifier: BSL-1.0
#include "unit/local/engine_world.hpp"

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

namespace dynalease::local::test {

namespace {

/// "things" with the index "i": hash attributes h1 and h2 (a number), range attributes r1, r2 (a number) and r3.
struct indexed_world : engine_world {
    indexed_world() {
        update_table_request request;
        request.table_name = "things";
        request.index_changes = {secondary_index{.name = "i",
                                                 .key = {.hash = {"h1"},
                                                         .range = key_attribute{"r1"},
                                                         .more_hash = {{"h2", scalar_type::n}},
                                                         .more_range = {{"r2", scalar_type::n}, {"r3"}}}}};
        REQUIRE(execute(request));
    }

    void add(std::string pk, attribute_value r1, attribute_value r2, attribute_value r3) {
        put({{"pk", std::move(pk)},
             {"h1", "a"},
             {"h2", 1},
             {"r1", std::move(r1)},
             {"r2", std::move(r2)},
             {"r3", std::move(r3)}});
    }

    query_request asked(const std::string& condition, const attribute_values& values = {}) {
        attribute_values all{{":h1", "a"}, {":h2", 1}, {":x", "x"}, {":two", 2}};
        for (const auto& [name, value] : values) all.insert_or_assign(name, value);
        query_request request;
        request.table_name = "things";
        request.index_name = "i";
        request.key_condition_expression = condition;
        request.values = used(all, condition);
        return request;
    }

    /// The table keys of what is under the hash key and the condition, page by page in the order of the answers.
    std::vector<std::string> found(const std::string& condition, const attribute_values& values = {},
                                   bool forward = true, std::int32_t page = 100) {
        auto request = asked("h1 = :h1 AND h2 = :h2" + (condition.empty() ? "" : " AND " + condition), values);
        request.scan_index_forward = forward;
        request.limit = page;
        std::vector<std::string> keys;
        do {
            INFO(condition << ": " << fault(request));
            const auto answer = execute(request).value();
            for (const item& each : answer.items) keys.push_back(*find_string(each, "pk"));
            request.exclusive_start_key = answer.last_evaluated_key;
        } while (!request.exclusive_start_key.empty());
        return keys;
    }
};

using keys = std::vector<std::string>;

/// Short texts of the bytes that an encoding could trip over.
std::string random_text(std::mt19937& chance) {
    std::string text;
    do {
        text.push_back(std::string("\0\1a\x7f", 4)[chance() % 4]);
    } while (chance() % 3 != 0);
    return text;
}

}  // namespace

TEST_CASE("an index of several range attributes sorts by one after another") {
    indexed_world world;
    world.add("a", "y", 2, "b");
    world.add("b", "x", 10, "a");
    world.add("c", "x", 2, "b");
    world.add("d", "x", 2, "a");
    world.add("e", "xa", -1, "a");
    CHECK(world.found("") == keys{"d", "c", "b", "e", "a"});
    CHECK(world.found("", {}, false) == keys{"a", "e", "b", "c", "d"});
    CHECK(world.found("r2 = :two AND r1 = :x") == keys{"d", "c"});  // in any order
    CHECK(world.found("r1 = :x AND :two < r2") == keys{"b"});
}

TEST_CASE("an item that lacks any attribute of the key is not in the index") {
    for (const std::string lacking : {"h1", "h2", "r1", "r2", "r3"}) {
        INFO(lacking);
        indexed_world world;
        world.add("a", "x", 1, "y");
        world.add("b", "x", 1, "z");
        const auto before = world.get({{"pk", "a"}}).value();
        REQUIRE(world.execute(update_of("REMOVE " + lacking)));
        CHECK(world.found("") == keys{"b"});
        REQUIRE(world.execute(update_of("SET " + lacking + " = :v", {{":v", before.at(lacking)}})));
        CHECK(world.found("") == keys{"a", "b"});
    }
}

TEST_CASE("what a query of several attributes finds is what its conditions say, in both directions and by pages") {
    std::mt19937 chance(11);
    indexed_world world;
    struct entry {
        std::string pk, r1;
        int r2;
        std::string r3;
    };
    std::vector<entry> entries;
    for (int i = 0; i < 150; ++i) {
        entries.push_back(
            {std::to_string(i), random_text(chance), static_cast<int>(chance() % 7) - 3, random_text(chance)});
        world.add(entries.back().pk, entries.back().r1, entries.back().r2, entries.back().r3);
    }
    const auto in_order = [](const entry& left, const entry& right) {
        return std::tie(left.r1, left.r2, left.r3) < std::tie(right.r1, right.r2, right.r3);
    };
    struct form {
        std::string condition;
        std::function<bool(const entry&, const entry&, const entry&)> holds;  ///< of an item and two others' values
    };
    const std::vector<form> forms{
        {"r1 = :a", [](auto& it, auto& a, auto&) { return it.r1 == a.r1; }},
        {"r1 < :a", [](auto& it, auto& a, auto&) { return it.r1 < a.r1; }},
        {"r1 > :a", [](auto& it, auto& a, auto&) { return it.r1 > a.r1; }},
        {"r1 BETWEEN :a AND :b", [](auto& it, auto& a, auto& b) { return it.r1 >= a.r1 && it.r1 <= b.r1; }},
        {"begins_with(r1, :a)", [](auto& it, auto& a, auto&) { return it.r1.starts_with(a.r1); }},
        {"r1 = :a AND r2 <= :n", [](auto& it, auto& a, auto&) { return it.r1 == a.r1 && it.r2 <= a.r2; }},
        {"r1 = :a AND r2 >= :n", [](auto& it, auto& a, auto&) { return it.r1 == a.r1 && it.r2 >= a.r2; }},
        {"r1 = :a AND r2 = :n AND r3 > :t",
         [](auto& it, auto& a, auto& b) { return it.r1 == a.r1 && it.r2 == a.r2 && it.r3 > b.r3; }},
        {"r1 = :a AND r2 = :n AND begins_with(r3, :t)",
         [](auto& it, auto& a, auto& b) { return it.r1 == a.r1 && it.r2 == a.r2 && it.r3.starts_with(b.r3); }},
    };
    for (int i = 0; i < 200; ++i) {
        const form& asked = forms[chance() % forms.size()];
        const entry& a = entries[chance() % entries.size()];
        const entry& b = entries[chance() % entries.size()];
        if (asked.condition.starts_with("r1 BETWEEN") && a.r1 > b.r1) continue;  // refused
        std::vector<entry> expected;
        std::ranges::copy_if(entries, std::back_inserter(expected),
                             [&](const entry& each) { return asked.holds(each, a, b); });
        const bool forward = chance() % 2 == 0;
        const attribute_values values{{":a", a.r1}, {":b", b.r1}, {":n", a.r2}, {":t", b.r3}};
        const auto found = world.found(asked.condition, values, forward, 1 + static_cast<int>(chance() % 20));
        std::vector<entry> answered;
        for (const auto& pk : found) answered.push_back(entries[std::stoul(pk)]);
        INFO(asked.condition);
        CHECK(answered.size() == expected.size());
        CHECK(std::ranges::all_of(answered, [&](const entry& each) { return asked.holds(each, a, b); }));
        if (!forward) std::ranges::reverse(answered);
        CHECK(std::ranges::is_sorted(answered, in_order));
    }
}

TEST_CASE("a condition must have all hash attributes and leave no range attribute out") {
    const auto [condition, words] = GENERATE(table<std::string, std::string>({
        {"h1 = :h1", "HASH key attributes h2 must have equality conditions specified in the query"},
        {"r1 = :x", "HASH key attributes h1, h2 must have equality conditions specified in the query"},
        {"h1 = :h1 AND h2 > :h2", "HASH key attributes h2 must have equality conditions specified in the query"},
        {"h1 = :h1 AND h2 = :x",
         "One or more parameter values were invalid: Condition parameter type does not match schema type"},
        {"h1 = :h1 AND h2 = :h2 AND r2 = :two",
         "RANGE key attributes r1 must have equality conditions specified in the query because a condition is present "
         "on key attribute r2"},
        {"h1 = :h1 AND h2 = :h2 AND r1 > :x AND r2 = :two",
         "RANGE key attributes r1 must have equality conditions specified in the query because a condition is present "
         "on key attribute r2"},
        {"h1 = :h1 AND h2 = :h2 AND r1 > :x AND r2 = :two AND r3 = :x",
         "RANGE key attributes r1 must have equality conditions specified in the query because a condition is present "
         "on key attribute r3"},
        {"h1 = :h1 AND h2 = :h2 AND r1 = :x AND r2 = :two AND r3 = :x AND elsewhere = :x",
         "The number of query conditions (6) exceeds the number of key attributes defined in the schema (5)"},
        {"h1 = :h1 AND h2 = :x AND r2 = :x",
         "RANGE key attributes r1 must have equality conditions specified in the query because a condition is present "
         "on key attribute r2"},
        {"h1 = :h1 AND h2 = :h2 AND r3 = :x",
         "RANGE key attributes r1, r2 must have equality conditions specified in the query because a condition is "
         "present on key attribute r3"},
        {"h1 = :h1 AND h2 = :h2 AND elsewhere = :x", "Query condition missed key schema element: r1"},
    }));
    indexed_world world;
    INFO(condition);
    CHECK(world.fault(world.asked(condition)) == words);
}

TEST_CASE("a page of an index goes on only from a key with every attribute of both keys") {
    indexed_world world;
    world.add("a", "x", 1, "y");
    auto request = world.asked("h1 = :h1 AND h2 = :h2");
    const item_key whole{{"pk", "a"}, {"h1", "a"}, {"h2", 1}, {"r1", "x"}, {"r2", 1}, {"r3", "y"}};
    for (const auto& [name, value] : whole) {
        request.exclusive_start_key = whole;
        request.exclusive_start_key.erase(name);
        CHECK_THAT(world.fault(request), Catch::Contains("The provided starting key is invalid"));
    }
    request.exclusive_start_key = whole;
    CHECK(world.execute(request).value().count == 0);
    request.exclusive_start_key.at("h2") = 2;
    CHECK(world.fault(request) == "The provided starting key is outside query boundaries based on provided conditions");
}

TEST_CASE("a filter may name no attribute of the key, and a value may have no other type or size than the key's") {
    indexed_world world;
    auto request = world.asked("h1 = :h1 AND h2 = :h2");
    request.filter_expression = "r3 = :f";
    request.values.emplace(":f", "x");
    CHECK(world.fault(request) ==
          "Filter Expression can only contain non-primary key attributes: Primary key attribute: r3");
    put_item_request put;
    put.table_name = "things";
    put.new_item = {{"pk", "a"}, {"h2", "one"}};
    CHECK(world.fault(put) ==
          "One or more parameter values were invalid: Type mismatch for Index Key h2 Expected: N Actual: S IndexName: "
          "i");
    put.new_item = {{"pk", "a"}, {"r1", std::string(600, 'x')}, {"r3", std::string(600, 'x')}};
    CHECK(world.fault(put) ==
          "One or more parameter values were invalid: Aggregated size of all range keys has exceeded the size limit of "
          "1024 bytes");
}

}  // namespace dynalease::local::test
