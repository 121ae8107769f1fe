// The way from an attribute down to what was changed of it.
// SPDX-License-Identifier: BSL-1.0
#include "versioned/protocol/inner_changes.hpp"

#include "versioned/protocol/member_merge.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <utility>

namespace dynalease::protocol {

namespace {

/// Three sides of one map, as in member_merge.hpp.
struct map_sides {
    const attribute_map& stored;
    const attribute_map& seen;
    const attribute_map& wanted;
};

std::optional<map_sides> as_maps(const attribute_value& stored, const attribute_value& seen,
                                 const attribute_value& wanted) {
    const auto* kept = stored.get_if<attribute_map>();
    const auto* before = seen.get_if<attribute_map>();
    const auto* after = wanted.get_if<attribute_map>();
    if (!kept || !before || !after) return std::nullopt;
    return map_sides{*kept, *before, *after};
}

void add_changes(std::vector<inner_change>& into, const map_sides& sides, const inner_place& at) {
    const auto place_of = [&](const std::string& name) {
        auto place = at;
        place.push_back(name);
        return place;
    };
    for (const auto& [name, before] : sides.seen) {
        if (!sides.wanted.contains(name) && sides.stored.contains(name)) into.push_back({place_of(name), std::nullopt});
    }
    for (const auto& [name, value] : sides.wanted) {
        const auto* before = find(sides.seen, name);
        if (before && *before == value) continue;
        const auto* kept = find(sides.stored, name);
        if (!before || !kept) {
            into.push_back({place_of(name), value});
        } else if (const auto deeper = as_maps(*kept, *before, value)) {
            add_changes(into, *deeper, place_of(name));
        } else {
            into.push_back({place_of(name), merged(*kept, *before, value)});
        }
    }
}

/// The map at that place; null: there is none.
const attribute_map* map_at(const item& whole, const inner_place& place) {
    const attribute_map* at = &whole;
    for (const auto& name : place) {
        const auto* value = find(*at, name);
        at = value ? value->get_if<attribute_map>() : nullptr;
        if (!at) return nullptr;
    }
    return at;
}

}  // namespace

std::optional<std::vector<inner_change>> changes_inside(const std::string& attribute, const attribute_value& stored,
                                                        const attribute_value& seen, const attribute_value& wanted) {
    const auto sides = as_maps(stored, seen, wanted);
    if (!sides) return std::nullopt;
    std::vector<inner_change> changes;
    add_changes(changes, *sides, {attribute});
    return changes;
}

std::vector<inner_place> maps_needed(const std::vector<inner_change>& changes) {
    std::set<inner_place> all;
    for (const auto& each : changes) all.emplace(each.place.begin(), each.place.end() - 1);
    std::vector<inner_place> last;
    for (auto at = all.begin(); at != all.end(); ++at) {
        // In their order, what lies inside of a map comes right behind it.
        const auto next = std::next(at);
        const bool leads_on =
            next != all.end() && next->size() > at->size() && std::equal(at->begin(), at->end(), next->begin());
        if (!leads_on) last.push_back(*at);
    }
    return last;
}

bool has_maps(const item& shown, const std::vector<inner_change>& changes) {
    return std::ranges::all_of(maps_needed(changes), [&](const auto& place) { return map_at(shown, place); });
}

void change_inside(item& stored, const inner_change& change) {
    auto* into = &stored;
    for (std::size_t i = 0; i + 1 < change.place.size(); ++i) into = into->at(change.place[i]).get_if<attribute_map>();
    if (change.value)
        into->insert_or_assign(change.place.back(), *change.value);
    else
        into->erase(change.place.back());
}

}  // namespace dynalease::protocol
