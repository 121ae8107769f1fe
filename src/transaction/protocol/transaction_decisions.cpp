// The decision tables of transactions.
// SPDX-License-Identifier: BSL-1.0
#include "transaction/protocol/transaction_decisions.hpp"

#include "item/protocol/item_state.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace dynalease::protocol {

using namespace std::chrono_literals;

namespace {

bool holds(const transaction_header& header, const lock_name& lock) {
    return std::ranges::find(header.locks, lock, &committed_lock::lock) != header.locks.end();
}

}  // namespace

mark_fate decide_mark(const item_mark& mark, const std::optional<transaction_header>& header) {
    if (!header || header->name != mark.owner || header->done) return mark_fate::undo;
    switch (header->state) {
        case header_state::pending:
            return mark_fate::undecided;
        case header_state::committed:
            return holds(*header, mark.lock) ? mark_fate::keep : mark_fate::undo;
        case header_state::rolled_back:
            break;
    }
    return mark_fate::undo;
}

read_step decide_read(const item_mark& mark, const std::optional<transaction_header>& header, bool again) {
    const bool ended = !header || header->done || header->name != mark.owner;
    if (ended) return again ? read_step::before : read_step::read_again;
    return decide_mark(mark, header) == mark_fate::keep ? read_step::after : read_step::before;
}

moment_step decide_moment(const item_mark& mark, const std::optional<transaction_header>& header, bool known_before) {
    const bool ours = header && header->name == mark.owner;
    if (ours && header->state == header_state::rolled_back) return moment_step::before;
    // Free of it was every item when its run ended: a mark that is met after that is a copy's.
    if (!ours || header->done) return known_before ? moment_step::before : moment_step::another;
    switch (decide_mark(mark, header)) {
        case mark_fate::undo:
            return moment_step::before;
        case mark_fate::undecided:
            // What is not decided yet, was not decided then; what was not decided before, may have been.
            return known_before ? moment_step::another : moment_step::before;
        case mark_fate::keep:
            break;
    }
    return known_before ? moment_step::after : moment_step::another;
}

pages_step decide_pages(const transaction_header& header, bool all_there, bool takes_over, bool looked_again) {
    if (all_there) return pages_step::complete;
    switch (header.state) {
        case header_state::pending:
            return takes_over ? pages_step::roll_back : pages_step::nothing_held;
        case header_state::rolled_back:
            // None is stored once the run is decided.
            return pages_step::nothing_held;
        case header_state::committed:
            break;
    }
    return looked_again ? pages_step::damaged : pages_step::look_again;
}

begin_step decide_begin(const std::optional<transaction_header>& row, const run_name& mine) {
    if (!row) return begin_step::begin;
    if (row->state == header_state::committed) return begin_step::committed;
    const bool rolled_back = row->state == header_state::rolled_back;
    if (row->name == mine) return rolled_back ? begin_step::rolled_back : begin_step::begun;
    return rolled_back && row->done ? begin_step::over : begin_step::others;
}

failure refused_run(const std::string& coordination, const std::string& id) {
    failure why(errc::conflict);
    why.details.message = "another run of this transaction's id is not over";
    return about(std::move(why), {coordination, transaction_key(id)});
}

bool is_refused_run(const failure& why, const std::string& coordination, const std::string& id) {
    const auto& [table, key] = item_ref{coordination, transaction_key(id)};
    return why.code == errc::conflict && why.details.table == table && why.details.key == text_of(key);
}

namespace {

/// The version of an item that the write would raise.
bool is_too_high(const planned_item& what, const item& shown) {
    const auto& layout = what.on.layout;
    const bool raises = what.on.versioned && what.writes.front().kind == mark_kind::updated;
    const auto version = raises ? find_integer(shown, layout.version) : std::nullopt;
    return version && *version > layout.version_limit - layout.step;
}

}  // namespace

