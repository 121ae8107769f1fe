// Update expressions: each action, what they see, and what they refuse.
// SPDX-License-Identifier: BSL-1.0
#include "unit/local/engine_world.hpp"

#include <vector>

namespace dynalease::local::test {

namespace {

const item subject{
    {"pk", "a"},
    {"n", 5},
    {"s", "hello"},
    {"l", list({"l0", "l1", "l2", "l3"})},
    {"m", attribute_map{{"x", 1}, {"mid", attribute_map{{"deep", 7}}}}},
    {"ss", string_set{"red", "green"}},
    {"ns", number_set{number(1)}},
};

const attribute_values constants{
    {":0", 0},
    {":1", 1},
    {":2", 2},
    {":half", n("0.5")},
    {":v", "new"},
    {":w", "other"},
    {":empty", list({})},
    {":me", list({"me"})},
    {":red", string_set{"red"}},
    {":blue", string_set{"blue", "red"}},
    {":both", string_set{"green", "red"}},
    {":two", number_set{number(2)}},
    {":map", attribute_map{{"k", "v"}}},
    {":max", n("99999999999999999999999999999999999999")},
    {":huge", n("9.9E+125")},
    {":tiny", n("1E-130")},
};

/// The item after the update, or the words of the refusal.
std::string outcome(const std::string& expression, item* after) {
    engine_world world;
    world.put(subject);
    const auto answer = world.execute(update_of(expression, constants));
    const auto left = *world.get({{"pk", "a"}});
    if (!answer) {
        CHECK(answer.error().code == errc::validation);
        CHECK(answer.error().outcome == dynalease::outcome::not_applied);
        CHECK(left == subject);
        return answer.error().details.message;
    }
    *after = left;
    return {};
}

item with(std::initializer_list<std::pair<std::string, attribute_value>> changes,
          std::initializer_list<std::string> removed = {}) {
    item result = subject;
    for (const auto& [name, value] : changes) result.insert_or_assign(name, value);
    for (const auto& name : removed) result.erase(name);
    return result;
}

attribute_value map_with(std::string name, attribute_value value) {
    attribute_map map = *subject.at("m").get_if<attribute_map>();
    map.insert_or_assign(std::move(name), std::move(value));
    return map;
}

struct row {
    const char* expression;
    item after;
};

}  // namespace

TEST_CASE("updates that change the item") {
    const std::vector<row> rows{
        {"SET z = :v", with({{"z", "new"}})},
        {"SET n = n + :1, s = :v", with({{"n", 6}, {"s", "new"}})},
        {"SET n = n - :half", with({{"n", n("4.5")}})},
        {"SET n = :1 + :2", with({{"n", 3}})},
        {"SET n = (n + :1)", with({{"n", 6}})},
        {"SET n = :max + :0", with({{"n", n("99999999999999999999999999999999999999")}})},
        {"SET passed = if_not_exists(passed, :0) + :1", with({{"passed", 1}})},
        {"SET n = if_not_exists(n, :0) + :1", with({{"n", 6}})},
        {"SET q = if_not_exists(gone, n)", with({{"q", 5}})},
        {"SET l = list_append(if_not_exists(l, :empty), :me)", with({{"l", list({"l0", "l1", "l2", "l3", "me"})}})},
        {"SET line = list_append(if_not_exists(line, :empty), :me)", with({{"line", list({"me"})}})},
        {"SET l = list_append(:me, l)", with({{"l", list({"me", "l0", "l1", "l2", "l3"})}})},
        {"SET m.x = :2", with({{"m", map_with("x", 2)}})},
        {"SET m.#new = :v", with({{"m", map_with("#new", "new")}})},
        {"SET m.mid.deep = m.mid.deep + m.x", with({{"m", map_with("mid", attribute_map{{"deep", 8}})}})},
        {"SET l[1] = :v", with({{"l", list({"l0", "new", "l2", "l3"})}})},
        {"SET l[9] = :v, l[7] = :w", with({{"l", list({"l0", "l1", "l2", "l3", "other", "new"})}})},
        {"SET l[0] = l[3], l[3] = l[0]", with({{"l", list({"l3", "l1", "l2", "l0"})}})},
        {"SET n = s, s = n", with({{"n", "hello"}, {"s", 5}})},
        {"SET z = :map", with({{"z", attribute_map{{"k", "v"}}}})},
        {"REMOVE s, gone", with({}, {"s"})},
        {"REMOVE l[0]", with({{"l", list({"l1", "l2", "l3"})}})},
        {"REMOVE l[0], l[2]", with({{"l", list({"l1", "l3"})}})},
        {"REMOVE l[2], l[0], l[9]", with({{"l", list({"l1", "l3"})}})},
        {"REMOVE l[1] SET l[0] = :v", with({{"l", list({"new", "l2", "l3"})}})},
        {"SET l[8] = :v REMOVE l[4]", with({{"l", list({"l0", "l1", "l2", "l3", "new"})}})},
        {"SET l[8] = :v REMOVE l[0]", with({{"l", list({"l1", "l2", "l3", "new"})}})},
        {"REMOVE m.mid.deep", with({{"m", map_with("mid", attribute_map{})}})},
        {"REMOVE m.gone", with({})},
        {"ADD n :1", with({{"n", 6}})},
        {"ADD fresh :half", with({{"fresh", n("0.5")}})},
        {"ADD ss :blue", with({{"ss", string_set{"red", "green", "blue"}}})},
        {"ADD fresh :red, ns :two", with({{"fresh", string_set{"red"}}, {"ns", number_set{number(1), number(2)}}})},
        {"ADD m.x :2", with({{"m", map_with("x", 3)}})},
        {"DELETE ss :red", with({{"ss", string_set{"green"}}})},
        {"DELETE ss :both", with({}, {"ss"})},
        {"DELETE gone :red", with({})},
        {"SET l[8] = :v DELETE l[4] :red", with({{"l", list({"l0", "l1", "l2", "l3", "new"})}})},
        {"set n = :0 remove s add k :1 delete ss :red", with({{"n", 0}, {"k", 1}, {"ss", string_set{"green"}}}, {"s"})},
        {"REMOVE n SET s = :v", with({{"s", "new"}}, {"n"})},
        {"SET q = n REMOVE n", with({{"q", 5}}, {"n"})},
    };
    for (const auto& [expression, expected] : rows) {
        INFO(expression);
        engine_world world;
        world.put(subject);
        auto request = update_of(expression, constants);
        if (request.update_expression.find("#new") != std::string::npos) request.names = {{"#new", "#new"}};
        const auto answer = world.execute(request);
        if (!answer) FAIL(answer.error().details.message);
        CHECK(world.get({{"pk", "a"}}) == expected);
    }
}

TEST_CASE("updates that are refused leave the item alone and say why") {
    const std::vector<std::pair<const char*, const char*>> rows{
        {"SET n = s + :1", "An operand in the update expression has an incorrect data type"},
        {"SET n = n + :v", "Incorrect operand type for operator or function"},
        {"SET n = gone + :1", "The provided expression refers to an attribute that does not exist in the item"},
        {"SET n = gone", "The provided expression refers to an attribute that does not exist in the item"},
        {"SET l = list_append(l, s)", "incorrect data type"},
        {"SET l = list_append(l, :v)", "Incorrect operand type for operator or function"},
        {"SET gone.x = :v", "The document path provided in the update expression is invalid for update"},
        {"SET s.x = :v", "The document path provided in the update expression is invalid for update"},
        {"SET l.x = :v", "The document path provided in the update expression is invalid for update"},
        {"SET m[0] = :v", "The document path provided in the update expression is invalid for update"},
        {"REMOVE gone.x", "The document path provided in the update expression is invalid for update"},
        {"REMOVE gone[0]", "The document path provided in the update expression is invalid for update"},
        {"REMOVE s.x", "The document path provided in the update expression is invalid for update"},
        {"REMOVE l.x", "The document path provided in the update expression is invalid for update"},
        {"REMOVE m[0]", "The document path provided in the update expression is invalid for update"},
        {"SET m = :v, m.x = :v", "Two document paths overlap with each other"},
        {"SET n = :1 ADD n :1", "Two document paths overlap with each other"},
        {"SET l[0] = :v REMOVE l", "Two document paths overlap with each other"},
        {"SET m.x = :v, m[0] = :v", "Two document paths conflict with each other"},
        {"SET n = :1 SET s = :v", "The \"SET\" section can only be used once"},
        {"SET pk = :v", "Cannot update attribute pk. This attribute is part of the key"},
        {"REMOVE pk", "Cannot update attribute pk. This attribute is part of the key"},
        {"ADD s :1", "An operand in the update expression has an incorrect data type"},
        {"ADD ss :two", "An operand in the update expression has an incorrect data type"},
        {"ADD n :v", "operator: ADD, operand type: STRING"},
        {"ADD l :me", "operator: ADD, operand type: LIST"},
        {"DELETE n :red", "An operand in the update expression has an incorrect data type"},
        {"DELETE n :1", "operator: DELETE, operand type: NUMBER"},
        {"SET n = contains(s, :v)", "The function is not allowed in an update expression; function: contains"},
        {"SET n = size(s)", "The function is not allowed in an update expression; function: size"},
        {"SET n = strange(s)", "Invalid function name; function: strange"},
        {"SET n = if_not_exists(:1, :2)", "Operator or function requires a document path"},
        {"SET n = if_not_exists(n)", "Incorrect number of operands for operator or function"},
        {"SET n = :max + :half", "magnitude larger"},  // too many digits, which the service tells so of a sum
        {"SET n = :huge + :huge", "overflow"},
        {"SET n = n + :1 + :2", "Syntax error"},
        {"SET n :1", "Syntax error"},
        {"SET n = :1,", "Syntax error"},
        {"n = :1", "Syntax error"},
        {"SET", "Syntax error"},
        {"REMOVE l[x]", "Syntax error"},
        {"REMOVE l[99999999999]", "List index is not within the allowable range"},
        {"SET status = :v", "Attribute name is a reserved keyword; reserved keyword: status"},
        {"SET n = :1 REMOVE Token", "Attribute name is a reserved keyword; reserved keyword: Token"},
        {"SET m.name = :v", "Attribute name is a reserved keyword; reserved keyword: name"},
    };
    for (const auto& [expression, words] : rows) {
        INFO(expression);
        item after;
        CHECK_THAT(outcome(expression, &after), Catch::Contains(words, Catch::CaseSensitive::No));
    }
}

TEST_CASE("an update creates the item when only its condition allows it") {
    engine_world world;
    CHECK(world.execute(update_of("SET n = :1", constants, "attribute_exists(pk)")).error().code ==
          errc::condition_failed);
    CHECK_FALSE(world.get({{"pk", "a"}}));
    CHECK(world.execute(update_of("SET n = :1", constants, "attribute_not_exists(pk)")));
    CHECK(world.get({{"pk", "a"}}) == item{{"pk", "a"}, {"n", 1}});
}

TEST_CASE("an update without actions creates an item of its key alone; taking away creates nothing") {
    engine_world world;
    CHECK(world.execute(update_of("REMOVE n")));
    CHECK_FALSE(world.get({{"pk", "a"}}));
    CHECK(world.execute(update_of("")));
    CHECK(world.get({{"pk", "a"}}) == item{{"pk", "a"}});
}

TEST_CASE("ReturnValues of an update, all five") {
    const auto returned = [](return_values wanted, const char* expression) {
        engine_world world;
        world.put(subject);
        auto request = update_of(expression, constants);
        request.returned = wanted;
        return world.execute(request).value().attributes;
    };
    const char* expression = "SET n = :1, m.x = :2 REMOVE s ADD fresh :1";
    item after = with({{"n", 1}, {"fresh", 1}, {"m", map_with("x", 2)}}, {"s"});
    CHECK(returned(return_values::none, expression) == item{});
    CHECK(returned(return_values::all_old, expression) == subject);
    CHECK(returned(return_values::all_new, expression) == after);
    CHECK(returned(return_values::updated_old, expression) ==
          item{{"n", 5}, {"m", attribute_map{{"x", 1}}}, {"s", "hello"}});
    CHECK(returned(return_values::updated_new, expression) ==
          item{{"n", 1}, {"m", attribute_map{{"x", 2}}}, {"fresh", 1}});
}

TEST_CASE("an item beyond 400 KB is refused, one at the limit is kept") {
    engine_world world;
    constexpr std::size_t limit = 400 * 1024;
    item large{{"pk", "a"}};
    large.emplace("v", std::string(limit - item_size({{"pk", "a"}, {"v", ""}}), 'x'));
    REQUIRE(item_size(large) == limit);
    world.put(large);
    CHECK_THAT(world.fault(update_of("SET w = :1", constants)), Catch::Contains("exceeded the maximum allowed size"));
    put_item_request request;
    request.table_name = "things";
    request.new_item = large;
    request.new_item.emplace("w", 1);
    CHECK_THAT(world.fault(request), Catch::Contains("Item size has exceeded the maximum allowed size"));
    CHECK(world.get({{"pk", "a"}}) == large);
}

TEST_CASE("an UpdateItem is held to the limit by what its expression carries") {
    constexpr std::size_t limit = 400 * 1024;
    constexpr std::size_t set = 19;
    // What it costs to read a path of so many steps with so many letters.
    const auto read = [](std::size_t steps, std::size_t letters) { return 1 + 14 * steps + letters; };
    const item text{{"s", "more than it costs to read"}};
    const item one{{"n", 1}};
    const item map{{"m", attribute_map{{"a", attribute_map{{"z", "z"}}}}}};
    const item letters{{"l", list({"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"})}};
    const item members{{"t", string_set{"x", "0123456789"}}};
    const auto [actions, cost, before] = GENERATE_REF(table<std::string, std::size_t, item>({
        {"", 0, {}},
        {", q = :q", set + 1 + 1, {}},
        {", q = s", set + 1 + read(1, 1), text},
        {", q = m.a.z", set + 1 + read(3, 3), map},
        {", q = l[10]", set + 1 + read(2, 3), letters},
        {", l[10] = :q", set + 1 + 4 + 2 + 1, letters},
        {", m.a = :q", set + 1 + 4 + 1 + 1, map},
        {", n = n + :n", set + 1 + 34 + read(1, 1) + 2, one},
        {", n = n - :n", set + 1 + 37 + read(1, 1) + 2, one},
        {", q = if_not_exists(s, :q)", set + 1 + 39 + read(1, 1) + 1, text},
        {", l = list_append(l, :l)", set + 1 + 37 + read(1, 1) + 3 + 1 + 10, letters},
        {" ADD n :n", set + 1 + 2, one},
        {" ADD t :t", set + 1 + 10, {}},
        {" REMOVE s", 1 + 1, text},
        {" REMOVE m.a", 1 + 1 + 4 + 1, map},
        {" REMOVE l[10]", 1 + 1 + 4 + 2, letters},
        {" DELETE t :t", 1 + 1, members},
    }));
    INFO(actions);
    const auto padded = [&, more = actions](std::size_t bytes) {
        attribute_values values{{":p", std::string(bytes, 'x')}};
        const attribute_values others{
            {":q", "y"}, {":n", 1}, {":l", list({"0123456789"})}, {":t", string_set{"0123456789"}}};
        for (const auto& each : others) {
            if (more.find(each.first) != std::string::npos) values.insert(each);
        }
        return update_of("SET p = :p" + more, values);
    };
    engine_world world;
    item present = before;
    present.emplace("pk", "a");
    world.put(present);
    const std::size_t fits = limit - (3 + set + 1) - cost;
    CHECK(world.fault(padded(fits + 1)) == "Item size to update has exceeded the maximum allowed size");
    CHECK(world.fault(padded(fits)).empty());
}

TEST_CASE("what an update carries is measured before its condition, and not in a transaction") {
    engine_world world;
    world.put({{"pk", "a"}, {"c", "x"}});
    const attribute_values huge{{":p", std::string(400 * 1024 + 100, 'x')}};
    auto request = update_of("SET c = if_not_exists(c, :p)", huge);
    CHECK(world.fault(request) == "Item size to update has exceeded the maximum allowed size");
    request.condition_expression = "attribute_exists(nowhere)";
    CHECK(world.fault(request) == "Item size to update has exceeded the maximum allowed size");
    transact_write_items_request transaction;
    transaction.actions.emplace_back(transact_update{.table_name = request.table_name,
                                                     .key = request.key,
                                                     .update_expression = "SET c = if_not_exists(c, :p)",
                                                     .values = huge});
    CHECK(world.fault(transaction).empty());
}

}  // namespace dynalease::local::test
