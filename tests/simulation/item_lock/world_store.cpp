// The items of a world and their locks, as its store has them.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/item_lock/world.hpp"

#include <charconv>
#include <utility>

namespace dynalease::simulation::item_locks {

namespace {

/// "<session>.<attempt>", or with a step behind.
claimant claimant_in(std::string_view text) {
    const auto session = text.substr(0, text.find('.'));
    claimant who{.session = std::string(session)};
    const auto rest = text.substr(session.size() + 1);
    std::from_chars(rest.data(), rest.data() + rest.size(), who.attempt);
    return who;
}

}  // namespace

lock_state item_world::lock_of(std::size_t index) {
    const auto stored = item_history_.stored(index);
    lock_state shown;
    if (!stored) return shown;
    shown.exists = true;
    shown.life = versions::state_of(stored).life;
    if (const auto* writer = find_string(*stored, "_lockW")) shown.writer = claimant_in(*writer);
    if (const auto* intent = find_string(*stored, "_lockI")) shown.intent = claimant_in(*intent);
    if (const auto* readers = find(*stored, "_lockR")) {
        for (const auto& each : *readers->get_if<string_set>()) shown.readers.insert(claimant_in(each));
    }
    shown.floor = find_integer(*stored, "_lockF").value_or(0);
    return shown;
}

void item_world::lock_written_by(const std::string& node, const std::string& session, std::int64_t number,
                                 std::size_t index) {
    const auto before = item_history_.now(index);
    item_history_.look_again(index);
    if (config_.plain) look_for_sign_of_life(node, index);
    if (number == 0 && item_history_.now(index) != before) fail("L2", "a lock request changed the item itself");
    auto after = lock_of(index);
    const auto& known = checker_.state(index);
    if (after == known && number == 0) return;
    auto& coverage = run().coverage;
    const bool exclusive = !after.writer.session.empty() && after.writer != known.writer;
    if (exclusive) coverage.hit(known.writer.session.empty() ? "locked" : "taken over or handed over");
    if (known.exists && !after.exists) coverage.hit("erased under a lock");
    if (after.readers.size() > known.readers.size()) coverage.hit("read locked");
    if (!known.readers.empty() && exclusive) coverage.hit("dead readers removed by a writer");
    if (!after.intent.session.empty() && after.intent != known.intent) coverage.hit("intended");
    if (after.floor > known.floor && !exclusive && after.readers == known.readers) coverage.hit("voided");
    tell(node, lock_written{.item = index, .session = session, .number = number, .after = std::move(after)});
}

void item_world::look_for_sign_of_life(const std::string& node, std::size_t index) {
    const auto stored = item_history_.stored(index);
    const auto* writer = stored ? find_string(*stored, "_lockW") : nullptr;
    const auto before = std::exchange(writer_texts_[index], writer ? *writer : std::string());
    const bool same_grant = writer && !before.empty() && claimant_in(before) == claimant_in(*writer);
    if (!same_grant || before == *writer) return;
    run().coverage.hit("plain lock kept alive");
    tell(node, kept_alive{.item = index});
}

void item_world::look_at_session(const std::string& node, const std::string& key) {
    constexpr std::string_view prefix = "session#";
    if (!key.starts_with(prefix)) return;
    const auto row = simulated().row(coordination, key.substr(0, key.size() - 2));
    const auto* state = row ? find_string(*row, "state") : nullptr;
    auto session = key.substr(prefix.size(), key.size() - prefix.size() - 2);
    if (state && *state == "alive") tell(node, session_lives{.session = session});
    if (!state || *state == "alive") return;
    if (checker_.over(session)) return;
    run().coverage.hit(*state == "dead" ? "session marked dead" : "session closed");
    tell(node, session_over{.session = std::move(session)});
}

// ---- others --------------------------------------------------------------------------------------------------

void item_world::make_item(std::size_t index) {
    auto fresh = item_history_.key_of(index);
    fresh.emplace("entries", attribute_list{});
    fresh.emplace("version", 1);
    binary born(12, std::byte{1});
    const auto number = choices().choose("birth of an item", ~std::uint64_t{0});
    for (std::size_t i = 0; i < 8; ++i) born[i] = static_cast<std::byte>(number >> (8 * i));
    fresh.emplace("_born", born);
    fresh.emplace("_stamp", born);
    simulated().call(put_item_request{.table_name = versions::table, .new_item = std::move(fresh)}).value();
    item_history_.look_again(index);
    tell("", lock_replaced{.item = index, .after = lock_of(index)});
}

void item_world::arm_rebirth() {
    const std::chrono::milliseconds wait(choices().between("next rebirth", 3000, 15'000));
    simulated().scheduler().add_timer(now() + wait, [this] {
        if (calm() || stopping()) return;
        const auto index = choices().choose("which item is born anew", item_count_);
        if (!checker_.state(index).exists) return arm_rebirth();
        simulated()
            .call(delete_item_request{.table_name = versions::table, .key = item_history_.key_of(index)})
            .value();
        item_history_.look_again(index);
        tell("", lock_replaced{.item = index, .after = lock_of(index)});
        run().coverage.fault("item_removed");
        arm_birth(index);
        arm_rebirth();
    });
}

void item_world::arm_birth(std::size_t index) {
    const std::chrono::milliseconds gone(choices().between("how long an item is gone", 1, 1500));
    simulated().scheduler().add_timer(now() + gone, [this, index] {
        if (!checker_.state(index).exists) make_item(index);
    });
}

}  // namespace dynalease::simulation::item_locks
