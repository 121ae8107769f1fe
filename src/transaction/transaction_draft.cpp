// The reads and writes of a transaction's body, item by item.
// SPDX-License-Identifier: BSL-1.0
#include "transaction/transaction_draft.hpp"

#include "item/item_names.hpp"
#include "transaction/protocol/joint_requests.hpp"
#include "versioned/protocol/version_changes.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace dynalease::detail {

using protocol::item_layout;

namespace {

failure of_item(errc code, const drafted_item& touched, std::string message) {
    failure why(code);
    why.details.table = touched.layout.table;
    why.details.key = protocol::text_of(touched.key);
    why.details.message = std::move(message);
    return why;
}

failure there_already(const drafted_item& touched) {
    return of_item(errc::exists, touched, "the item is there already");
}

/// What cannot be planned: it would go by what nobody knows before the commit.
failure unplannable(const drafted_item& touched, std::string message, const char* advice) {
    auto why = of_item(errc::updated_blindly, touched, std::move(message));
    why.details.advice = advice;
    return why;
}

/// No expression is applied to what is not in the table yet.
failure made_here(const drafted_item& touched) {
    return unplannable(touched, "the transaction makes this item", "put it as it is to be");
}

/// The mark of the first write stands in the place of its version.
failure version_unknown(const drafted_item& touched) {
    return unplannable(touched, "the transaction writes to this item before, and its version is not known in between",
                       "speak of the version in the first write to it, or in check()");
}

/// What the struct that puts it does not know in there would be lost.
failure updated_inside(const drafted_item& touched, const std::string& attribute) {
    return unplannable(touched,
                       "an update of this transaction has changed \"" + attribute +
                           "\", and what that has inside is not known before the commit",
                       "put before the update");
}

/// The attribute itself, and no member of that name inside of another.
bool speaks_of(const fragments& parts, const std::string& attribute) {
    bool inside = false;
    for (const auto& part : parts) {
        const auto* named = std::get_if<name_fragment>(&part);
        if (named && !inside && named->name == attribute) return true;
        const auto* text = std::get_if<std::string>(&part);
        inside = text && text->ends_with('.');
    }
    return false;
}

bool speaks_of(const drafted_update& update, const std::string& attribute) {
    if (speaks_of(update.demand.parts(), attribute)) return true;
    using enum update_expression::clause;
    for (const auto clause : {set, remove, add, delete_from}) {
        for (const auto& action : update.change.actions(clause)) {
            if (speaks_of(action, attribute)) return true;
        }
    }
    return false;
}

}  // namespace

const drafted_item* transaction_draft::find(const item_layout& layout, const item_key& key) const {
    const auto place = places_.find(item_name({layout.table, key}));
    return place == places_.end() ? nullptr : &items_[place->second];
}

std::optional<failure> transaction_draft::disagreement(const item_layout& layout, const item_key& key) const {
    const auto* touched = find(layout, key);
    if (!touched) return std::nullopt;
    const auto differ = [&](const char* what, const std::string& first, const std::string& second) {
        return of_item(errc::invalid_option, *touched,
                       "another handle in this transaction has its " + std::string(what) + " in \"" + first +
                           "\", and this one in \"" + second + "\"");
    };
    if (touched->layout.version != layout.version) return differ("version", touched->layout.version, layout.version);
    if (touched->layout.stamp != layout.stamp) return differ("stamp", touched->layout.stamp, layout.stamp);
    if (touched->layout.lock_prefix != layout.lock_prefix) {
        return differ("lock", touched->layout.lock_prefix, layout.lock_prefix);
    }
    const auto count = [](const item_layout& of) { return std::tuple(of.first_version, of.step, of.version_limit); };
    if (count(touched->layout) == count(layout)) return std::nullopt;
    return of_item(errc::invalid_option, *touched, "another handle in this transaction counts its version otherwise");
}

drafted_item& transaction_draft::at(const item_layout& layout, const item_key& key) {
    const auto [place, fresh] = places_.emplace(item_name({layout.table, key}), items_.size());
    if (fresh) items_.push_back({.layout = layout, .key = key});
    return items_[place->second];
}

namespace {

/// Its first read counts.
void note_reader(drafted_item& touched, drafted_reader reader) {
    const auto known = std::ranges::find(touched.readers, reader.view, &drafted_reader::view);
    if (known == touched.readers.end()) touched.readers.push_back(reader);
}

}  // namespace

// ---- reads -------------------------------------------------------------------------------------------------

result<std::optional<transaction_sight>> transaction_draft::known(const item_layout& layout,
                                                                  const item_key& key) const {
    const auto* touched = find(layout, key);
    if (!touched) return std::optional<transaction_sight>{};
    if (touched->updated) return of_item(errc::updated_blindly, *touched, "it was updated before");
    const auto as = [](std::optional<stored_item> shown) {
        return std::optional(transaction_sight{.stored = std::move(shown), .known = true});
    };
    if (touched->writes.empty() && !touched->was_inserted) {
        return touched->read ? as(touched->before) : std::optional<transaction_sight>{};
    }
    const auto& state = state_of(*touched);
    if (!state.known()) return std::optional<transaction_sight>{};
    return as(state.now() ? std::optional(stored_item{{}, *state.now()}) : std::nullopt);
}

