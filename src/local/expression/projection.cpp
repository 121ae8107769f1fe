// Projection by walking the sorted paths and the document together.
#include "local/expression/projection.hpp"

#include <algorithm>
#include <optional>

namespace dynalease::local::expression {

namespace {

using paths = std::span<const resolved_path>;

/// Paths that share the step at `depth`, cut off the front of `rest`.
paths take_group(paths& rest, std::size_t depth) {
    const resolved_step& step = rest.front()[depth];
    std::size_t length = 1;
    while (length < rest.size() && rest[length][depth] == step) ++length;
    const paths group = rest.first(length);
    rest = rest.subspan(length);
    return group;
}

std::optional<attribute_value> part(const attribute_value& whole, paths wanted, std::size_t depth);

attribute_map map_part(const attribute_map& whole, paths wanted, std::size_t depth) {
    attribute_map result;
    while (!wanted.empty()) {
        const paths group = take_group(wanted, depth);
        const resolved_step& step = group.front()[depth];
        const auto* found = step.is_name ? dynalease::find(whole, step.name) : nullptr;
        auto value = found ? part(*found, group, depth + 1) : std::nullopt;
        if (value) result.emplace(std::string(step.name), *std::move(value));
    }
    return result;
}

attribute_list list_part(const attribute_list& whole, paths wanted, std::size_t depth) {
    attribute_list result;
    while (!wanted.empty()) {
        const paths group = take_group(wanted, depth);
        const resolved_step& step = group.front()[depth];
        if (step.is_name || step.index >= whole.size()) continue;
        if (auto value = part(whole[step.index], group, depth + 1)) result.push_back(*std::move(value));
    }
    return result;
}

std::optional<attribute_value> part(const attribute_value& whole, paths wanted, std::size_t depth) {
    if (wanted.front().size() == depth) return whole;
    if (const auto* map = whole.get_if<attribute_map>()) {
        attribute_map found = map_part(*map, wanted, depth);
        if (!found.empty()) return found;
    } else if (const auto* list = whole.get_if<attribute_list>()) {
        attribute_list found = list_part(*list, wanted, depth);
        if (!found.empty()) return found;
    }
    return std::nullopt;
}

std::vector<resolved_path> resolve_all(const projection& tree, const bindings& bound) {
    std::vector<resolved_path> result;
    result.reserve(tree.size());
    for (const path& each : tree) result.push_back(resolve(each, bound));
    return result;
}

}  // namespace

void check(const projection& tree, const bindings& bound) {
    refuse_overlap(tree, bound);
}

item project(const item& whole, const projection& tree, const bindings& bound) {
    auto wanted = resolve_all(tree, bound);
    std::ranges::sort(wanted);
    return map_part(whole, wanted, 0);
}

}  // namespace dynalease::local::expression
