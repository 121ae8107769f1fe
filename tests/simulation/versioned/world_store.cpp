// The items of a world as its store has them, and what others than the library do to them.
#include "simulation/versioned/world.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::simulation::versions {

namespace {

/// Locks come and go without making another state of an item.
std::optional<item> without_lock(std::optional<item> stored) {
    if (stored) std::erase_if(*stored, [](const auto& each) { return each.first.starts_with("_lock"); });
    return stored;
}

std::string bytes_in(const item& stored, const char* name) {
    const auto* value = find(stored, name);
    const auto* bytes = value ? value->get_if<binary>() : nullptr;
    std::string text;
    for (const auto each : bytes ? *bytes : binary{}) text += static_cast<char>(each);
    return text;
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
    if (const auto* holder = find_string(*stored, "_lockW")) shown.holder = *holder;
    const auto* entries = find(*stored, "entries");
    const auto* list = entries ? entries->get_if<attribute_list>() : nullptr;
    for (std::size_t i = 0; list && i < list->size(); ++i) {
        shown.entries.push_back(std::stoll((*list)[i].get_if<number>()->text()));
    }
    return shown;
}

std::optional<item> version_world::stored(std::size_t index) {
    return simulated_.row(table, name_of(index));
}

void version_world::note_state(std::size_t index) {
    auto& known = states_[index];
    if (judge_.now(index) + 1 > known.size()) known.push_back(without_lock(stored(index)));
}

void version_world::written_by(const std::string& node, std::int64_t number, std::size_t index, bool copy) {
    const auto after = stored(index);
    // A transaction that the service knows already changes nothing.
    if (without_lock(after) == states_[index].back()) return;
    tell(node, written{.number = number, .item = index, .after = state_of(after), .copy = copy});
    note_state(index);
}

std::optional<serial> version_world::serial_of(std::size_t index, std::optional<item> shown) const {
    const auto& known = states_[index];
    const auto wanted = without_lock(std::move(shown));
    for (auto at = known.size(); at-- > 0;) {
        const bool none = !known[at] || known[at]->contains("_gone");
        if (wanted ? known[at] == wanted : none) return at;
    }
    return std::nullopt;
}

// ---- others --------------------------------------------------------------------------------------------------

void version_world::arm_strangers() {
    if (recipe_.beside == strangers::none && !recipe_.locks) return;
    const std::chrono::milliseconds wait(run_.choices.between("next stranger", 200, 9000));
    simulated_.scheduler().add_timer(now() + wait, [this] {
        if (calm_ || stopping_) return;
        const auto index = run_.choices.choose("item of a stranger", item_count_);
        const bool locks =
            recipe_.beside == strangers::none || (recipe_.locks && run_.choices.choose("what a stranger does", 3) == 1);
        if (locks) {
            lock_for_a_while(index);
        } else {
            write_as_stranger(index);
        }
        arm_strangers();
    });
}

/// As the mappers of other languages do: they test and raise the version, and know of nothing else.
void version_world::write_as_stranger(std::size_t index) {
    auto now_there = stored(index);
    if (!now_there || now_there->contains("_gone")) return;
    const auto version = find_integer(*now_there, "version");
    if (!version) return;
    const auto number = next_number();
    tell("", intended{.number = number, .item = index, .what = intent::foreign});
    auto entries = *find(*now_there, "entries")->get_if<attribute_list>();
    entries.emplace_back(number);
    if (recipe_.beside == strangers::put) {
        item whole{{"pk", name_of(index)}, {"sk", "-"}, {"entries", entries}, {"version", *version + 1}};
        simulated_.call(put_item_request{.table_name = table, .new_item = std::move(whole)}).value();
        run_.census.fault("stranger_put");
    } else {
        update_item_request change{.table_name = table, .key = {{"pk", name_of(index)}, {"sk", "-"}}};
        change.update_expression = "SET #e = :e, #v = :v, #l = :l";
        change.names = {{"#e", "entries"}, {"#v", "version"}, {"#l", "legacy"}};
        change.values = {{":e", entries}, {":v", *version + 1}, {":l", "kept"}};
        simulated_.call(std::move(change)).value();
        run_.census.fault("stranger_update");
    }
    written_by("", number, index);
}

void version_world::lock_for_a_while(std::size_t index) {
    if (!judge_.state(index).there()) return;
    const item_key key{{"pk", name_of(index)}, {"sk", "-"}};
    update_item_request take{.table_name = table, .key = key};
    take.update_expression = "SET #w = :w";
    take.condition_expression = "attribute_not_exists(#w)";
    take.names = {{"#w", "_lockW"}};
    take.values = {{":w", "somebody.1.0000000001"}};
    if (!simulated_.call(std::move(take))) return;
    tell("", replaced{.item = index, .after = state_of(stored(index))});
    run_.census.fault("locked_by_another");
    const std::chrono::milliseconds held(run_.choices.between("how long it is locked", 100, 3000));
    simulated_.scheduler().add_timer(now() + held, [this, index, key] {
        if (!stored(index)) return;
        update_item_request free{.table_name = table, .key = key};
        free.update_expression = "REMOVE #w";
        free.names = {{"#w", "_lockW"}};
        simulated_.call(std::move(free)).value();
        tell("", replaced{.item = index, .after = state_of(stored(index))});
    });
}

}  // namespace dynalease::simulation::versions