bool transaction_draft::saw(const item_layout& layout, const item_key& key, std::optional<stored_item> before) {
    auto& touched = at(layout, key);
    if (touched.read) {
        const bool there = touched.before.has_value();
        const bool same = there == before.has_value() && (!there || touched.before->attributes == before->attributes);
        touched.contradicted = touched.contradicted || !same;
        return !touched.contradicted;
    }
    touched.read = true;
    touched.before = std::move(before);
    forget_state(touched);
    return true;
}

const drafted_state& transaction_draft::state_of(const drafted_item& touched) const {
    const auto place = static_cast<std::size_t>(&touched - items_.data());
    auto& state = states_.try_emplace(place, touched).first->second;
    state.catch_up(touched);
    return state;
}

void transaction_draft::forget_state(const drafted_item& touched) {
    states_.erase(static_cast<std::size_t>(&touched - items_.data()));
}

void transaction_draft::read_as(const item_layout& layout, const item_key& key, item_view view) {
    auto& touched = at(layout, key);
    note_reader(touched, {view, touched.writes.size()});
}

// ---- writes ------------------------------------------------------------------------------------------------

std::optional<failure> transaction_draft::put(const item_layout& layout, const item_key& key, drafted_put wanted) {
    auto& touched = at(layout, key);
    if (touched.updated) {
        const auto lost = state_of(touched).loses(touched, wanted);
        if (!lost.empty()) return updated_inside(touched, lost);
    }
    touched.writes.emplace_back(std::move(wanted));
    return std::nullopt;
}

std::optional<failure> transaction_draft::insert(const item_layout& layout, const item_key& key, drafted_put wanted) {
    auto& touched = at(layout, key);
    const bool there = touched.writes.empty() ? touched.read && touched.before : !touched.erased();
    if (there) return there_already(touched);
    const bool wanted_there = touched.writes.empty() && touched.demand;
    if (wanted_there) return of_item(errc::exists, touched, "the transaction demands that the item is there");
    if (touched.writes.empty()) {
        touched.inserted = true;
        forget_state(touched);
    }
    return put(layout, key, std::move(wanted));
}

std::optional<failure> transaction_draft::update(const item_layout& layout, const item_key& key,
                                                 drafted_update wanted) {
    auto& touched = at(layout, key);
    const bool missing = touched.writes.empty() ? touched.was_missing() : touched.erased();
    if (missing) return of_item(errc::missing, touched, "there is no item to update");
    if (touched.inserted || touched.was_missing()) return made_here(touched);
    const bool of_version = speaks_of(wanted, layout.version);
    if (of_version && !touched.writes.empty()) return version_unknown(touched);
    touched.writes.emplace_back(std::move(wanted));
    touched.updated = true;
    return std::nullopt;
}

void transaction_draft::erase(const item_layout& layout, const item_key& key) {
    auto& touched = at(layout, key);
    if (touched.inserted) {
        touched.inserted = false;
        touched.was_inserted = true;
        // Who has put it has seen it all the same.
        for (auto& each : touched.readers) each.writes = 0;
        for (const auto& write : touched.writes) {
            const auto* put = std::get_if<drafted_put>(&write);
            if (put && put->view != nullptr) note_reader(touched, {put->view, 0});
        }
        touched.writes.clear();
        forget_state(touched);
        return;
    }
    // There must be something to erase, whatever a read shows that answers later.
    const bool unseen = !touched.has_put() && !touched.was_missing();
    if (unseen && !touched.demand) touched.demand.emplace();
    // After a put there is an item to erase, whether there was one before or not.
    if (!touched.erased()) touched.writes.emplace_back(drafted_erasure{});
}

// ---- demands -----------------------------------------------------------------------------------------------

std::optional<failure> transaction_draft::check(const item_layout& layout, const item_key& key,
                                                condition_expression demand) {
    auto& touched = at(layout, key);
    if (touched.inserted || touched.was_missing()) {
        return of_item(errc::missing, touched, "there is no item to check");
    }
    touched.demand = std::move(touched.demand).value_or(condition_expression()) && std::move(demand);
    return std::nullopt;
}

void transaction_draft::require(condition_check fence) {
    // The same guard once more demands nothing more.
    const bool known = std::ranges::any_of(fences_, [&](const condition_check& each) {
        return each.table_name == fence.table_name && each.key == fence.key &&
               each.condition_expression == fence.condition_expression && each.values == fence.values;
    });
    if (!known) fences_.push_back(std::move(fence));
}

bool transaction_draft::guards(const drafted_item& touched) const {
    return std::ranges::any_of(fences_, [&](const condition_check& each) {
        return each.table_name == touched.layout.table && each.key == touched.key;
    });
}

// ---- the plan ----------------------------------------------------------------------------------------------

