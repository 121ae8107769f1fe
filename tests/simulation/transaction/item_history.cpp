// Looking at the store.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/transaction/item_history.hpp"

#include "simulation/framework/played_world.hpp"

#include <utility>

namespace dynalease::simulation::transfers {

namespace {

constexpr std::int64_t first_balance = 100;

std::vector<item_state> beginning(std::size_t accounts, std::size_t tokens) {
    std::vector<item_state> all(accounts + tokens);
    for (std::size_t i = 0; i < accounts; ++i) all[i] = {.there = true, .balance = first_balance};
    return all;
}

}  // namespace

item_history::item_history(testing::world& where, std::size_t accounts, std::size_t tokens, hearer heard)
    : world_(where),
      accounts_(accounts),
      heard_(std::move(heard)),
      known_(beginning(accounts, tokens)),
      checker_(known_) {
    world_.create_table(coordination);
    world_.create_table(table);
    for (std::size_t i = 0; i < accounts; ++i) {
        item made{{"pk", name_of(i)}, {"sk", "-"}, {"balance", first_balance}, {"entries", attribute_list{}}};
        world_.call(put_item_request{.table_name = table, .new_item = std::move(made)}).value();
    }
}

void item_history::tell(const std::string& node, decltype(event::what) what) {
    event happened{.at = world_.now(), .what = std::move(what)};
    checker_.see(happened);
    heard_(node, std::move(happened));
}

void item_history::begun(const std::string& id, const std::string& run, std::int64_t attempt) {
    attempt_of_run_.try_emplace(id + "/" + run, attempt);
}

void item_history::begun_by(const std::string& id, const std::string& run, std::int64_t attempt) {
    const auto name = id + "/" + run;
    if (committing_.insert(name).second) attempt_of_run_.insert_or_assign(name, attempt);
}

std::optional<std::int64_t> item_history::newly_committed(const std::string& id) {
    const auto row = world_.row(coordination, "tx#" + id);
    auto& before = rows_[id];
    const auto now = row ? state_of_row(*row) : row_state{};
    const auto was = std::exchange(before, now);
    if (now.state != "C" || (was.state == "C" && was.run == now.run)) return std::nullopt;
    const auto found = attempt_of_run_.find(id + "/" + now.run);
    return found == attempt_of_run_.end() ? 0 : found->second;
}

void item_history::look_at_lock(const std::string& node) {
    const auto row = world_.row(coordination, std::string("lock#") + guarding_lock);
    const auto token = row && row->contains("holder") ? find_integer(*row, "token") : std::nullopt;
    if (std::exchange(lock_token_, token) != token) tell(node, lock_passed{token});
}

void item_history::look(const std::string& node, const std::string& id, std::optional<std::int64_t> by, bool repeated) {
    look_at_lock(node);
    stored seen{.committed = by, .leaves_row = !by, .repeated = repeated};
    if (!id.empty()) {
        const auto committed = newly_committed(id);
        if (!by) seen.committed = committed;
    }
    std::map<std::string, std::optional<item>> rows;
    const auto row = [&](const std::string& of) {
        const auto [at, is_new] = rows.try_emplace(of);
        if (is_new) at->second = world_.row(coordination, "tx#" + of);
        return at->second ? &*at->second : nullptr;
    };
    for (std::size_t i = 0; i < known_.size(); ++i) {
        auto now = resolved(stored_item(i), row);
        if (now == known_[i]) continue;
        known_[i] = now;
        seen.changed.emplace_back(i, std::move(now));
    }
    if (seen.committed || !seen.changed.empty()) tell(node, std::move(seen));
}

void item_history::locked(const std::string& node, const item_key& key, const std::string& run, bool late, bool helps) {
    const auto& name = *find_string(key, "pk");
    ++landed_[name];
    const auto lies = world_.row(table, name);
    if (!is_marked(lies)) return;
    if (late || (helps && ended_by_itself_.contains(run)))
        strays_.insert(text_of_mark(*lies));
    else if (helps)
        helpers_locks_.insert_or_assign(text_of_mark(*lies), helpers_lock{node, run});
}

void item_history::died(const std::string& node) {
    for (auto& [mark, lock] : helpers_locks_) lock.orphaned |= lock.node == node;
}

bool item_history::is_stray(const std::string& mark) const {
    if (strays_.contains(mark)) return true;
    const auto helped = helpers_locks_.find(mark);
    if (helped == helpers_locks_.end()) return false;
    return helped->second.orphaned && ended_by_itself_.contains(helped->second.run);
}

std::optional<item_history::mark_sight> item_history::mark_on(std::size_t index) {
    const auto lies = stored_item(index);
    if (!is_marked(lies)) return std::nullopt;
    return mark_sight{
        .owner = *find_string(*lies, "_TxId"), .text = text_of_mark(*lies), .landed = landed_[name_of(index)]};
}

bool item_history::was_rolled_back_by(const std::string& owner, std::string_view whom) {
    const auto slash = owner.rfind('/');
    const auto row = world_.row(coordination, "tx#" + owner.substr(0, slash));
    if (!row) return false;
    const auto state = state_of_row(*row);
    const auto* by = find_string(*row, "by");
    return state.state == "R" && state.run == owner.substr(slash + 1) && by && *by == whom;
}

void item_history::comb() {
    combed seen;
    for (std::size_t i = 0; i < known_.size(); ++i) {
        const auto lies = stored_item(i);
        if (is_marked(lies) && !is_stray(text_of_mark(*lies))) ++seen.marks;
    }
    tell("", seen);
}

void item_history::conclude() {
    swept seen;
    for (std::size_t i = 0; i < known_.size(); ++i) seen.marks += is_marked(stored_item(i)) ? 1 : 0;
    for (const auto& row : world_.image(coordination)) {
        const auto* key = find_string(row, "pk");
        if (key && key->starts_with("tx#") && !row.contains("done")) ++seen.open_rows;
    }
    tell("", seen);
    checker_.conclude();
}

std::string item_history::text_of_item(std::size_t index) {
    const auto lies = stored_item(index);
    std::string text = name_of(index) + (lies ? " lies as" : " is not there");
    if (!lies) return text;
    const auto state = state_of(lies);
    text += " " + std::to_string(state.balance) + " [";
    for (const auto each : state.entries) text += " " + std::to_string(each);
    text += " ]";
    if (const auto* owner = find_string(*lies, "_TxId")) text += " held by " + std::string(*owner);
    return text;
}

}  // namespace dynalease::simulation::transfers