lock_step decide_lock(const lock_facts& facts) {
    const auto& mark = facts.mark;
    if (mark && mark->owner == facts.mine) {
        if (mark->write >= facts.number) return lock_step::held;
        return facts.held && facts.held->lock == mark->lock ? lock_step::condition_false : lock_step::again;
    }
    if (facts.held) return lock_step::lost;
    if (mark) return lock_step::rival;
    const auto& layout = facts.what.on.layout;
    const bool versioned = facts.what.on.versioned;
    const auto& seen = facts.what.seen;
    const bool inserts = facts.what.writes.front().kind == mark_kind::inserted;
    const bool changed = seen && !is_as_seen(facts.what.on, *seen, facts.shown);
    if (!facts.shown) return changed ? lock_step::changed : lock_step::missing;
    const auto& shown = *facts.shown;
    if (!inserts && !versioned && shown.contains(item_attribute::born)) return lock_step::has_versions;
    if (!inserts && fault_of_state(facts.what.on, shown)) return lock_step::unreadable;
    if (changed) return lock_step::changed;
    if (inserts) return lock_step::exists;
    if (shown.contains(item_attribute::gone)) return lock_step::missing;
    if (shown.contains(layout.writer()) || shown.contains(layout.readers())) return lock_step::locked;
    return is_too_high(facts.what, shown) ? lock_step::overflow : lock_step::condition_false;
}

lock_step decide_held(const planned_item& what, const item_mark& held, const std::optional<item>& shown,
                      const std::optional<item_mark>& mark) {
    const bool mine = shown && mark && mark->owner == held.owner && mark->lock == held.lock;
    if (!mine) return lock_step::lost;
    if (what.writes.front().kind == mark_kind::inserted) return lock_step::exists;
    return is_too_high(what, *shown) ? lock_step::overflow : lock_step::condition_false;
}

namespace {

failure told(errc code, std::string message) {
    failure why(code);
    why.details.message = std::move(message);
    return why;
}

failure has_changed() {
    return told(errc::conflict, "the item is no longer as the transaction saw it");
}

failure is_not_so(std::string message, const std::optional<item>& shown) {
    auto why = told(errc::condition_failed, std::move(message));
    why.current = shown;
    return why;
}

/// As the user has ordered it.
std::string name_of_write(const planned_item& what, std::size_t number) {
    switch (what.writes.at(number - 1).kind) {
        case mark_kind::inserted:
            return "to insert";
        case mark_kind::to_erase:
            return "to erase";
        case mark_kind::read:
            return "to lock";
        case mark_kind::updated:
            break;
    }
    if (what.writes.size() == 1) return "to update";
    return "to update, by write " + std::to_string(number) + " of " + std::to_string(what.writes.size());
}

}  // namespace

failure refused_lock(lock_step step, const planned_item& what, std::size_t number, const std::optional<item>& shown) {
    const auto write = name_of_write(what, number);
    switch (step) {
        case lock_step::missing:
            return told(errc::missing, "there is no item " + write);
        case lock_step::exists:
            return told(errc::exists, "there is an item of the key " + write);
        case lock_step::locked: {
            const auto seen = shown ? state_of(what.on.layout, *shown) : result<item_state>(failure(errc::missing));
            const auto holder = seen && !seen->holder.empty() ? words_of_holder(seen->holder) : "a session";
            return told(errc::locked, "an item lock of " + holder + " has the item " + write);
        }
        case lock_step::lost:
        case lock_step::changed:
            return has_changed();
        case lock_step::has_versions:
            return told(errc::bad_version, "the item has versions, and its table was said to have none");
        case lock_step::unreadable:
            return fault_of_state(what.on, *shown).value();
        case lock_step::overflow:
            return told(errc::version_overflow, "the version of the item is as high as it may get");
        default:
            break;
    }
    return is_not_so("what is demanded of the item " + write + " is not so", shown);
}

