// The search through all states.
// SPDX-License-Identifier: BSL-1.0
#include "transaction_search.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <unordered_set>
#include <utility>

namespace dynalease::protocol::test {

namespace {
struct trail_entry {
    std::uint32_t parent;
    std::uint32_t way;
};
}  // namespace

search_end search(const world_setting& setting, const world_rules& rules, std::size_t most_states) {
    search_end end;
    std::unordered_set<std::uint64_t> known;
    std::vector<trail_entry> trail{{0, 0}};
    std::deque<std::pair<std::uint32_t, transaction_world>> open;
    open.emplace_back(0, transaction_world(setting, rules));
    known.insert(open.front().second.hash());
    while (!open.empty() && end.wrong.empty() && known.size() < most_states) {
        const auto [number, world] = std::move(open.front());
        open.pop_front();
        end.most_commits = std::max(end.most_commits, world.commits());
        const auto ways = world.ways();
        for (std::size_t way = 0; way < ways && end.wrong.empty(); ++way) {
            auto next = world;
            next.take(way);
            if (!known.insert(next.hash()).second) continue;
            trail.push_back({number, static_cast<std::uint32_t>(way)});
            end.wrong = next.wrong();
            open.emplace_back(static_cast<std::uint32_t>(trail.size() - 1), std::move(next));
        }
    }
    end.states = known.size();
    end.complete = open.empty();
    if (end.wrong.empty()) return end;
    std::vector<std::uint32_t> ways;
    for (auto at = static_cast<std::uint32_t>(trail.size() - 1); at != 0; at = trail[at].parent)
        ways.push_back(trail[at].way);
    transaction_world again(setting, rules);
    for (auto way = ways.rbegin(); way != ways.rend(); ++way) end.story.push_back(again.take(*way));
    return end;
}

}  // namespace dynalease::protocol::test
