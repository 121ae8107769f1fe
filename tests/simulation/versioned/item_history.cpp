// The states of items, as they follow each other.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/versioned/item_history.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace dynalease::simulation::versions {

namespace {

constexpr std::array names{"Intends", "Written", "Turned away", "Found right", "Replaced", "Told", "Shown"};

std::string bytes_in(const item& stored, const char* name) {
    const auto* value = find(stored, name);
    const auto* bytes = value ? value->get_if<binary>() : nullptr;
    std::string text;
    for (const auto each : bytes ? *bytes : binary{}) text += static_cast<char>(each);
    return text;
}

}  // namespace

namespace {

/// What strangers keep inside of a card, and inside of a map in it.
std::vector<std::int64_t> asides_in(const attribute_map& card) {
    std::vector<std::int64_t> all;
    if (const auto pin = find_integer(card, "pin")) all.push_back(*pin);
    const auto* uses = find(card, "uses");
    const auto* map = uses ? uses->get_if<attribute_map>() : nullptr;
    const auto by_bank = map ? find_integer(*map, "bank") : std::nullopt;
    if (by_bank) all.push_back(*by_bank);
    return all;
}

}  // namespace

item_state state_of(const std::optional<item>& stored) {
    item_state shown;
    if (!stored) return shown;
    shown.exists = true;
    shown.gone = stored->contains("_gone");
    shown.version = find_integer(*stored, "version");
    shown.life = bytes_in(*stored, "_born");
    shown.legacy = stored->contains("legacy");
    const auto* card = find(*stored, "card");
    shown.card = card && card->is<attribute_map>();
    if (shown.card) shown.uses = card->get_if<attribute_map>()->contains("uses");
    if (shown.card) shown.aside = asides_in(*card->get_if<attribute_map>());
    if (const auto* holder = find_string(*stored, "_lockW")) shown.holder = *holder;
    const auto* readers = find(*stored, "_lockR");
    if (readers && shown.holder.empty()) shown.holder = *readers->get_if<string_set>()->begin();
    const auto* entries = find(*stored, "entries");
    const auto* list = entries ? entries->get_if<attribute_list>() : nullptr;
    for (std::size_t i = 0; list && i < list->size(); ++i) {
        shown.entries.push_back(std::stoll((*list)[i].get_if<number>()->text()));
    }
    return shown;
}

std::string text_of(const event& happened) {
    std::string text = names[happened.what.index()];
    if (const auto* begun = std::get_if<intended>(&happened.what)) {
        text += " " + std::to_string(begun->number) + " kind " + std::to_string(static_cast<int>(begun->what)) +
                " item " + std::to_string(begun->item);
        if (begun->base) text += " from state " + std::to_string(*begun->base);
    }
    if (const auto* write = std::get_if<written>(&happened.what)) {
        text += " by " + std::to_string(write->number) + " item " + std::to_string(write->item) +
                (write->after.there() ? " version " + std::to_string(write->after.version.value_or(-1))
                                      : std::string(write->after.exists ? " tombstone" : " none"));
    }
    if (const auto* said = std::get_if<told>(&happened.what)) {
        constexpr std::array answers{"applied", "superseded", "conflict",    "exists",
                                     "missing", "locked",     "not applied", "in doubt"};
        text += " " + std::to_string(said->number) + ": " + answers[static_cast<std::size_t>(said->what)];
    }
    return text;
}

item_history::item_history(testing::world& where, std::size_t items,
                           std::function<void(const std::string& node, event happened)> heard, keeping kept)
    : world_(where),
      kept_(std::move(kept)),
      heard_(std::move(heard)),
      checker_(items, kept_.stamps, kept_.step),
      states_(items, std::vector<std::optional<item>>(1)) {
    world_.create_table(table);
}

std::optional<std::size_t> item_history::item_in(const item_key& key) {
    const auto* text = find_string(key, "pk");
    constexpr std::string_view prefix = "item#";
    if (!text || !text->starts_with(prefix)) return std::nullopt;
    return static_cast<std::size_t>((*text)[prefix.size()] - '0');
}

std::optional<item> item_history::stored(std::size_t index) {
    return by_default_names(world_.row(table, name_of(index)));
}

std::optional<item> item_history::by_default_names(std::optional<item> stored) const {
    const keeping usual;
    if (!stored || kept_.version == usual.version) return stored;
    item out;
    for (auto& [name, value] : *stored) {
        if (name == kept_.version)
            out.emplace(usual.version, std::move(value));
        else if (name == kept_.stamp)
            out.emplace(usual.stamp, std::move(value));
        else if (name.starts_with(kept_.lock_prefix))
            out.emplace(usual.lock_prefix + name.substr(kept_.lock_prefix.size()), std::move(value));
        else
            out.emplace(name, std::move(value));
    }
    return out;
}

void item_history::tell(const std::string& node, decltype(event::what) what) {
    event happened{.at = world_.now(), .what = std::move(what)};
    checker_.see(happened);
    heard_(node, std::move(happened));
}

std::optional<item> item_history::versioned_part(std::optional<item> stored) const {
    if (!stored) return stored;
    std::erase_if(*stored, [](const auto& each) { return each.first.starts_with("_lock"); });
    if (kept_.cards_are_shared) stored->erase("card");
    return stored;
}

void item_history::note_state(std::size_t index) {
    auto& known = states_[index];
    if (checker_.now(index) + 1 > known.size()) known.push_back(versioned_part(stored(index)));
}

void item_history::written_by(const std::string& node, written what) {
    const auto index = what.item;
    const auto after = stored(index);
    // A transaction that the service knows already changes nothing.
    if (versioned_part(after) == states_[index].back()) return;
    what.after = state_of(after);
    tell(node, std::move(what));
    note_state(index);
}

void item_history::look_again(std::size_t index) {
    const auto after = state_of(stored(index));
    if (after == checker_.state(index)) return;
    tell("", replaced{.item = index, .after = after});
    note_state(index);
}

std::optional<serial> item_history::serial_of(std::size_t index, std::optional<item> shown) const {
    const auto& known = states_[index];
    const auto wanted = versioned_part(by_default_names(std::move(shown)));
    for (auto at = known.size(); at-- > 0;) {
        const bool none = !known[at] || known[at]->contains("_gone");
        if (wanted ? known[at] == wanted : none) return at;
    }
    return std::nullopt;
}

}  // namespace dynalease::simulation::versions
