// The items of a world, as its store has them.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/wall_clock/world.hpp"

#include <array>
#include <utility>

namespace dynalease::simulation::wall_clocks {

namespace {
constexpr std::string_view prefix = "till#";
}  // namespace

item_key clock_world::key_of(std::size_t index) {
    return {{"pk", std::string(prefix) + std::to_string(index)}, {"sk", "-"}};
}

std::optional<std::size_t> clock_world::item_in(const item_key& key) {
    const auto* text = find_string(key, "pk");
    if (!text || !text->starts_with(prefix)) return std::nullopt;
    return static_cast<std::size_t>((*text)[prefix.size()] - '0');
}

void clock_world::make_items() {
    simulated().create_table(table);
    for (std::size_t i = 0; i < item_count_; ++i) {
        auto fresh = key_of(i);
        fresh.emplace("entries", attribute_list{});
        simulated().call(put_item_request{.table_name = table, .new_item = std::move(fresh)}).value();
        tell_written("", {.item = i});
    }
}

item_state clock_world::stored(std::size_t index) {
    const auto row = simulated().row(table, std::string(prefix) + std::to_string(index));
    item_state shown;
    if (!row) return shown;
    shown.exists = true;
    if (const auto* text = find_string(*row, options().attribute)) shown.text = *text;
    const auto* entries = find(*row, "entries");
    const auto* list = entries ? entries->get_if<attribute_list>() : nullptr;
    for (std::size_t i = 0; list && i < list->size(); ++i) {
        shown.entries.push_back(std::stoll((*list)[i].get_if<number>()->text()));
    }
    return shown;
}

void clock_world::tell_written(const std::string& node, written what) {
    what.wall = simulated().store_clock().wall();
    what.after = stored(what.item);
    const auto& before = checker_.state(what.item);
    auto& coverage = run().coverage;
    if (before.text.empty() != what.after.text.empty()) coverage.hit(before.text.empty() ? "locked" : "freed");
    tell(node, std::move(what));
}

void clock_world::tell(const std::string& node, decltype(event::what) what) {
    event happened{.at = now(), .what = std::move(what)};
    checker_.see(happened);
    run().trace.add(now(), node, 100 + happened.what.index(), [&] {
        constexpr std::array names{"Item",         "Has it",        "Lets go",          "Gave it back",
                                   "Begins write", "Told of write", "Cannot know whose"};
        std::string text = names[happened.what.index()];
        if (const auto* seen = std::get_if<written>(&happened.what)) {
            text += " " + std::to_string(seen->item) + " by " + seen->by + (seen->stranger ? " (stranger)" : "") +
                    (seen->late ? " late" : "") + ": " + seen->after.text;
            if (seen->number != 0) text += " write " + std::to_string(seen->number);
        }
        if (const auto* got = std::get_if<given>(&happened.what)) {
            text += ": " + std::to_string(got->handle) + ", item " + std::to_string(got->item) + " " + got->text;
        }
        if (const auto* write = std::get_if<begun>(&happened.what)) text += " " + std::to_string(write->number);
        if (const auto* said = std::get_if<told>(&happened.what)) {
            constexpr std::array answers{"applied", "refused", "in doubt"};
            text += " " + std::to_string(said->number) + ": " + answers[static_cast<std::size_t>(said->what)];
        }
        return text;
    });
    if (kept_) kept_->push_back(std::move(happened));
}

}  // namespace dynalease::simulation::wall_clocks
