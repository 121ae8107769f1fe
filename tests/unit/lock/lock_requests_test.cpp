// The requests of a lock, word for word, and that they carry what they use and nothing more.
// SPDX-License-Identifier: BSL-1.0
#include "support/row_world.hpp"

#include <catch2/catch.hpp>

#include <cctype>
#include <random>
#include <set>
#include <vector>

namespace dynalease::protocol::test {

namespace {

const std::string me = "me";
const lock_requests requests{table, "orders", me};
const claim mine{7, 100};

std::set<std::string> placeholders(const std::string& text, char first) {
    std::set<std::string> found;
    for (auto at = text.find(first); at != text.npos; at = text.find(first, at + 1)) {
        auto end = at + 1;
        while (end < text.size() && std::isalnum(static_cast<unsigned char>(text[end])) != 0) ++end;
        found.insert(text.substr(at, end - at));
    }
    return found;
}

template <class Map>
std::set<std::string> keys(const Map& map) {
    std::set<std::string> found;
    for (const auto& [key, value] : map) found.insert(key);
    return found;
}

void check_placeholders(const std::string& text, const attribute_names& names, const attribute_values& values) {
    INFO(text);
    CHECK(placeholders(text, '#') == keys(names));
    CHECK(placeholders(text, ':') == keys(values));
    for (const auto& [placeholder, name] : names) {
        CHECK(placeholder.substr(1) == (placeholder == "#pk" ? "pk" : name));
    }
}

void check_texts(const update_item_request& request, const std::string& update, const std::string& condition) {
    CHECK(request.update_expression == update);
    CHECK(request.condition_expression == condition);
    CHECK(request.table_name == table);
    CHECK(request.key == item_key{{"pk", "lock#orders"}, {"sk", "-"}});
    CHECK(request.current_on_refusal);
    check_placeholders(request.update_expression + " " + request.condition_expression, request.names, request.values);
}

const std::string ours = "(attribute_not_exists(#pk) OR #v = :v)";
const std::string fresh = "(attribute_not_exists(#floor) OR #floor < :t)";
const std::string grant = "SET #v = :v, #holder = :s, #attempt = :a, #token = :t, #floor = :t, #since = :now";
const std::string free_now = ours + " AND attribute_not_exists(#holder) AND ";

}  // namespace

TEST_CASE("the forms of a take") {
    check_texts(requests.take(mine, {}, {}), grant + " REMOVE #ttl, #passed, #line",
                free_now + fresh + " AND attribute_not_exists(#line[0])");
    check_texts(requests.take(mine, {.place = 0}, {}), grant + " REMOVE #ttl, #passed, #line[0]",
                free_now + fresh + " AND #line[0] = :s");
    check_texts(requests.take(mine, {.place = 3}, {}),
                grant + ", #passed = if_not_exists(#passed, :0) + :1 REMOVE #ttl, #line[3]",
                free_now + fresh + " AND #line[3] = :s AND (attribute_not_exists(#passed) OR #passed < :kp)");
    check_texts(requests.take(mine, {.drop_head = take_form::absent_head{"head", 99}}, {}),
                grant + " REMOVE #ttl, #passed, #line[0]", free_now + "#floor = :f AND #line[0] = :head");
    check_texts(requests.take(mine, {.place = 2, .drop_head = take_form::absent_head{"head", 99}}, {}),
                grant + " REMOVE #ttl, #passed, #line[0], #line[2]",
                free_now + "#floor = :f AND #line[0] = :head AND #line[2] = :s");
    check_texts(requests.take(mine, {.over = lock_holder{"dead", 5}}, {}), grant + " REMOVE #ttl, #passed, #line",
                ours + " AND #holder = :h AND #attempt = :ha AND " + fresh + " AND attribute_not_exists(#line[0])");

    check_texts(requests.take(mine, {}, {}, 6), grant + " REMOVE #ttl, #passed, #line",
                free_now + "#floor >= :seen AND #floor < :t AND attribute_not_exists(#line[0])");
    check_texts(requests.take(mine, {.drop_head = take_form::absent_head{"head", 99}}, {}, 6),
                grant + " REMOVE #ttl, #passed, #line[0]", free_now + "#floor = :f AND #line[0] = :head");

    const auto values =
        requests
            .take(mine, {.place = 1, .over = lock_holder{"dead", 5}}, {.data = {{"job", "x"}}, .since = wall_time(5s)})
            .values;
    CHECK(values == attribute_values{{":v", 1},
                                     {":s", "me"},
                                     {":a", 7},
                                     {":t", 100},
                                     {":h", "dead"},
                                     {":ha", 5},
                                     {":kp", 32},
                                     {":0", 0},
                                     {":1", 1},
                                     {":now", 5000},
                                     {":data", item{{"job", "x"}}}});
}

TEST_CASE("joining, handing over and giving back") {
    check_texts(requests.join(mine), "SET #v = :v, #line = list_append(if_not_exists(#line, :empty), :me)",
                ours + " AND " + fresh +
                    " AND (attribute_exists(#holder) OR attribute_exists(#line[0])) AND attribute_not_exists(#line[23])"
                    " AND (attribute_not_exists(#line) OR NOT contains(#line, :s))");
    CHECK(requests.join(mine).values.at(":me") == attribute_list{"me"});

    const auto handed = requests.hand_over(mine, {8, 101}, {.since = wall_time(5s)});
    check_texts(handed, "SET #attempt = :b, #token = :t, #floor = :t, #since = :now",
                "#v = :v AND #holder = :s AND #attempt = :a AND #floor < :t");
    CHECK(handed.values ==
          attribute_values{{":v", 1}, {":s", "me"}, {":a", 7}, {":b", 8}, {":t", 101}, {":now", 5000}});
    CHECK(handed.returned == return_values::all_new);

    check_texts(requests.release(mine, {}, false, 5000), "SET #ttl = :expiry REMOVE #holder, #attempt",
                "#v = :v AND #holder = :s AND #attempt = :a");
    check_texts(requests.release(mine, claim{8, 101}, true, 5000),
                "SET #ttl = :expiry, #line = list_append(if_not_exists(#line, :empty), :me) REMOVE #holder, #attempt",
                "#v = :v AND #holder = :s AND #attempt IN (:a, :b)");
    CHECK(requests.release(mine, {}, false, 5000).returned == return_values::all_new);
}

TEST_CASE("closing a claim, and leaving the line") {
    check_texts(requests.void_free(mine, 5000), "SET #v = :v, #floor = :t, #ttl = :expiry",
                ours + " AND " + fresh + " AND attribute_not_exists(#holder)");
    check_texts(requests.void_held(mine), "SET #floor = :t", ours + " AND " + fresh + " AND attribute_exists(#holder)");
    check_texts(requests.leave(mine, 0), "SET #floor = :t REMOVE #line[0], #passed",
                "#v = :v AND " + fresh + " AND #line[0] = :s");
    check_texts(requests.leave(mine, 2), "SET #floor = :t REMOVE #line[2]",
                "#v = :v AND " + fresh + " AND #line[2] = :s");
    check_texts(requests.leave_closed(0), "REMOVE #line[0], #passed", "#v = :v AND #line[0] = :s");
    check_texts(requests.leave_closed(2), "REMOVE #line[2]", "#v = :v AND #line[2] = :s");

    const auto fence = requests.fence(mine);
    CHECK(fence.condition_expression == "#holder = :s AND #attempt = :a");
    check_placeholders(fence.condition_expression, fence.names, fence.values);
    CHECK(requests.look().consistent_read);
}

TEST_CASE("every placeholder is used, whatever the form") {
    std::mt19937 random(1);
    const auto chance = [&] { return random() % 2 == 0; };
    for (int i = 0; i < 500; ++i) {
        const std::size_t place = random() % line_capacity;
        const item data = chance() ? item{{"k", 1}} : item{};
        take_form form;
        if (chance()) form.place = place;
        if (chance()) form.drop_head = take_form::absent_head{"head", 1};
        if (chance()) form.over = lock_holder{"dead", 1};
        const auto unresolved = chance() ? std::optional(claim{9, 102}) : std::nullopt;
        for (const auto& each :
             {requests.take(mine, form, {.data = data}), requests.hand_over(mine, {8, 101}, {.data = data}),
              requests.release(mine, unresolved, chance(), 1), requests.leave(mine, place),
              requests.leave_closed(place)}) {
            check_placeholders(each.update_expression + " " + each.condition_expression, each.names, each.values);
        }
    }
}

}  // namespace dynalease::protocol::test
