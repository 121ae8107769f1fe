// The requests of an item's lock, word for word, and that they carry what they use and nothing more.
// SPDX-License-Identifier: BSL-1.0
#include "item_lock/protocol/item_lock_requests.hpp"

#include <dynalease/dynamodb/expression.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>

namespace dynalease::protocol::test {

namespace {

const item_layout layout{.table = "tills", .key = "id"};
const item_key north{{"id", "north"}};
const std::string self = "me";
const item_lock_requests requests{layout, north, self};
const claim mine{7, 100};
const item_stamp life{std::byte{1}};

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

template <class Request>
void check_frame(const Request& request, const std::string& texts) {
    INFO(texts);
    CHECK(request.table_name == "tills");
    CHECK(request.key == north);
    CHECK(placeholders(texts, '#') == keys(request.names));
    CHECK(placeholders(texts, ':') == keys(request.values));
}
void check_texts(const update_item_request& request, const std::string& update, const std::string& condition,
                 const attribute_values& values) {
    CHECK(request.update_expression == update);
    CHECK(request.condition_expression == condition);
    CHECK(request.values == values);
    CHECK(request.current_on_refusal);
    check_frame(request, update + " " + condition);
}

const std::string there = "attribute_exists(#k) AND attribute_not_exists(#gone)";
const std::string fresh = "(attribute_not_exists(#F) OR #F < :t)";
const std::string open_item = there + " AND " + fresh + " AND attribute_not_exists(#tx) AND ";
const std::string no_intent = "attribute_not_exists(#I)";
const std::string this_intent = "(attribute_not_exists(#I) OR #I = :i)";

}  // namespace

TEST_CASE("an item is taken by a writer under the circumstances that were seen") {
    const attribute_value text = "me.7.0000000000";
    const auto taken = requests.take(mine, {}, 3);
    CHECK(taken.returned == return_values::all_new);
    check_texts(taken, "SET #W = :w, #F = :t REMOVE #I",
                open_item + no_intent + " AND attribute_not_exists(#W) AND attribute_not_exists(#R)",
                {{":t", 100}, {":w", text}});
    CHECK(taken.names.at("#W") == "_lockW");
    CHECK(taken.names.at("#F") == "_lockF");
    CHECK(taken.names.at("#k") == "id");
    check_texts(requests.take(mine, {.over_writer = "dead.1.0000000002", .intent = "me.6"}, 3),
                "SET #W = :w, #F = :t REMOVE #I",
                open_item + this_intent + " AND #W = :seen AND attribute_not_exists(#R)",
                {{":t", 100}, {":w", text}, {":seen", "dead.1.0000000002"}, {":i", "me.6"}});
    check_texts(requests.take(mine, {.over_readers = {"a.1", "b.2"}}, 3), "SET #W = :w, #F = :t REMOVE #I, #R",
                open_item + no_intent + " AND attribute_not_exists(#W) AND #R = :over",
                {{":t", 100}, {":w", text}, {":over", string_set{"a.1", "b.2"}}});
}

TEST_CASE("an item is taken by a reader as long as there is room") {
    const auto access = item_access::shared;
    const std::string room = " AND (attribute_not_exists(#R) OR size(#R) < :max)";
    check_texts(requests.take(mine, {.access = access}, 3), "SET #F = :t REMOVE #I ADD #R :me",
                open_item + no_intent + " AND attribute_not_exists(#W)" + room,
                {{":t", 100}, {":max", 3}, {":me", string_set{"me.7"}}});
    check_texts(requests.take(mine, {.access = access, .over_writer = "dead.1.0000000002"}, 3),
                "SET #F = :t REMOVE #I, #W ADD #R :me", open_item + no_intent + " AND #W = :seen" + room,
                {{":t", 100}, {":max", 3}, {":me", string_set{"me.7"}}, {":seen", "dead.1.0000000002"}});
}

TEST_CASE("an intent stands behind somebody, and leaves the floor as it is") {
    const std::string held = there + " AND (attribute_exists(#W) OR attribute_exists(#R)) AND ";
    check_texts(requests.intend(mine, {}), "SET #I = :mine", held + no_intent + " AND " + fresh,
                {{":t", 100}, {":mine", "me.7"}});
    check_texts(requests.intend(mine, "dead.3"), "SET #I = :mine", held + this_intent + " AND " + fresh,
                {{":t", 100}, {":mine", "me.7"}, {":i", "dead.3"}});
    check_texts(requests.leave(mine, "me.6"), "SET #F = :t REMOVE #I", "#I = :mine AND " + fresh,
                {{":t", 100}, {":mine", "me.6"}});
    check_texts(requests.leave_closed("me.6"), "REMOVE #I", "#I = :mine", {{":mine", "me.6"}});
    check_texts(requests.close(mine), "SET #F = :t", there + " AND " + fresh, {{":t", 100}});
}

TEST_CASE("dead readers are taken away as long as the first of them stands there") {
    check_texts(requests.reap({"a.1", "b.2"}), "DELETE #R :over", "contains(#R, :dead)",
                {{":dead", "a.1"}, {":over", string_set{"a.1", "b.2"}}});
}

TEST_CASE("a guarded write names the grant, its step, and the life of the item, and moves the step on") {
    const item_grant held{.id = mine, .step = 4, .born = life};
    const auto change = add("amount", 5);
    const auto written = requests.change(held, {.update = change, .stamp = item_stamp{std::byte{9}}});
    CHECK(written.condition_expression == "#W = :k AND #born = :b AND (attribute_not_exists(#ver) OR #ver <= :top)");
    CHECK(written.values.at(":k") == attribute_value("me.7.0000000004"));
    CHECK(written.returned == return_values::all_new);
    CHECK(written.current_on_refusal);
    const auto has_value = [&](const attribute_value& value) {
        return std::ranges::any_of(written.values, [&](const auto& each) { return each.second == value; });
    };
    CHECK(has_value("me.7.0000000005"));
    CHECK(has_value(5));
    binary stamp(12);
    stamp.front() = std::byte{9};
    CHECK(has_value(stamp));
    CHECK(keys(written.values) == placeholders(written.update_expression + " " + written.condition_expression, ':'));
    const auto last = requests.change(held, {.update = change, .versioned = false, .release = true});
    CHECK(last.update_expression.find("REMOVE") != std::string::npos);
    CHECK(std::ranges::none_of(last.names, [](const auto& each) { return each.second == "version"; }));
}

TEST_CASE("erasing, downgrading, living on and handing over name the grant as a guarded write does") {
    const item_grant held{.id = mine, .step = 4, .born = life};
    const attribute_value text = "me.7.0000000004";
    const attribute_value born = binary(life.begin(), life.end());
    const std::string ours = "#W = :k AND #born = :b";
    const auto erased = requests.erase(held, {});
    CHECK(erased.condition_expression == ours);
    CHECK(erased.current_on_refusal);
    check_frame(erased, ours);
    check_texts(requests.downgrade(held), "REMOVE #W ADD #R :me", ours,
                {{":k", text}, {":b", born}, {":me", string_set{"me.7"}}});
    check_texts(requests.extend(held), "SET #W = :next", ours,
                {{":k", text}, {":b", born}, {":next", "me.7.0000000005"}});
    check_texts(requests.hand_over(held, {8, 200}), "SET #W = :w, #F = :t", "#W = :k AND #F < :t AND #born = :b",
                {{":k", text}, {":b", born}, {":w", "me.8.0000000000"}, {":t", 200}});
    const item_grant reads{.id = mine, .access = item_access::shared, .born = life};
    check_texts(requests.succeed(reads, 9), "ADD #R :next", "contains(#R, :me) AND #born = :b",
                {{":me", "me.7"}, {":b", born}, {":next", string_set{"me.9"}}});
}

TEST_CASE("a release names the attempt at whatever step, and takes what is forgotten along") {
    const auto written = requests.release({.id = mine, .step = 4});
    CHECK(written.returned == return_values::updated_old);
    check_texts(written, "REMOVE #W", "begins_with(#W, :sa)", {{":sa", "me.7."}});
    check_texts(requests.release({.id = mine, .access = item_access::shared, .ghosts = {"me.5"}}), "DELETE #R :gone",
                "contains(#R, :reader)", {{":gone", string_set{"me.5", "me.7"}}, {":reader", "me.7"}});
}

TEST_CASE("a fence is true of the very grant alone") {
    const auto writes = requests.fence({.id = mine, .step = 4});
    CHECK(writes.condition_expression == "begins_with(#W, :sa)");
    CHECK(writes.values == attribute_values{{":sa", "me.7."}});
    check_frame(writes, writes.condition_expression);
    const auto reads = requests.fence({.id = mine, .access = item_access::shared});
    CHECK(reads.condition_expression == "contains(#R, :reader)");
    CHECK(reads.values == attribute_values{{":reader", "me.7"}});
}

TEST_CASE("a fence and a condition name the life of the item that was granted") {
    const item_stamp birth{std::byte{1}};
    for (const auto access : {item_access::exclusive, item_access::shared}) {
        const item_grant held{.id = mine, .access = access, .born = birth};
        const auto fence = requests.fence(held);
        CHECK(fence.condition_expression ==
              (access == item_access::exclusive ? "begins_with(#W, :sa)" : "contains(#R, :reader)") +
                  std::string(" AND #born = :b"));
        CHECK(fence.values.contains(":b"));
        CHECK(fence.names.at("#born") == "_born");
        update_item_request other;
        apply(other, requests.condition(held));
        CHECK(other.condition_expression.find(" AND ") != std::string::npos);
        CHECK(std::ranges::any_of(other.names, [](const auto& each) { return each.second == "_born"; }));
    }
}

TEST_CASE("a look shows what the tables ask for, however large the item is") {
    const auto look = requests.look();
    CHECK(look.consistent_read);
    CHECK(look.projection_expression == "#k, #W, #R, #I, #F, #tx, #gone, #born");
    CHECK(placeholders(look.projection_expression, '#') == keys(look.names));
}

}  // namespace dynalease::protocol::test
