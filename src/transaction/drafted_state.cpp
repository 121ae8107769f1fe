// What a transaction's writes make of an item, one after the other, before anything is written.
// SPDX-License-Identifier: BSL-1.0
#include "transaction/drafted_state.hpp"

#include "transaction/protocol/joint_requests.hpp"

#include <algorithm>
#include <variant>

namespace dynalease::detail {

namespace {

void set_all(const item& values, item& into) {
    for (const auto& [name, value] : values) into.insert_or_assign(name, value);
}

/// What is made anew has nothing but this.
item made_of(const item_key& key, const drafted_put& wanted) {
    item made(key.begin(), key.end());
    set_all(wanted.members.present, made);
    set_all(wanted.times.made, made);
    return made;
}

}  // namespace

drafted_state::drafted_state(const drafted_item& of)
    : of_(of), known_(of.read || of.inserted || of.was_inserted), view_(of.view), known_then_(known_) {
    if (of.before && !of.was_inserted) now_ = of.before->attributes;
    if (now_) note_names(*now_);
    then_ = now_;
}

void drafted_state::note_names(const item& attributes) {
    for (const auto& [name, value] : attributes) names_.insert(name);
}

void drafted_state::apply(const drafted_write& write) {
    struct {
        drafted_state& state;
        void operator()(const drafted_put& wanted) const { state.put(wanted); }
        void operator()(const drafted_update& made) const { state.update(made); }
        void operator()(const drafted_erasure&) const { state.erase(); }
    } const act{*this};
    std::visit(act, write);
}

void drafted_state::put(const drafted_put& wanted) {
    if (known_ && !now_) {
        now_ = made_of(of_.key, wanted);
    } else if (wanted.complete) {
        replace(wanted);
    } else if (known_) {
        add_known(wanted);
    } else {
        add_unknown(wanted);
    }
    for (const auto* each : {&wanted.members.present, &wanted.times.made, &wanted.times.saved}) note_names(*each);
    view_ = wanted.view;
}

/// In place of all that is there, whatever it is.
void drafted_state::replace(const drafted_put& wanted) {
    if (!known_) {
        known_ = true;
        now_ = made_of(of_.key, wanted);
        return;
    }
    auto members = wanted.members;
    set_all(wanted.times.made, members.present);
    members.absent = protocol::replaced_members(of_.layout, *now_, members).remove;
    now_ = protocol::changed(*now_, protocol::changed_members(of_.layout, {*now_, *now_, members}));
}

/// Only what has changed since whoever puts it saw it.
void drafted_state::add_known(const drafted_put& wanted) {
    const bool saw_it = wanted.view != nullptr && wanted.view == view_;
    const auto seen = saw_it ? wanted.view(*now_) : std::nullopt;
    auto changes = protocol::changed_members(of_.layout, {*now_, seen ? *seen : *now_, wanted.members});
    if (changes.size() != 0) set_all(wanted.times.saved, changes.set);
    now_ = protocol::changed(*now_, changes);
}

void drafted_state::add_unknown(const drafted_put& wanted) {
    auto changes = protocol::all_members(of_.layout, wanted.members);
    if (changes.size() != 0) set_all(wanted.times.saved, changes.set);
    for (const auto& [name, value] : changes.set) std::erase(since_.remove, name);
    set_all(changes.set, since_.set);
    for (const auto& name : changes.remove) {
        since_.set.erase(name);
        if (std::ranges::find(since_.remove, name) == since_.remove.end()) since_.remove.push_back(name);
    }
}

void drafted_state::update(const drafted_update& made) {
    for (const auto& name : protocol::touched_by(made.change)) names_.insert(name);
    known_ = known_then_ = false;
    now_.reset();
    then_.reset();
    since_ = {};
    view_ = nullptr;
}

void drafted_state::erase() {
    known_ = true;
    now_.reset();
    since_ = {};
    view_ = nullptr;
}

protocol::member_changes drafted_state::changes() const {
    if (!known_) return since_;
    protocol::member_changes changes;
    const auto ours = [&](const std::string& name) {
        return protocol::is_key(of_.layout, name) || protocol::is_reserved(of_.layout, name);
    };
    for (const auto& [name, value] : *now_) {
        const auto* before = then_ ? find(*then_, name) : nullptr;
        if (!ours(name) && !(before && *before == value)) changes.set.emplace(name, value);
    }
    for (const auto& name : names_) {
        const bool was = !known_then_ || (then_ && then_->contains(name));
        if (was && !now_->contains(name) && !ours(name)) changes.remove.push_back(name);
    }
    return changes;
}

}  // namespace dynalease::detail
