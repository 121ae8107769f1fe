// What a transaction's writes make of an item, one after the other, before anything is written.
// SPDX-License-Identifier: BSL-1.0
#include "transaction/drafted_state.hpp"

#include "transaction/protocol/joint_requests.hpp"

#include <algorithm>
#include <exception>
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
    : known_(of.read || of.inserted || of.was_inserted), then_known_(known_) {
    if (of.before && !of.inserted && !of.was_inserted) now_ = of.before->attributes;
    if (now_) note_names(*now_);
    then_ = now_;
}

void drafted_state::note_names(const item& attributes) {
    for (const auto& [name, value] : attributes) names_.insert(name);
}

void drafted_state::catch_up(const drafted_item& of) {
    while (applied_ < of.writes.size()) apply(of, of.writes[applied_]);
}

void drafted_state::apply(const drafted_item& of, const drafted_write& write) {
    if (const auto* wanted = std::get_if<drafted_put>(&write)) {
        put(of, *wanted);
    } else if (const auto* made = std::get_if<drafted_update>(&write)) {
        update(*made);
    } else {
        erase();
    }
    ++applied_;
}

void drafted_state::put(const drafted_item& of, const drafted_put& wanted) {
    if (known_ && now_ && !wanted.complete) {
        merge(of, wanted);
    } else if (known_ || wanted.complete) {
        replace(of, wanted);
    } else {
        for (const auto& [name, value] : wanted.members.present) touched_.erase(name);
        for (const auto& name : wanted.members.absent) touched_.erase(name);
    }
    for (const auto* each : {&wanted.members.present, &wanted.times.made, &wanted.times.saved}) note_names(*each);
    if (wanted.view != nullptr) own_.insert(wanted.view);
}

/// In place of all that is there, or of nothing.
void drafted_state::replace(const drafted_item& of, const drafted_put& wanted) {
    if (known_ && now_ && touched_.empty()) {
        auto members = wanted.members;
        set_all(wanted.times.made, members.present);
        members.absent = protocol::replaced_members(of.layout, *now_, members).remove;
        now_ = protocol::changed(*now_, protocol::changed_members(of.layout, {*now_, *now_, members}));
        return;
    }
    known_ = true;
    touched_.clear();
    now_ = made_of(of.key, wanted);
}

/// Only what has changed since its struct saw it; of what updates have touched, all.
void drafted_state::merge(const drafted_item& of, const drafted_put& wanted) {
    const auto seen = seen_by(of, wanted.view);
    auto changes = protocol::changed_members(of.layout, {*now_, seen ? *seen : *now_, wanted.members});
    for (const auto& name : touched_) {
        const auto* value = find(wanted.members.present, name);
        if (value) changes.set.insert_or_assign(name, *value);
        const bool absent = std::ranges::find(wanted.members.absent, name) != wanted.members.absent.end();
        if (absent) changes.remove.push_back(name);
    }
    if (changes.size() != 0) set_all(wanted.times.saved, changes.set);
    for (const auto& [name, value] : changes.set) touched_.erase(name);
    for (const auto& name : changes.remove) touched_.erase(name);
    now_ = protocol::changed(*std::move(now_), changes);
}

bool drafted_state::has_seen(const drafted_item& of, item_view view) const {
    if (view == nullptr) return false;
    const auto has_read = [&](const drafted_reader& each) { return each.view == view && each.writes <= applied_; };
    return own_.contains(view) || std::ranges::any_of(of.readers, has_read);
}

/// Empty: it was never read or put as such a struct, or is none.
std::optional<item> drafted_state::seen_by(const drafted_item& of, item_view view) const {
    if (!has_seen(of, view)) return std::nullopt;
    try {
        return view(*now_);
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

std::string drafted_state::loses(const drafted_item& of, const drafted_put& wanted) const {
    if (wanted.complete || !has_seen(of, wanted.view)) return {};
    for (const auto& name : touched_) {
        const auto* value = find(wanted.members.present, name);
        if (value && (value->is<attribute_map>() || value->is<attribute_list>())) return name;
    }
    return {};
}

void drafted_state::update(const drafted_update& made) {
    for (const auto& name : protocol::touched_by(made.change)) {
        names_.insert(name);
        touched_.insert(name);
    }
    then_known_ = known_;
    then_ = now_;
    touched_then_ = touched_;
}

void drafted_state::erase() {
    known_ = true;
    now_.reset();
    touched_.clear();
}

protocol::member_changes drafted_state::changes(const drafted_item& of) const {
    protocol::member_changes changes;
    const auto ours = [&](const std::string& name) {
        return protocol::is_key(of.layout, name) || protocol::is_reserved(of.layout, name);
    };
    for (const auto& name : names_) {
        if (ours(name) || touched_.contains(name)) continue;
        const auto* now = find(*now_, name);
        const auto* then = then_ ? find(*then_, name) : nullptr;
        const bool uncertain = !then_known_ || touched_then_.contains(name);
        if (now && (uncertain || !then || !(*then == *now))) changes.set.emplace(name, *now);
        if (!now && (uncertain || then)) changes.remove.push_back(name);
    }
    return changes;
}

}  // namespace dynalease::detail
