// What a transaction saw of an item, and what its writes touch.
// SPDX-License-Identifier: BSL-1.0
#include "transaction/protocol/planned_writes.hpp"

#include "item/protocol/item_state.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace dynalease::protocol {

result<item_sight> sight_of(const guarded_table& on, const std::optional<item>& committed) {
    if (!committed) return item_sight{.absent = true};
    const auto now = on.versioned ? versioned_state_of(on.layout, *committed) : state_of(on.layout, *committed);
    if (!now) return now.error();
    if (now->gone) return item_sight{.absent = true};
    item_sight seen{.stamp = now->state.stamp};
    if (on.versioned) seen.version = now->state.version;
    return seen;
}

std::optional<failure> fault_of_state(const guarded_table& on, const item& shown) {
    if (shown.contains(mark_attribute::before)) {
        failure why(errc::corrupt_row);
        why.details.message =
            "attribute \"" + std::string(mark_attribute::before) + "\" is of a transaction's mark, whose name is gone";
        return why;
    }
    if (!on.versioned) {
        // Whatever its version is, it is an attribute like others.
        const auto* stamp = find(shown, on.layout.stamp);
        if (!stamp) return std::nullopt;
        const auto now = state_of(on.layout, {{on.layout.stamp, *stamp}});
        return now ? std::nullopt : std::optional(now.error());
    }
    const auto now = versioned_state_of(on.layout, shown);
    return now ? std::nullopt : std::optional(now.error());
}

bool is_as_seen(const guarded_table& on, const item_sight& seen, const std::optional<item>& shown) {
    const auto now = sight_of(on, shown);
    return now && *now == seen;
}

failure about(failure why, const item_ref& where) {
    explain_key(why, where.key);
    why.details.table = where.table;
    why.details.key = text_of(where.key);
    return why;
}

failure met_at(const item_ref& where, failure why) {
    const bool elsewhere = !why.details.table.empty() && why.details.table != where.table;
    return elsewhere ? why : about(std::move(why), where);
}

std::vector<std::string> touched_by(const update_expression& change) {
    using enum update_expression::clause;
    std::vector<std::string> touched;
    for (const auto clause : {set, remove, add, delete_from}) {
        for (const auto& action : change.actions(clause)) {
            // The target comes first.
            const auto* target = action.empty() ? nullptr : std::get_if<detail::name_fragment>(&action.front());
            if (target && std::ranges::find(touched, target->name) == touched.end()) touched.push_back(target->name);
        }
    }
    return touched;
}

}  // namespace dynalease::protocol
