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

/// Why an update of it cannot be planned: no expression is applied to what is not in the table yet.
failure made_here(const drafted_item& touched) {
    auto why = of_item(errc::updated_blindly, touched, "the transaction makes this item");
    why.details.advice = "put it as it is to be";
    return why;
}

bool erased(const drafted_item& touched) {
    return !touched.writes.empty() && std::holds_alternative<drafted_erasure>(touched.writes.back());
}

bool is_put(const drafted_write& write) {
    return std::holds_alternative<drafted_put>(write);
}

bool is_update(const drafted_write& write) {
    return std::holds_alternative<drafted_update>(write);
}

bool has_put(const drafted_item& touched) {
    return std::ranges::any_of(touched.writes, is_put);
}

bool updated(const drafted_item& touched) {
    return std::ranges::any_of(touched.writes, is_update);
}

void set_all(const item& values, item& into) {
    for (const auto& [name, value] : values) into.insert_or_assign(name, value);
}

/// What a put in place of all else is to take away of what the writes before it may have left.
/// @param members of the put, with the times of now
void forget_before(const drafted_item& touched, const drafted_put& wanted, item_members& members) {
    auto& absent = members.absent;
    const auto forget = [&](const std::string& name) {
        const bool stays = members.present.contains(name) || protocol::is_key(touched.layout, name);
        if (!stays && std::ranges::find(absent, name) == absent.end()) absent.push_back(name);
    };
    for (const auto& write : touched.writes) {
        if (std::get_if<drafted_put>(&write) == &wanted) break;
        if (const auto* update = std::get_if<drafted_update>(&write)) {
            for (const auto& name : protocol::touched_by(update->change)) forget(name);
        } else if (const auto* put = std::get_if<drafted_put>(&write)) {
            for (const auto& [name, value] : put->members.present) forget(name);
        }
    }
}

/// What the put changes of the item that was read. What is put in place of all else is made anew.
/// @param first else nobody knows what is there, and it changes all of it
protocol::member_changes changes_of(const drafted_item& touched, const drafted_put& wanted, bool first) {
    const auto& stored = touched.before->attributes;
    auto members = wanted.members;
    if (wanted.complete) {
        set_all(wanted.times.made, members.present);
        members.absent = protocol::replaced_members(touched.layout, stored, members).remove;
        if (!first) forget_before(touched, wanted, members);
    }
    const auto& seen = touched.seen ? *touched.seen : stored;
    const protocol::member_view view{.stored = stored, .seen = seen, .wanted = members};
    auto changes =
        first ? protocol::changed_members(touched.layout, view) : protocol::all_members(touched.layout, members);
    if (!wanted.complete && changes.size() != 0) set_all(wanted.times.saved, changes.set);
    return changes;
}

/// The item as a put leaves it that no update came before, as far as the body can know.
item with(const drafted_item& touched, const drafted_put& wanted) {
    if (touched.before) return protocol::changed(touched.before->attributes, changes_of(touched, wanted, true));
    auto made = protocol::changed(touched.key, {wanted.members.present, wanted.members.absent});
    if (touched.inserted || touched.was_missing() || wanted.complete) set_all(wanted.times.made, made);
    return made;
}

}  // namespace

bool drafted_item::wants_reading() const {
    if (read || inserted) return false;
    return was_inserted || has_put(*this);
}

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

// ---- reads -------------------------------------------------------------------------------------------------

result<std::optional<transaction_sight>> transaction_draft::known(const item_layout& layout,
                                                                  const item_key& key) const {
    const auto* touched = find(layout, key);
    if (!touched) return std::optional<transaction_sight>{};
    if (updated(*touched)) return of_item(errc::updated_blindly, *touched, "it was updated before");
    const auto as = [](std::optional<stored_item> shown) { return std::optional(transaction_sight{std::move(shown)}); };
    if (!touched->writes.empty()) {
        const auto* put = std::get_if<drafted_put>(&touched->writes.back());
        return as(put ? std::optional(stored_item{{}, with(*touched, *put)}) : std::nullopt);
    }
    if (touched->was_inserted) return as(std::nullopt);
    return touched->read ? as(touched->before) : std::nullopt;
}

bool transaction_draft::saw(const item_layout& layout, const item_key& key, std::optional<stored_item> before,
                            std::optional<item> seen) {
    auto& touched = at(layout, key);
    if (touched.read) {
        const bool there = touched.before.has_value();
        return there == before.has_value() && (!there || touched.before->attributes == before->attributes);
    }
    touched.read = true;
    touched.before = std::move(before);
    touched.seen = std::move(seen);
    return true;
}

// ---- writes ------------------------------------------------------------------------------------------------

