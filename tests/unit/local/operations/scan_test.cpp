// Scan: all items once, by pages and by segments, in the same order every time.
// SPDX-License-Identifier: BSL-1.0
#include "unit/local/engine_world.hpp"

#include <set>
#include <vector>

namespace dynalease::local::test {

namespace {

constexpr int count = 200;

engine_world populated() {
    engine_world world;
    for (int i = 0; i < count; ++i) world.put({{"pk", "item" + std::to_string(i)}, {"i", i}});
    return world;
}

scan_request scan() {
    scan_request request;
    request.table_name = "things";
    return request;
}

}  // namespace

TEST_CASE("pages of a scan hold every item once, in one order") {
    auto world = populated();
    const auto whole = world.execute(scan()).value();
    CHECK(whole.count == count);
    CHECK(whole.last_evaluated_key.empty());
    for (const std::int32_t limit : {1, 7, 199, 200, 201}) {
        auto request = scan();
        request.limit = limit;
        std::vector<item> joined;
        do {
            auto page = world.execute(request).value();
            joined.insert(joined.end(), page.items.begin(), page.items.end());
            request.exclusive_start_key = page.last_evaluated_key;
        } while (!request.exclusive_start_key.empty());
        CHECK(joined == whole.items);
    }
    CHECK(populated().execute(scan()).value().items == whole.items);
}

TEST_CASE("segments part the table among themselves") {
    auto world = populated();
    for (const std::int32_t total : {1, 2, 3, 16, 1000}) {
        std::set<std::string> seen;
        std::size_t largest = 0;
        for (std::int32_t segment = 0; segment < total; ++segment) {
            auto request = scan();
            request.segment = segment;
            request.total_segments = total;
            request.limit = 30;
            std::size_t size = 0;
            do {
                const auto page = world.execute(request).value();
                for (const item& each : page.items) CHECK(seen.insert(*find_string(each, "pk")).second);
                size += page.items.size();
                request.exclusive_start_key = page.last_evaluated_key;
            } while (!request.exclusive_start_key.empty());
            largest = std::max(largest, size);
        }
        CHECK(seen.size() == count);
        if (total == 2) CHECK(largest < count * 3 / 4);
    }
}

TEST_CASE("a filter of a scan may name anything") {
    auto world = populated();
    auto request = scan();
    request.filter_expression = "i < :ten AND begins_with(pk, :item)";
    request.values = {{":ten", 10}, {":item", "item"}};
    const auto page = world.execute(request).value();
    CHECK(page.count == 10);
    CHECK(page.scanned_count == count);
}

TEST_CASE("a page ends before the item that would take too much") {
    engine_world world;
    for (const char* key : {"a", "b", "c"}) world.put({{"pk", key}, {"s", std::string(390'000, 'a')}});
    auto request = scan();
    request.filter_expression = "contains(s, :p)";
    for (int i = 1; i < 148; ++i) request.filter_expression += " OR contains(s, :p)";
    request.values = {{":p", "b"}};
    const auto first = world.execute(request);
    REQUIRE(first);
    CHECK(first->scanned_count == 2);
    request.exclusive_start_key = first->last_evaluated_key;
    const auto second = world.execute(request).value();
    CHECK(second.scanned_count == 1);
    CHECK(second.last_evaluated_key.empty());
}

TEST_CASE("segments that make no sense are refused") {
    auto world = populated();
    auto request = scan();
    request.segment = 2;
    CHECK_FALSE(world.fault(request).empty());
    request.total_segments = 2;
    CHECK_THAT(world.fault(request), Catch::Contains("must be less than parameter TotalSegments"));
    request.total_segments = 0;
    CHECK_FALSE(world.fault(request).empty());
    request.total_segments = 3;
    CHECK(world.fault(request).empty());
}

}  // namespace dynalease::local::test
