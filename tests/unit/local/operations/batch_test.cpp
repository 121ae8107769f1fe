// BatchGetItem and BatchWriteItem.
// SPDX-License-Identifier: BSL-1.0
#include "unit/local/engine_world.hpp"

namespace dynalease::local::test {

TEST_CASE("a batch writes and removes over several tables") {
    engine_world world;
    world.put({{"pk", "old"}});
    batch_write_item_request request;
    request.tables["things"] = {batch_put{{{"pk", "a"}, {"n", 1}}}, batch_delete{{{"pk", "old"}}}};
    CHECK(world.execute(request).value().unprocessed.empty());
    CHECK(world.get({{"pk", "a"}}) == item{{"pk", "a"}, {"n", 1}});
    CHECK_FALSE(world.get({{"pk", "old"}}));
}

TEST_CASE("a batch with one fault writes nothing") {
    engine_world world;
    batch_write_item_request request;
    request.tables["things"] = {batch_put{{{"pk", "a"}}}, batch_put{{{"nokey", "b"}}}};
    CHECK_THAT(world.fault(request), Catch::Contains("The provided key element does not match the schema"));
    request.tables["things"] = {batch_put{{{"pk", "a"}}}, batch_delete{{{"pk", "a"}}}};
    CHECK(world.fault(request) == "Provided list of item keys contains duplicates");
    request.tables["things"].assign(26, batch_put{{{"pk", "a"}}});
    CHECK_THAT(world.fault(request), Catch::Contains("Too many items requested for the BatchWriteItem call"));
    request.tables["things"] = {batch_put{{{"pk", "a"}}}};
    request.tables["nowhere"] = {batch_put{{{"pk", "a"}}}};
    CHECK(world.execute(request).error().code == errc::table_not_found);
    CHECK_FALSE(world.get({{"pk", "a"}}));
}

TEST_CASE("a batch reads what is there, projected") {
    engine_world world;
    world.put({{"pk", "a"}, {"n", 1}, {"s", "x"}});
    batch_get_item_request request;
    auto& wanted = request.tables["things"];
    wanted.keys = {{{"pk", "a"}}, {{"pk", "gone"}}};
    wanted.projection_expression = "#n";
    wanted.names = {{"#n", "n"}};
    const auto answer = world.execute(request).value();
    CHECK(answer.items.at("things") == std::vector<item>{{{"n", 1}}});
    CHECK(answer.unprocessed.empty());
    wanted.keys.push_back({{"pk", "a"}});
    CHECK(world.fault(request) == "Provided list of item keys contains duplicates");
    wanted.keys.clear();
    CHECK_FALSE(world.fault(request).empty());
}

TEST_CASE("what would make an answer larger than 16 MB is left for another batch") {
    engine_world world;
    batch_get_item_request request;
    auto& wanted = request.tables["things"];
    for (int i = 0; i < 50; ++i) {
        world.put({{"pk", std::to_string(i)}, {"v", std::string(390'000, 'x')}});
        wanted.keys.push_back({{"pk", std::to_string(i)}});
    }
    const auto first = world.execute(request).value();
    CHECK(first.items.at("things").size() == 43);
    request.tables = first.unprocessed;
    const auto second = world.execute(request).value();
    CHECK(second.items.at("things").size() == 7);
    CHECK(second.unprocessed.empty());
}

}  // namespace dynalease::local::test