void transaction_draft::put(const item_layout& layout, const item_key& key, drafted_put wanted) {
    auto& touched = at(layout, key);
    if (erased(touched)) {
        // Nothing of that is to remain. But there must have been something to erase.
        wanted.complete = true;
        if (!has_put(touched) && !touched.was_missing() && !touched.demand) touched.demand.emplace();
    }
    while (!touched.writes.empty() && !is_update(touched.writes.back())) {
        const auto* former = std::get_if<drafted_put>(&touched.writes.back());
        wanted.complete = wanted.complete || (former && former->complete);
        touched.writes.pop_back();
    }
    touched.writes.emplace_back(std::move(wanted));
}

std::optional<failure> transaction_draft::insert(const item_layout& layout, const item_key& key, drafted_put wanted) {
    auto& touched = at(layout, key);
    const bool there = touched.writes.empty() ? touched.read && touched.before : !erased(touched);
    if (there) return there_already(touched);
    const bool wanted_there = touched.writes.empty() && touched.demand;
    if (wanted_there) return of_item(errc::exists, touched, "the transaction demands that the item is there");
    if (touched.writes.empty()) touched.inserted = true;
    put(layout, key, std::move(wanted));
    return std::nullopt;
}

std::optional<failure> transaction_draft::update(const item_layout& layout, const item_key& key,
                                                 drafted_update wanted) {
    auto& touched = at(layout, key);
    const bool missing = touched.writes.empty() ? touched.was_missing() : erased(touched);
    if (missing) return of_item(errc::missing, touched, "there is no item to update");
    if (touched.inserted || touched.was_missing()) return made_here(touched);
    touched.writes.emplace_back(std::move(wanted));
    return std::nullopt;
}

void transaction_draft::erase(const item_layout& layout, const item_key& key) {
    auto& touched = at(layout, key);
    if (touched.inserted) {
        touched.inserted = false;
        touched.was_inserted = true;
        touched.writes.clear();
        return;
    }
    // After a put there is an item to erase, whether there was one before or not.
    if (!erased(touched)) touched.writes.emplace_back(drafted_erasure{});
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

/// The item, where there is none.
result<protocol::planned_write> planned_insert(const drafted_item& touched, const drafted_put& wanted) {
    protocol::planned_write write{.kind = protocol::mark_kind::inserted};
    write.whole = wanted.members.present;
    set_all(wanted.times.made, write.whole);
    if (auto why = fault_of_size(touched, write.whole)) return *std::move(why);
    return write;
}

/// Nothing where the put changes nothing.
result<std::optional<protocol::planned_write>> planned_put(const drafted_item& touched, const drafted_put& wanted,
                                                           bool first) {
    const auto changes = changes_of(touched, wanted, first);
    if (changes.size() == 0) return std::optional<protocol::planned_write>{};
    if (auto why = fault_of_size(touched, protocol::changed(touched.before->attributes, changes))) {
        return *std::move(why);
    }
    return std::optional(protocol::planned_write{.change = as_update(changes)});
}

/// Of what is erased, a put matters to the conditions of later updates alone.
std::size_t first_put_for_nothing(const drafted_item& touched) {
    const auto& writes = touched.writes;
    if (!erased(touched)) return writes.size();
    const auto last_update = std::find_if(writes.rbegin(), writes.rend(), is_update);
    return static_cast<std::size_t>(writes.rend() - last_update);
}

result<std::vector<protocol::planned_write>> planned_writes(const drafted_item& touched) {
    std::vector<protocol::planned_write> writes;
    const bool makes = touched.inserted || !touched.before;
    if (touched.was_inserted && touched.before) return there_already(touched);
    const bool nothing_to_check = touched.demand && touched.read && !touched.before;
    if (nothing_to_check) return of_item(errc::missing, touched, "there is no such item");
    const auto put_for_nothing = first_put_for_nothing(touched);
    for (std::size_t i = 0; i < touched.writes.size(); ++i) {
        const auto& write = touched.writes[i];
        if (is_put(write) && i >= put_for_nothing) continue;
        if (const auto* update = std::get_if<drafted_update>(&write)) {
            // What was put before it, or is put after it, has been read since.
            const bool absent = touched.read && !touched.before;
            if (absent && writes.empty()) return of_item(errc::missing, touched, "there is no item to update");
            if (absent) return made_here(touched);
            writes.push_back({.change = update->change, .demand = update->demand});
        } else if (const auto* wanted = std::get_if<drafted_put>(&write)) {
            if (makes) {
                auto made = planned_insert(touched, *wanted);
                if (!made) return std::move(made).error();
                writes.push_back(*std::move(made));
                continue;
            }
            auto put = planned_put(touched, *wanted, writes.empty());
            if (!put) return std::move(put).error();
            if (*put) writes.push_back(**std::move(put));
        } else if (!touched.read || touched.before) {
            writes.push_back({.kind = protocol::mark_kind::to_erase});
        }
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