namespace {

/// Whether the item says of each grant that is asked for that it is in force: by the text of it, by what that begins
/// with, or in a set. What is no text may be so.
bool names_grants(const condition_check& fence, const std::optional<item>& shown) {
    const auto named = [&](const auto& value) {
        const auto* text = value.second.template get_if<std::string>();
        if (!shown) return false;
        if (text == nullptr) return true;
        const bool begins = text->ends_with('.');  // else it is the whole
        return std::ranges::any_of(*shown, [&](const auto& attribute) {
            const auto* own = attribute.second.template get_if<std::string>();
            const auto* several = attribute.second.template get_if<string_set>();
            const bool names = own != nullptr && (begins ? own->starts_with(*text) : *own == *text);
            return names || (several != nullptr && several->contains(*text));
        });
    };
    return std::ranges::all_of(fence.values, named);
}

}  // namespace

check_step decide_check(const planned_check& what, const std::optional<item>& shown,
                        const std::optional<item_mark>& mark) {
    if (what.is_fence()) return check_step::lost;
    if (mark) return check_step::rival;
    if (what.fence && !names_grants(*what.fence, shown)) return check_step::lost;
    const bool changed = what.seen && !is_as_seen(what.on, *what.seen, shown);
    if (!what.demand) return what.fence && !changed ? check_step::lost : check_step::changed;
    if (changed) return check_step::changed;
    const bool missing = !shown || shown->contains(item_attribute::gone);
    return missing ? check_step::missing : check_step::condition_false;
}

failure refused_check(check_step step, const std::optional<item>& shown) {
    switch (step) {
        case check_step::lost:
            return told(errc::lock_lost, "a guard that the transaction requires is not in force any more");
        case check_step::missing:
            return told(errc::missing, "there is no item to check");
        case check_step::condition_false:
            return is_not_so("what a check demands of the item is not so", shown);
        default:
            return has_changed();
    }
}

bool tells_of(const guarded_table& on, const planned_write& write, const std::optional<item>& shown) {
    const auto now = shown ? state_of(on.layout, *shown) : result<item_state>(errc::missing);
    if (!now) return false;
    const auto mark = mark_of(*shown);
    return remembers(now->state, write.stamp) || (mark && *mark && (*mark)->lock.before == write.stamp);
}

bool never_again(const guarded_table& on, const std::optional<item_sight>& seen, const std::optional<item>& shown) {
    if (!seen || !seen->stamp || !shown) return false;
    const auto now = sight_of(on, shown);
    return now && now->stamp && now->stamp != seen->stamp;
}

commit_step decide_commit(const std::optional<transaction_header>& row, const run_name& mine) {
    if (!row || row->name != mine) return commit_step::forgotten;
    switch (row->state) {
        case header_state::committed:
            return commit_step::committed;
        case header_state::rolled_back:
            return commit_step::rolled_back;
        case header_state::pending:
            break;
    }
    return commit_step::again;
}

rival_step decide_rival(const transaction_header& rival, const seniority& mine, const rivalry& rules,
                        std::chrono::nanoseconds silent, std::chrono::nanoseconds waited) {
    if (silent >= rules.patience) return rival_step::roll_back;
    if (rules.policy == wait_policy::fail_fast) return rival_step::give_up;
    const bool goes_first = rules.policy == wait_policy::wound_wait && mine < seniority{rival.born, rival.name.id};
    if (goes_first && waited >= std::min(rules.courtesy, rules.limit)) return rival_step::roll_back;
    return waited >= rules.limit ? rival_step::give_up : rival_step::wait;
}

std::chrono::nanoseconds look_pause(const transaction_header& rival, const seniority& mine, unsigned looks,
                                    unsigned before) {
    static constexpr std::chrono::nanoseconds longest = 500ms;
    const auto doubled = [](unsigned times) {
        return std::min<std::chrono::nanoseconds>(25ms * (1U << std::min(times, 5U)), longest);
    };
    const auto alone = doubled(looks);
    if (rival.born >= mine.born) return alone;
    // Born long ago, or by a clock that is far behind: that far, nobody pauses.
    const bool far = rival.born < mine.born - 2 * std::chrono::milliseconds(500ms).count();
    const auto half = far ? longest : std::chrono::nanoseconds(std::chrono::milliseconds(mine.born - rival.born)) / 2;
    return std::max(alone, std::min(half, doubled(looks + before)));
}

}  // namespace dynalease::protocol
