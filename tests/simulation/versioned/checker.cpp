// One rule after the other.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/versioned/checker.hpp"

#include <algorithm>

namespace dynalease::simulation::versions {

namespace {

/// Writes that test the very state they were made from.
bool tests_state(intent what) {
    using enum intent;
    return what == save || what == save_revision || what == touch || what == remove || what == remove_revision ||
           what == check || what == close || what == close_revision;
}
/// Writes that append their number to what is there.
bool appends(intent what) {
    using enum intent;
    return what == save || what == save_revision || what == update || what == promoted || what == blind ||
           what == guarded || what == foreign;
}
/// Writes that do not know the item's earlier stamps, and so keep but two of them.
bool forgets(intent what) {
    using enum intent;
    return what == blind || what == clobber || what == upsert || what == guarded || what == promoted ||
           what == foreign || what == save_revision || what == remove_revision || what == close_revision;
}
/// Writes that land on whatever they meet.
bool unconditional(intent what) {
    using enum intent;
    return what == blind || what == clobber || what == upsert || what == clobber_remove;
}
/// Writes that need no item.
bool makes_items(intent what) {
    return what == intent::update || what == intent::promoted || what == intent::upsert;
}
bool removes(intent what) {
    using enum intent;
    return what == remove || what == remove_revision || what == guarded_removal || what == clobber_remove;
}
bool by_the_holder(intent what) {
    return what == intent::guarded || what == intent::guarded_removal;
}

std::string text(std::int64_t number) {
    return "write " + std::to_string(number);
}

}  // namespace

void checker::see(const event& seen) {
    std::visit([&](const auto& what) { on(what); }, seen.what);
}

void checker::fail(const char* promise, std::string what) {
    if (!broken_) broken_ = std::string(promise) + ": " + std::move(what);
}

void checker::add(item_record& to, const item_state& state, intent by) {
    // Who writes shows its caller what it made, not which maps strangers have taken away meanwhile.
    const bool changed_aside = to.states.back().changed_aside && !(state.card && state.uses);
    to.states.push_back({state, by, changed_aside});
}

void checker::on(const intended& seen) {
    records_[seen.number].parts[seen.item] = {.what = seen.what, .base = seen.base};
}

// ---- the store -----------------------------------------------------------------------------------------------

void checker::on(const written& seen) {
    auto& item = items_[seen.item];
    auto& record = records_[seen.number];
    auto& what = record.parts[seen.item];
    const auto before = item.states.back().state;
    if (record.refused || (record.stopped && !seen.copy)) {
        fail("O1", text(seen.number) + " was applied though its caller was told that it is not");
    }
    if (!what.applied.empty()) check_repetition(seen.number, what, item);
    check_base(seen.number, what, seen.item);
    check_content(seen.number, what.what, before, seen.after);
    check_version(what.what, item, before, seen.after);
    const bool under_own_lock = what.what == intent::promoted && before.holder.starts_with(seen.session + ".");
    if (!before.holder.empty() && !under_own_lock && !by_the_holder(what.what) && what.what != intent::foreign) {
        fail("L1", text(seen.number) + " changed an item that " + before.holder + " has locked");
    }
    if (seen.after.exists && seen.after.version) item.seen.emplace(seen.after.life, *seen.after.version);
    add(item, seen.after, what.what);
    what.applied.push_back(item.states.size() - 1);
    what.by_copies = what.by_copies && seen.copy;
    what.repeated = seen.repeated;
}

void checker::on(const turned_away& seen) {
    records_[seen.number].parts[seen.item].met = now(seen.item);
}

/// Whether nobody can know of the write: what was answered is another copy than the one that was applied, which the
/// network made, or of which it made that one; and the last that was refused met an item that did not remember it.
bool checker::lost_from_sight(const part& what, std::size_t item) const {
    if ((!what.repeated && !what.by_copies) || what.applied.empty() || !what.met) return false;
    const auto& states = items_[item].states;
    const auto first = what.applied.back();
    // The first copy was refused, and not asked about again: the network's own was let in after it, by a condition that
    // names no state.
    if (!what.repeated && *what.met < first) return unconditional(what.what);
    const auto& made = states[first].state;
    if (!made.exists) return *what.met >= first;  // what it removed remembers nothing
    if (!stamps_ || *what.met - first > 3) return true;
    for (auto at = first; at <= *what.met; ++at) {
        const auto& each = states[at];
        if (!each.state.exists || each.state.life.empty() || each.state.life != made.life) return true;
        const bool cuts_trail = forgets(each.by) && each.by != intent::foreign;
        if (at > first + 1 && cuts_trail) return true;
    }
    return false;
}

/// A removal whose copy met nothing is told as missing; one that met what others have made since, as a conflict.
bool checker::told_as_met(const told& seen, const part& what, std::size_t item) const {
    if (what.what != intent::remove && what.what != intent::remove_revision) return true;
    return seen.what == (items_[item].states[*what.met].state.there() ? answer::conflict : answer::missing);
}

void checker::check_base(std::int64_t number, const part& what, std::size_t item) {
    const auto& before = items_[item].states.back().state;
    if (what.what == intent::create) {
        if (before.there()) fail("O1", text(number) + " created an item over one that is there");
        return;
    }
    if (makes_items(what.what)) return;
    if (!before.there()) fail("O1", text(number) + " changed an item that is not there");
    if (what.base && what.base != now(item)) {
        fail("O1", text(number) + " was made from state " + std::to_string(what.base.value_or(0)) +
                       " of the item and applied to state " + std::to_string(now(item)));
    }
}

void checker::check_content(std::int64_t number, intent what, const item_state& before, const item_state& after) {
    auto expected = before.there() ? before.entries : std::vector<std::int64_t>();
    if (what == intent::create) expected.clear();
    if (appends(what) || what == intent::create) expected.push_back(number);
    if (removes(what)) {
        if (after.there()) fail("O1", text(number) + " removed nothing");
        return;
    }
    if (!after.there()) fail("O1", text(number) + " left no item");
    if (what == intent::clobber || what == intent::upsert) {
        if (after.entries.empty() || after.entries.back() != number) fail("O1", text(number) + " is not in the item");
    } else if (after.entries != expected) {
        fail("O1", text(number) + " lost what others had written");
    }
    if (before.there() && before.legacy && !after.legacy && what != intent::foreign) {
        fail("O1", text(number) + " dropped an attribute that it knows nothing of");
    }
    // Who never saw the item cannot keep what stands inside its members.
    const bool saw = !unconditional(what) && what != intent::save_revision;
    const bool keeps = before.there() && (saw || what == intent::blind) && what != intent::foreign;
    if (keeps && after.aside != before.aside) {
        fail("O1", text(number) + " changed what others keep inside a member that it knows");
    }
}

void checker::check_version(intent what, const item_record& of, const item_state& before, const item_state& after) {
    if (!after.exists) return;
    if (!after.version) {
        fail("O2", "a write left no version");
        return;
    }
    if (of.seen.contains({after.life, *after.version}))
        fail("O2", "version " + std::to_string(*after.version) + " of the same life for a second time");
    const bool same_life = before.exists && before.life == after.life;
    const auto step = what == intent::foreign ? 1 : step_;
    if (same_life && before.version && *after.version != *before.version + step)
        fail("O2", "the version did not rise by " + std::to_string(step));
}

void checker::check_repetition(std::int64_t number, const part& what, const item_record& of) {
    const auto first = what.applied.back();
    const auto forgotten = std::any_of(of.states.begin() + static_cast<std::ptrdiff_t>(first), of.states.end(),
                                       [](const auto& each) { return !each.state.there() || each.state.life.empty(); });
    // The item knows a write that the network copies while it is among the last two; unless it was removed meanwhile,
    // or put anew by a stranger, who drops what it knew. Of updates that goes for copies of what a lock had refused.
    const auto others = of.states.size() - 1 - first;
    const bool updates = what.what == intent::update || what.what == intent::promoted;
    const bool may_repeat = unconditional(what.what) || (updates && what.by_copies);
    const bool known = stamps_ && what.what != intent::clobber_remove && others < 2 && !forgotten;
    if (updates && lost_from_sight(what, static_cast<std::size_t>(&of - items_.data()))) return;
    if (!may_repeat || known) fail("O1", text(number) + " was applied twice");
}

void checker::on(const found_right& seen) {
    const auto& what = records_[seen.number].parts[seen.item];
    if (records_[seen.number].refused) fail("O1", text(seen.number) + " was applied though it was refused");
    if (what.base != now(seen.item)) fail("O1", text(seen.number) + " went on from a state that was over");
    records_[seen.number].parts[seen.item].applied.push_back(now(seen.item));
}

void checker::on(const replaced& seen) {
    auto& item = items_[seen.item];
    auto& last = item.states.back();
    auto freed = seen.after;
    freed.holder = last.state.holder;
    freed.aside = last.state.aside;
    freed.card = last.state.card;
    freed.uses = last.state.uses;
    if (freed == last.state) {
        // Locks leave the version alone, and so do careless strangers.
        const bool aside = seen.after.aside != last.state.aside || seen.after.card != last.state.card ||
                           seen.after.uses != last.state.uses;
        last.changed_aside = last.changed_aside || aside;
        last.state = seen.after;
    } else {
        add(item, seen.after, intent::foreign);
    }
}

// ---- what callers are told -----------------------------------------------------------------------------------

void checker::on(const told& seen) {
    auto& record = records_[seen.number];
    switch (seen.what) {
        case answer::applied:
        case answer::superseded:
            return check_success(seen, record);
        case answer::doubt:
            return check_doubt(seen, record);
        default:
            return check_refusal(seen, record);
    }
}

void checker::check_success(const told& seen, write_record& of) {
    if (of.refused || of.stopped) fail("O1", text(seen.number) + " was refused, and then it was not");
    of.succeeded = true;
    for (const auto& [item, what] : of.parts) {
        if (what.applied.empty() && !had_nothing_to_do(seen, item, what))
            fail("O1", text(seen.number) + " was reported as applied and never was");
    }
    if (broken_ || !seen.shown) return;
    const auto& what = of.parts.at(seen.item);
    const bool last = seen.what == answer::applied;
    const bool right = last ? shows(items_[seen.item], what, *seen.shown) : *seen.shown > what.applied.front();
    if (!right) fail("O4", text(seen.number) + " was shown another state than the one it made");
}

/// A removal that found no item.
bool checker::had_nothing_to_do(const told& seen, std::size_t item, const part& what) const {
    const auto& states = items_[item].states;
    return what.what == intent::clobber_remove &&
           std::any_of(states.begin() + static_cast<std::ptrdiff_t>(seen.since), states.end(),
                       [](const auto& each) { return !each.state.there(); });
}

/// A stranger leaves the stamp of the last write as it was.
bool checker::shows(const item_record& of, const part& what, serial shown) const {
    if (unconditional(what.what)) {
        while (shown > 0 && of.states[shown].by == intent::foreign) --shown;
    }
    return std::ranges::find(what.applied, shown) != what.applied.end();
}

void checker::check_refusal(const told& seen, write_record& of) {
    const auto found = of.parts.find(seen.item);
    // A stranger may put back what it has taken from the state that the write was made from.
    const bool same_state = seen.shown && found != of.parts.end() && found->second.base == seen.shown;
    const bool moved_on = seen.what == answer::conflict && !same_state;
    const auto closes = moved_on || seen.what == answer::exists || seen.what == answer::missing;
    (closes && found != of.parts.end() && !unconditional(found->second.what) ? of.refused : of.stopped) = true;
    for (auto& [item, what] : of.parts) {
        // An update that was kept out by a lock has looked again since, and found nothing.
        const bool looked = what.what == intent::update || what.what == intent::promoted;
        if (looked && what.met && seen.what == answer::missing) what.met = now(item);
        if (lost_from_sight(what, item) && told_as_met(seen, what, item)) continue;
        if (!what.applied.empty() && (closes || !what.by_copies))
            fail("O1", text(seen.number) + " was reported as refused, and it was applied");
    }
    if (of.succeeded) fail("O1", text(seen.number) + " was applied, and then it was not");
    if (broken_ || found == of.parts.end()) return;
    const auto& what = found->second;
    const auto& states = items_[seen.item].states;
    const auto some = [&](auto&& wanted) {
        return std::any_of(states.begin() + static_cast<std::ptrdiff_t>(seen.since), states.end(),
                           [&](const auto& each) { return wanted(each.state); });
    };
    const bool unmoved = what.base == now(seen.item) && !states.back().changed_aside;
    if (seen.what == answer::conflict && tests_state(what.what) && unmoved) {
        fail("O4", text(seen.number) + " met a conflict though nobody wrote");
    }
    if (seen.what == answer::missing && !some([](const auto& each) { return !each.there(); })) {
        fail("O4", text(seen.number) + " found no item though it was there all the time");
    }
    if (seen.what == answer::exists && !some([](const auto& each) { return each.there(); })) {
        fail("O4", text(seen.number) + " found an item though there was none");
    }
    if (seen.shown && *seen.shown < seen.since) fail("O4", text(seen.number) + " was shown a state that was over");
}

void checker::check_doubt(const told& seen, const write_record& of) {
    if (!seen.unanswered) fail("O3", text(seen.number) + " is in doubt though every request was answered");
    if (!of.parts.contains(seen.item)) return;
    const auto& what = of.parts.at(seen.item);
    if (!tests_state(what.what) || !what.base || !seen.last_refusal || *seen.last_refusal == *what.base) return;
    if (remembers(items_[seen.item], *what.base, *seen.last_refusal)) {
        fail("O3", text(seen.number) + " is in doubt though the item still knows who wrote");
    }
}

/// Whether the item at `found` knows which write came after `base`.
bool checker::remembers(const item_record& of, serial base, serial found) const {
    // Where steps differ the version does not tell how many wrote.
    if (!stamps_ || step_ != 1 || found < base || found - base > 4) return false;
    const auto& life = of.states[base].state.life;
    for (auto at = base; at <= found; ++at) {
        const auto& each = of.states[at];
        if (!each.state.there() || each.state.life.empty() || each.state.life != life) return false;
        if (at != base && forgets(each.by)) return false;
    }
    return true;
}

void checker::on(const loaded_state& seen) {
    if (!seen.shown) {
        fail("O4", "a read showed a state that never was");
    } else if (seen.consistent && *seen.shown < seen.since) {
        fail("O4", "a consistent read showed a state that was over");
    }
}

void checker::conclude() {
    for (const auto& [number, record] : records_) {
        const auto times = [](const auto& each) { return each.second.applied.size(); };
        const bool together = std::ranges::all_of(
            record.parts, [&](const auto& each) { return (times(each) == 0) == (times(*record.parts.begin()) == 0); });
        if (!together) fail("T1", text(number) + " changed some of its items and not the others");
    }
}

}  // namespace dynalease::simulation::versions
