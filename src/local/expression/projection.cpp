// Projection by walking the sorted paths and the document together.
// SPDX-License-Identifier: BSL-1.0
#include "local/expression/projection.hpp"

#include <algorithm>
#include <optional>

namespace dynalease::local::expression {

namespace {

using sorted_paths = std::span<const resolved_path>;

/// Paths that share the step at `depth`, cut off the front of `rest`.
sorted_paths take_group(sorted_paths& rest, std::size_t depth) {
    const resolved_step& step = rest.front()[depth];
    std::size_t length = 1;
    while (length < rest.size() && rest[length][depth] == step) ++length;
    const sorted_paths group = rest.first(length);
    rest = rest.subspan(length);
    return group;
}

/// The walk over one item, which pays for what it copies.
class walk {
public:
    explicit walk(allowance& allowed) : allowed_(allowed) {}

    attribute_map map_part(const attribute_map& whole, sorted_paths wanted, std::size_t depth) const {
        attribute_map result;
        while (!wanted.empty()) {
            const sorted_paths group = take_group(wanted, depth);
            const resolved_step& step = group.front()[depth];
            allowed_.spend(2);
            const auto* found = step.is_name ? dynalease::find(whole, step.name) : nullptr;
            auto value = found ? part(*found, group, depth + 1) : std::nullopt;
            if (value) result.emplace(std::string(step.name), *std::move(value));
        }
        return result;
    }

private:
    attribute_list list_part(const attribute_list& whole, sorted_paths wanted, std::size_t depth) const {
        attribute_list result;
        while (!wanted.empty()) {
            const sorted_paths group = take_group(wanted, depth);
            const resolved_step& step = group.front()[depth];
            if (step.is_name || step.index >= whole.size()) continue;
            if (auto value = part(whole[step.index], group, depth + 1)) result.push_back(*std::move(value));
        }
        return result;
    }

    std::optional<attribute_value> part(const attribute_value& whole, sorted_paths wanted, std::size_t depth) const {
        if (wanted.front().size() == depth) {
            allowed_.copy(whole);
            return whole;
        }
        if (const auto* map = whole.get_if<attribute_map>()) {
            attribute_map found = map_part(*map, wanted, depth);
            if (!found.empty()) return found;
        } else if (const auto* list = whole.get_if<attribute_list>()) {
            attribute_list found = list_part(*list, wanted, depth);
            if (!found.empty()) return found;
        }
        return std::nullopt;
    }

    allowance& allowed_;
};

}  // namespace

void check(const projection& tree, const bindings& bound) {
    refuse_overlap(tree, bound);
}

projector::projector(const projection& tree, const bindings& bound) : allowed_(bound.allowed()) {
    paths_.reserve(tree.size());
    for (const path& each : tree) paths_.push_back(resolve(each, bound));
    std::ranges::sort(paths_);
}

item projector::operator()(const item& whole) const {
    return walk(allowed_).map_part(whole, paths_, 0);
}

}  // namespace dynalease::local::expression
