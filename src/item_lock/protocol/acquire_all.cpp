// What the states of several items say of the claim that wants them all.
// SPDX-License-Identifier: BSL-1.0
#include "item_lock/protocol/acquire_all.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace dynalease::protocol {

acquire_all_decision decide_acquire_all(const std::vector<item_acquire_decision>& each) {
    // What is certain comes before what passes: one item that names the claim tells of all the others. And what others
    // may wait for, in vain, before what we do.
    constexpr std::array<std::pair<item_acquire_step, acquire_all_step>, 7> order{
        {{item_acquire_step::granted, acquire_all_step::granted},
         {item_acquire_step::missing, acquire_all_step::missing},
         {item_acquire_step::claim_closed, acquire_all_step::renew},
         {item_acquire_step::free, acquire_all_step::clear},
         {item_acquire_step::reap, acquire_all_step::clear},
         {item_acquire_step::look, acquire_all_step::look},
         {item_acquire_step::refuse, acquire_all_step::wait}}};
    for (const auto& [of_one, of_all] : order) {
        const auto found = std::ranges::find(each, of_one, &item_acquire_decision::step);
        if (found == each.end()) continue;
        return {of_all, static_cast<std::size_t>(found - each.begin()),
                found->who.empty() ? std::string() : found->who.front()};
    }
    return {acquire_all_step::take};
}

std::vector<std::size_t> acquiring_order(const std::vector<std::string>& names) {
    std::vector<std::size_t> order(names.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t place) { return names[place]; });
    return order;
}

}  // namespace dynalease::protocol
