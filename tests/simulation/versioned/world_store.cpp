// What others than the library do to the items of a world.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/versioned/world.hpp"

#include <utility>

namespace dynalease::simulation::versions {

// ---- others --------------------------------------------------------------------------------------------------

void version_world::arm_strangers() {
    if (config_.beside == strangers::none && !config_.locks) return;
    const auto least = config_.beside == strangers::aside ? 20 : 200;
    const std::chrono::milliseconds wait(choices().between("next stranger", least, 45 * least));
    simulated().scheduler().add_timer(now() + wait, [this] {
        if (calm() || stopping()) return;
        const auto index = choices().choose("item of a stranger", item_count_);
        const bool locks =
            config_.beside == strangers::none || (config_.locks && choices().choose("what a stranger does", 3) == 1);
        if (locks) {
            lock_for_a_while(index);
        } else if (config_.beside == strangers::aside) {
            write_aside(index);
        } else {
            write_as_stranger(index);
        }
        arm_strangers();
    });
}

/// As the mappers of other languages do: they test and raise the version, and know of nothing else.
void version_world::write_as_stranger(std::size_t index) {
    auto now_there = item_history_.stored(index);
    if (!now_there || now_there->contains("_gone")) return;
    const auto version = find_integer(*now_there, "version");
    if (!version) return;
    const auto number = item_history_.next_number();
    item_history_.tell("", intended{.number = number, .item = index, .what = intent::foreign});
    auto entries = *find(*now_there, "entries")->get_if<attribute_list>();
    entries.emplace_back(number);
    if (config_.beside == strangers::put) {
        item whole{{"pk", item_history::name_of(index)},
                   {"sk", "-"},
                   {"entries", entries},
                   {config_.kept.version, *version + 1}};
        simulated().call(put_item_request{.table_name = table, .new_item = std::move(whole)}).value();
        run().coverage.fault("stranger_put");
    } else {
        update_item_request change{.table_name = table, .key = item_history::key_of(index)};
        // What a newer program keeps beside our members, and inside of one.
        const auto* card = find(*now_there, "card");
        auto pinned = card ? *card->get_if<attribute_map>() : attribute_map{{"holder", "bank"}};
        pinned.insert_or_assign("pin", number);
        change.update_expression = "SET #e = :e, #v = :v, #l = :l, #c = :c";
        change.names = {{"#e", "entries"}, {"#v", config_.kept.version}, {"#l", "legacy"}, {"#c", "card"}};
        change.values = {{":e", entries}, {":v", *version + 1}, {":l", "kept"}, {":c", pinned}};
        simulated().call(std::move(change)).value();
        run().coverage.fault("stranger_update");
    }
    item_history_.written_by("", {.number = number, .item = index});
}

/// As a program that keeps what is its own inside of our callers' members, makes them and takes them away, and knows of
/// no version.
void version_world::write_aside(std::size_t index) {
    const auto now_there = item_history_.stored(index);
    if (!now_there || now_there->contains("_gone")) return;
    const attribute_value number(item_history_.next_number());
    update_item_request change{.table_name = table, .key = item_history::key_of(index)};
    change.names = {{"#c", "card"}};
    const auto* card = find(*now_there, "card");
    const auto way = choices().choose("what stands aside", 4);
    if (!card) {
        change.update_expression = "SET #c = :c";
        change.values = {{":c", attribute_map{{"holder", "bank"}, {"pin", number}}}};
    } else if (way == 0) {
        change.update_expression = "REMOVE #c";
        run().coverage.fault("stranger_took");
    } else {
        const bool deep = way == 1 && card->get_if<attribute_map>()->contains("uses");
        change.update_expression = deep ? "SET #c.#u.#b = :n" : "SET #c.#p = :n";
        change.values = {{":n", number}};
        if (deep)
            change.names.insert({{"#u", "uses"}, {"#b", "bank"}});
        else
            change.names.emplace("#p", "pin");
        run().coverage.fault("stranger_aside");
    }
    simulated().call(std::move(change)).value();
    item_history_.look_again(index);
}

void version_world::lock_for_a_while(std::size_t index) {
    if (!item_history_.checked().state(index).there()) return;
    const auto key = item_history::key_of(index);
    update_item_request take{.table_name = table, .key = key};
    take.update_expression = "SET #w = :w";
    take.condition_expression = "attribute_not_exists(#w)";
    take.names = {{"#w", config_.kept.lock_prefix + "W"}};
    take.values = {{":w", "somebody.1.0000000001"}};
    if (!simulated().call(std::move(take))) return;
    item_history_.look_again(index);
    run().coverage.fault("locked_by_another");
    const std::chrono::milliseconds held(choices().between("how long it is locked", 100, 3000));
    simulated().scheduler().add_timer(now() + held, [this, index, key] {
        if (!item_history_.stored(index)) return;
        update_item_request free{.table_name = table, .key = key};
        free.update_expression = "REMOVE #w";
        free.names = {{"#w", config_.kept.lock_prefix + "W"}};
        simulated().call(std::move(free)).value();
        item_history_.look_again(index);
    });
}

/// What another program sells of, and runs out of, now and then.
void version_world::arm_stock() {
    if (!config_.foreign_actions) return;
    const std::chrono::milliseconds wait(choices().between("next delivery", 100, 6000));
    simulated().scheduler().add_timer(now() + wait, [this] {
        if (stopping()) return;
        const auto left = calm() ? 1 : choices().choose("left in stock", 2);
        item stock = stock_key();
        stock.emplace("left", left);
        simulated().call(put_item_request{.table_name = table, .new_item = std::move(stock)}).value();
        if (!calm()) arm_stock();
    });
}

}  // namespace dynalease::simulation::versions
