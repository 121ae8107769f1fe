// What several items say together, by what each says alone.
// SPDX-License-Identifier: BSL-1.0
#include "item_lock/protocol/acquire_all.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace dynalease::protocol;
using step = item_acquire_step;

TEST_CASE("what is certain of one item comes before what passes on another, in whatever order they stand") {
    const std::vector<std::pair<step, acquire_all_step>> by_weight{
        {step::granted, acquire_all_step::granted},    {step::missing, acquire_all_step::missing},
        {step::claim_closed, acquire_all_step::renew}, {step::free, acquire_all_step::clear},
        {step::reap, acquire_all_step::clear},         {step::look, acquire_all_step::look},
        {step::refuse, acquire_all_step::wait},        {step::take, acquire_all_step::take}};
    for (std::size_t heavy = 0; heavy < by_weight.size(); ++heavy) {
        for (std::size_t light = heavy; light < by_weight.size(); ++light) {
            std::vector<item_acquire_decision> each(4, item_acquire_decision{by_weight[light].first});
            each[2] = {by_weight[heavy].first, {}, {"somebody"}};
            const auto next = decide_acquire_all(each);
            CHECK(next.step == by_weight[heavy].second);
            const bool told_apart = next.step != decide_acquire_all({each[0]}).step;
            if (told_apart && next.step != acquire_all_step::take) CHECK(next.item == 2);
            if (heavy != light && next.step == acquire_all_step::look) CHECK(next.session == "somebody");
        }
    }
}

TEST_CASE("items of which each may be taken are taken all together") {
    std::vector<item_acquire_decision> each(3, item_acquire_decision{step::take});
    each[1].form.over_writer = "dead.1.0000000000";
    CHECK(decide_acquire_all(each) == acquire_all_decision{acquire_all_step::take});
}

TEST_CASE("one by one goes by the items' names, in whatever order they are demanded") {
    std::vector<std::string> names{"tills/a", "tills/b", "accounts/z", "tills/c"};
    std::ranges::sort(names);
    do {
        std::vector<std::string> taken;
        for (const auto place : acquiring_order(names)) taken.push_back(names[place]);
        CHECK(std::ranges::is_sorted(taken));
        CHECK(taken.size() == names.size());
    } while (std::ranges::next_permutation(names).found);
}