namespace {

/// A versioned item's, as the plan compares it.
protocol::item_sight sight_of(const drafted_item& touched) {
    if (!touched.before) return {.absent = true};
    return {.stamp = touched.before->state.stamp, .version = touched.before->state.version};
}

update_expression as_update(const protocol::member_changes& changes) {
    update_expression update;
    for (const auto& [name, value] : changes.set) update += set(name, value);
    for (const auto& name : changes.remove) update += remove(name);
    return update;
}

std::optional<failure> fault_of_size(const drafted_item& touched, const item& whole) {
    auto why = protocol::check_size(whole);
    return why ? std::optional(protocol::about(*std::move(why), {touched.layout.table, touched.key})) : std::nullopt;
}

/// What has been put since the last update. Empty: it changes nothing.
result<std::optional<protocol::planned_write>> planned_puts(const drafted_item& touched, const drafted_state& state) {
    std::optional<protocol::planned_write> write;
    if (!state.now()) return write;
    if (state.makes()) {
        write.emplace(protocol::planned_write{.kind = protocol::mark_kind::inserted});
        write->whole = *state.now();
        if (auto why = fault_of_size(touched, write->whole)) return *std::move(why);
        return write;
    }
    const auto changes = state.changes(touched);
    if (changes.size() == 0) return write;
    if (auto why = fault_of_size(touched, *state.now())) return *std::move(why);
    write.emplace(protocol::planned_write{.change = as_update(changes)});
    return write;
}

result<std::vector<protocol::planned_write>> planned_writes(const drafted_item& touched) {
    std::vector<protocol::planned_write> writes;
    const bool was_there = touched.read && touched.before;
    if (was_there && (touched.inserted || touched.was_inserted)) return there_already(touched);
    const bool nothing_to_check = touched.demand && touched.read && !touched.before;
    if (nothing_to_check) return of_item(errc::missing, touched, "there is no such item");
    drafted_state state(touched);
    for (const auto& write : touched.writes) {
        if (const auto* update = std::get_if<drafted_update>(&write)) {
            auto put = planned_puts(touched, state);
            if (!put) return std::move(put).error();
            if (*put) writes.push_back(**std::move(put));
            // What was put before it, or is put after it, has been read since.
            const bool absent = touched.read && !touched.before;
            if (absent && writes.empty()) return of_item(errc::missing, touched, "there is no item to update");
            if (absent) return made_here(touched);
            writes.push_back({.change = update->change, .demand = update->demand});
        }
        state.apply(touched, write);
    }
    // Of what is erased in the end, a put mattered to the conditions of later updates alone.
    if (!touched.erased()) {
        auto put = planned_puts(touched, state);
        if (!put) return std::move(put).error();
        if (*put) writes.push_back(**std::move(put));
    } else if (!touched.read || touched.before) {
        writes.push_back({.kind = protocol::mark_kind::to_erase});
    }
    if (touched.demand && !writes.empty()) {
        auto& first = writes.front().demand;
        first = *touched.demand && std::move(first);
    }
    return writes;
}

}  // namespace

result<protocol::transaction_plan> transaction_draft::plan(protocol::run_name name, std::int64_t born,
                                                           const std::function<item_stamp()>& new_stamp) const {
    protocol::transaction_plan made{.name = std::move(name), .born = born, .items = {}};
    for (const auto& touched : items_) {
        const protocol::guarded_table on{.layout = touched.layout, .versioned = true};
        auto writes = planned_writes(touched);
        if (!writes) return std::move(writes).error();
        for (auto& write : *writes) write.stamp = new_stamp();
        const std::size_t bytes = touched.before ? item_size(touched.before->attributes) : 0;
        if (!writes->empty()) {
            protocol::planned_item planned{.on = on, .key = touched.key, .writes = *std::move(writes)};
            if (touched.read) planned.seen = sight_of(touched);
            planned.bytes = bytes;
            made.items.push_back(std::move(planned));
        } else if (touched.read || touched.demand) {
            protocol::planned_check check{.on = on, .key = touched.key, .demand = touched.demand, .bytes = bytes};
            if (touched.read) check.seen = sight_of(touched);
            made.checks.push_back(std::move(check));
        }
    }
    if (auto why = plan_fences(made)) return *std::move(why);
    return made;
}

std::optional<failure> transaction_draft::plan_fences(protocol::transaction_plan& into) const {
    for (const auto& fence : fences_) {
        const auto is_here = [where = item_ref{fence.table_name, fence.key}](const auto& each) {
            return each.place().table == where.table && each.place().key == where.key;
        };
        if (std::ranges::any_of(into.items, is_here)) {
            failure why(errc::duplicate_item);
            why.details.message =
                "a guard that the transaction requires locks an item that it writes: let the guard "
                "write that, or release it first";
            return protocol::about(std::move(why), {fence.table_name, fence.key});
        }
        const auto read = std::ranges::find_if(into.checks, is_here);
        if (read == into.checks.end())
            into.checks.push_back({.fence = fence});
        else if (read->fence)
            protocol::add_fence(*read->fence, fence);
        else
            read->fence = fence;
    }
    return std::nullopt;
}

}  // namespace dynalease::detail
