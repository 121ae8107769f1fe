// Replaying what was committed, beside what the store and the callers say.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/transaction/checker.hpp"

#include "simulation/transaction/dependencies.hpp"

#include <algorithm>

namespace dynalease::simulation::transfers {

namespace {

std::string name_of(std::size_t item) {
    return "x" + std::to_string(item);
}

}  // namespace

checker::checker(std::vector<item_state> initial)
    : lies_(initial), money_([&initial] {
          std::int64_t sum = 0;
          for (const auto& each : initial) sum += each.balance;
          return sum;
      }()) {
    for (auto& each : initial) states_.push_back({dated{0, std::move(each)}});
}

void checker::fail(const char* promise, const std::string& what) {
    if (!broken_) broken_ = std::string(promise) + ": " + what;
}

void checker::see(const event& happened) {
    ++events_;
    std::visit([this](const auto& what) { on(what); }, happened.what);
}

std::int64_t checker::money() const {
    std::int64_t sum = 0;
    for (const auto& each : lies_) sum += each.there ? each.balance : 0;
    return sum;
}

// ---- what is wanted ------------------------------------------------------------------------------------------

void checker::on(const wished& what) {
    wishes_[what.number].effects = what.effects;
}

void checker::on(const called& what) {
    calls_[what.call] = {.number = what.number, .since = events_};
}

void checker::on(const attempted& what) {
    attempts_[what.attempt] = {
        .call = what.call, .id = what.id, .read = what.read, .demanded = what.demanded, .guarded = what.guarded};
    calls_[what.call].attempts.push_back(what.attempt);
}

// ---- what happens --------------------------------------------------------------------------------------------

void checker::set(std::size_t item, item_state state) {
    states_[item].push_back({events_, std::move(state)});
}

void checker::carry_out(const effect& what, std::int64_t number, const std::vector<item_state>& before) {
    auto now = state(what.item);
    const auto gained = what.amount + (what.absorbs ? before[*what.absorbs].balance : 0);
    const auto on_item = " of wish " + std::to_string(number) + " with " + name_of(what.item);
    switch (what.what) {
        case deed::erase:
            if (!now.there) return fail("B1", "the erasure" + on_item + ", which is not there, was committed");
            return set(what.item, {});
        case deed::insert:
            if (now.there) return fail("B1", "the insert" + on_item + ", which is there, was committed");
            return set(what.item, {.there = true, .balance = gained, .entries = {number}, .version = 1});
        case deed::put:
            return set(what.item, {.there = true,
                                   .balance = gained,
                                   .entries = {number},
                                   .version = (now.there ? now.version.value_or(0) : 0) + 1});
        case deed::add:
            break;
    }
    if (!now.there) return fail("B1", "the update" + on_item + ", which is not there, was committed");
    now.balance += gained;
    now.entries.push_back(number);
    now.version = now.version.value_or(0) + 1;
    set(what.item, std::move(now));
}

void checker::commit(std::int64_t number_of_attempt, bool leaves_row) {
    const auto found = attempts_.find(number_of_attempt);
    if (found == attempts_.end()) return fail("B1", "a run was committed whose body has not ended");
    const auto& [of, id, read, demanded, guarded] = found->second;
    const auto& asked = calls_.at(of);
    auto& wanted = wishes_.at(asked.number);
    if (leaves_row) committed_ids_.insert(id);
    // Reading twice does no harm, and is checked when it is told.
    if (wanted.effects.empty()) return;
    const auto name = "attempt " + std::to_string(number_of_attempt) + " of wish " + std::to_string(asked.number);
    if (wanted.committed) return fail("B1", name + " was committed, as another one had been");
    if (asked.refused) return fail("B2", name + " was committed after its caller was told that it had failed");
    if (lost_ids_.contains(id)) return fail("B2", name + " was committed after it was said to be rolled back");
    for (const auto& each : read) {
        if (!state(each.item).shows_as(each.value))
            return fail("B3", name + " was committed, and has read " + name_of(each.item) + " as it no longer was");
    }
    for (const auto& each : demanded) {
        if (!state(each.item).there || state(each.item).balance < each.least)
            return fail("B3", name + " was committed, and " + name_of(each.item) + " was not as it demanded");
    }
    if (guarded && guarded != lock_)
        return fail("B7", name + " was committed, and its lock was no longer held as it requires");
    wanted.committed = number_of_attempt;
    std::vector<item_state> before;
    for (std::size_t i = 0; i < states_.size(); ++i) before.push_back(state(i));
    for (const auto& each : wanted.effects) carry_out(each, asked.number, before);
}

/// One of the plain writes that are under way, or of which a copy is.
void checker::take_plain(std::size_t item, const item_state& now, bool repeated) {
    auto expected = state(item);
    const auto number = now.entries.empty() ? 0 : now.entries.back();
    expected.entries.push_back(number);
    if (expected.version) ++*expected.version;
    const auto known = plain_.find(number);
    const bool mine = known != plain_.end() && known->second.item == item;
    if (!mine || !expected.shows_as(now)) return;
    auto& write = known->second;
    if (write.done && !write.repeated) fail("B2", "plain write " + std::to_string(number) + " was done twice");
    expected.version = now.version;
    write.done = true;
    write.repeated = write.repeated || repeated;
    set(item, std::move(expected));
}

void checker::on(const stored& what) {
    if (what.committed) commit(*what.committed, what.leaves_row);
    for (const auto& [item, now] : what.changed) {
        lies_[item] = now;
        if (!what.committed && now != state(item)) take_plain(item, now, what.repeated);
    }
    for (std::size_t i = 0; i < lies_.size(); ++i) {
        if (lies_[i] == state(i)) continue;
        const bool in_version = lies_[i].shows_as(state(i));
        fail("B1", name_of(i) + (in_version ? " has another version than" : " is not what") +
                       " the committed transactions have made of it");
    }
    if (money() != money_)
        fail("B1", "there is money of " + std::to_string(money()) + " in place of " + std::to_string(money_));
}

// ---- what is told --------------------------------------------------------------------------------------------

/// Whether there was a moment since that event at which all of it was so.
bool checker::at_once(const std::vector<seen_item>& read, std::uint64_t since) const {
    for (auto moment = since; moment <= events_; ++moment) {
        const bool all = std::ranges::all_of(read, [&](const seen_item& each) {
            const auto& known = states_[each.item];
            auto at = known.rbegin();
            while (at->since > moment) ++at;
            return at->state.shows_as(each.value);
        });
        if (all) return true;
    }
    return false;
}

void checker::on(const told& what) {
    auto& asked = calls_.at(what.call);
    const auto& wanted = wishes_.at(asked.number);
    const auto name = "wish " + std::to_string(asked.number);
    if (what.what == answer::done && wanted.effects.empty()) {
        if (!at_once(what.read, asked.since)) return fail("B3", name + " has read what was never so together");
        // Each call for it is one by itself.
        reads_only_.emplace_back(-what.call, what.read);
        return;
    }
    if (what.what == answer::done && !wanted.committed) fail("B2", name + " is told as done, and is not committed");
    if (what.what == answer::doubt && wanted.effects.empty()) fail("B2", name + " is told as in doubt, and but reads");
    if (what.what != answer::refused) return;
    asked.refused = true;
    for (const auto each : asked.attempts) {
        if (wanted.committed == each) fail("B2", name + " is told as failed, and is committed");
    }
}

void checker::on(const refused_by_body& what) {
    if (!at_once(what.read, calls_.at(what.call).since))
        fail("B3", "call " + std::to_string(what.call) + " is refused for what was never so together");
}

void checker::on(const told_plain& what) {
    if (what.what == answer::done && !plain_.at(what.number).done)
        fail("B2", "plain write " + std::to_string(what.number) + " is told as done, and is not");
}

void checker::on(const told_of& what) {
    const bool committed = committed_ids_.contains(what.id);
    if (what.what == transaction_state::committed && !committed)
        fail("B2", what.id + " is told as committed, and is not");
    if (what.what != transaction_state::committed && what.committed_before)
        fail("B2", what.id + " was committed, and is told otherwise");
    if (what.what != transaction_state::rolled_back || !what.drawn) return;
    if (committed) fail("B2", what.id + " is told as rolled back, and is committed");
    lost_ids_.insert(what.id);
}

void checker::on(const shown& what) {
    if (what.level == isolation::uncommitted) return;
    const auto& known = states_[what.what.item];
    auto from = static_cast<std::size_t>(what.since);
    // An item of a transaction that has just committed may still be shown as it was before.
    if (what.level == isolation::committed && from > 0) --from;
    for (auto at = from; at < known.size(); ++at) {
        if (known[at].state.shows_as(what.what.value)) return;
    }
    fail("B4", "a reader was shown of " + name_of(what.what.item) + " what was not committed then");
}

void checker::on(const shown_together& what) {
    if (!at_once(what.read, what.since)) return fail("B4", "a reader was shown together what was never so together");
    reads_only_.emplace_back(-what.number, what.read);
}

void checker::on(const combed& what) {
    if (what.marks != 0) fail("B5", "no sweep finds " + std::to_string(what.marks) + " items that are held");
}

void checker::on(const swept& what) {
    if (what.marks != 0) fail("B5", std::to_string(what.marks) + " items are held for ever");
    if (what.open_rows != 0) fail("B5", std::to_string(what.open_rows) + " transactions are never done");
}

void checker::conclude() {
    dependencies order;
    for (std::size_t i = 0; i < states_.size(); ++i) {
        // Lists that began anew do not tell all.
        const auto begins_anew = [](const dated& each) { return !each.state.there; };
        if (std::ranges::none_of(states_[i], begins_anew)) order.list(i, lies_[i].entries);
    }
    const auto add = [&order](std::int64_t by, const std::vector<seen_item>& read) {
        for (const auto& each : read) order.read(by, each.item, each.value.entries);
    };
    for (const auto& [number, wanted] : wishes_) {
        if (wanted.committed) add(number, attempts_.at(*wanted.committed).read);
    }
    for (const auto& [number, read] : reads_only_) add(number, read);
    if (const auto wrong = order.contradiction()) fail("B3", *wrong);
}

}  // namespace dynalease::simulation::transfers
