// The known mistakes of transactions.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/primitive.hpp"
#include "simulation/transaction/request_edits.hpp"
#include "simulation/transaction/stand_ins.hpp"

#include "item/protocol/item_mark.hpp"
#include "transaction/protocol/transaction_decisions.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dynalease::simulation::transfers {

using namespace protocol;

using maybe_header = std::optional<transaction_header>;
using maybe_item = std::optional<item>;
using time_span = std::chrono::nanoseconds;

namespace {

bool is_committed(const item_mark& mark, const maybe_header& header) {
    return header && header->name == mark.owner && !header->done && header->state == header_state::committed;
}

}  // namespace

mark_fate mutated::decide_mark(const item_mark& mark, const maybe_header& header) {
    const auto meant = real::decide_mark(mark, header);
    const bool committed = is_committed(mark, header);
    if (active("NO_NONCE") && committed) return mark_fate::keep;
    const auto same_stamp = [&](const committed_lock& each) { return each.lock.stamp == mark.lock.stamp; };
    if (active("NONCE_NO_PREV") && committed && std::ranges::any_of(header->locks, same_stamp)) return mark_fate::keep;
    if (active("UNDO_WHILE_P") && meant == mark_fate::undecided) return mark_fate::undo;
    if (active("RESOLVE_ONCE_C_VOID") && committed) return mark_fate::undo;
    const bool ended = !header || header->name != mark.owner || header->done;
    if (active("ABSENT_IS_COMMITTED") && ended) return mark_fate::keep;
    return meant;
}

read_step mutated::decide_read(const item_mark& mark, const maybe_header& header, bool again) {
    if (active("READER_ABSENT_IS_ABORT")) return real::decide_read(mark, header, true);
    if (active("LATEST_LOOKS_UNDER")) return read_step::before;
    return real::decide_read(mark, header, again);
}

moment_step mutated::decide_moment(const item_mark& mark, const maybe_header& header, bool known_before) {
    const auto meant = real::decide_moment(mark, header, known_before);
    const bool known_after = meant == moment_step::another && !known_before;
    if (active("LEARNED_LATE_IS_AFTER") && known_after) return moment_step::after;
    if (active("LEARNED_LATE_IS_BEFORE") && known_after) return moment_step::before;
    if (active("MOMENT_LOOKS_UNDER")) return moment_step::before;
    return meant;
}

rival_step mutated::decide_rival(const transaction_header& rival, const seniority& mine, const rivalry& rules,
                                 time_span silent, time_span waited) {
    const auto meant = real::decide_rival(rival, mine, rules, silent, waited);
    if (active("WAITS_FOR_EVER")) return rival_step::wait;
    if (active("FREE_DECIDES") && rules.patience == time_span::max()) return rival_step::roll_back;
    return meant;
}

result<maybe_item> mutated::committed_view(const maybe_item& shown) {
    if (active("READER_RAW")) return shown;
    return real::committed_view(shown);
}

std::vector<item> mutated::committed_items(std::vector<item> shown, const std::string& of) {
    if (!active("PAGES_RAW")) return real::committed_items(std::move(shown), of);
    for (auto& each : shown) std::erase_if(each, [](const auto& entry) { return entry.first.starts_with("_Tx"); });
    return shown;
}

namespace {

const contribution transaction_mutants{{
    .name = "transaction",
    .mutants =
        {
            {.name = "NO_NONCE", .rule = "a commit holds for the locks in its map alone", .scenario = "late-lock"},
            {.name = "NONCE_NO_PREV", .rule = "a lock is named by the stamp before it, too", .scenario = "late-lock"},
            {.name = "INSERT_NOT_TIED",
             .rule = "an insert is tied to its run",
             .wrap = editing<insert_untied>,
             .scenario = "late-insert"},
            {.name = "UNDO_WHILE_P", .rule = "what is not decided is rolled back before it is undone"},
            {.name = "RESOLVE_ONCE_C_VOID", .rule = "what was committed is kept", .scenario = "abandoned"},
            {.name = "ABSENT_IS_COMMITTED",
             .rule = "where the row is over, the mark is void",
             .scenario = "late-copies"},
            {.name = "READER_RAW", .rule = "a reader of what is committed looks under the mark", .scenario = "bank"},
            {.name = "READER_ABSENT_IS_ABORT",
             .rule = "where the row is over, the item is read again",
             .scenario = "contention"},
            {.name = "LATEST_LOOKS_UNDER", .rule = "what has committed is shown as it is after it"},
            {.name = "FREE_DECIDES", .rule = "who frees an item decides nothing", .scenario = "abandoned"},
            {.name = "PAGES_RAW", .rule = "pages are shown as they are committed"},
            {.name = "LEARNED_LATE_IS_AFTER",
             .rule = "what is learned after a moment, does not tell that it was committed then",
             .scenario = "contention"},
            {.name = "LEARNED_LATE_IS_BEFORE", .rule = "... nor that it was not", .scenario = "contention"},
            {.name = "MOMENT_LOOKS_UNDER",
             .rule = "what was committed before a moment, shows at it",
             .scenario = "bank"},
            {.name = "READ_APART",
             .rule = "one call shows its items at one moment",
             .wrap = wrap<reads_apart>,
             .scenario = "contention"},
            {.name = "READ_ONCE",
             .rule = "what takes several calls is read twice",
             .wrap = wrap<reads_once>,
             .scenario = "crowd"},
            {.name = "PAGE_NOT_TIED",
             .rule = "no page is stored when its run is decided",
             .wrap = editing<page_untied>,
             .scenario = "late-page"},
            {.name = "PAGES_LEFT",
             .rule = "the end of a run removes its pages",
             .wrap = editing<pages_left>,
             .scenario = "bulky"},
            {.name = "WAITS_FOR_EVER",
             .rule = "who was left is rolled back, and waiting ends",
             .scenario = "abandoned"},
            {.name = "BEGIN_OVER",
             .rule = "a run begins over nothing but what is over",
             .wrap = editing<begin_over_anything>,
             .scenario = "named"},
            {.name = "NOT_SET_ASIDE",
             .rule = "where a lock may still land, a row tells of it when its run is over",
             .wrap = editing<set_aside_nowhere>,
             .scenario = "late-lock-of-a-former-attempt"},
            {.name = "ASIDE_FOR_NO_TIME",
             .rule = "what is set aside stays so for longer than any copy is on its way",
             .wrap = editing<set_aside_for_no_time>,
             .scenario = "late-lock-of-a-former-attempt"},
            {.name = "HELD_RESUMED",
             .rule = "what its own process alone knows, nobody else commits",
             .wrap = editing<begin_for_everybody>,
             .scenario = "in-turn"},
            {.name = "COMMIT_NO_STATE",
             .rule = "what was rolled back is not committed",
             .wrap = editing<commit_whatever_the_row_says>,
             .scenario = "unfriendly"},
            {.name = "ABORT_NO_STATE",
             .rule = "what was committed is not rolled back",
             .wrap = editing<roll_back_whatever_the_row_says>,
             .scenario = "unfriendly"},
            {.name = "TTL_ON_P",
             .rule = "no row expires before it is done",
             .wrap = editing<row_expires_undecided>,
             .scenario = "step-by-step"},
            {.name = "FINAL_EARLY",
             .rule = "a row is done when no item is held under it any more",
             .wrap = wrap<finishes_early>,
             .scenario = "step-by-step"},
            {.name = "TOLD_EARLY",
             .rule = "success is told after the commit alone",
             .wrap = wrap<tells_early>,
             .scenario = "step-by-step"},
            {.name = "COMMIT_BEFORE_LOCKS",
             .rule = "every lock is seen before the commit",
             .wrap = wrap<holds_unseen>,
             .scenario = "step-by-step"},
            {.name = "LOCK_UNCOND", .rule = "no lock over another mark", .wrap = editing<lock_over_any_mark>},
            {.name = "PIN_IGNORED",
             .rule = "an item is locked as it was seen",
             .wrap = editing<lock_whatever_was_seen>},
            {.name = "CHECKS_IGNORED",
             .rule = "what was only read is tested at the commit",
             .wrap = editing<commit_whatever_was_read>},
            {.name = "DEMANDS_IGNORED",
             .rule = "what is demanded is tested at the commit",
             .wrap = editing<commit_whatever_was_demanded>},
            {.name = "FENCE_IGNORED",
             .rule = "a required lock is tested at the commit",
             .wrap = editing<commit_whoever_holds_the_lock>,
             .scenario = "guarded"},
            {.name = "FENCE_RESUMED",
             .rule = "what requires a lock is committed by its own process alone",
             .wrap = editing<begin_for_everybody>,
             .scenario = "guarded"},
            {.name = "SECOND_TXID_ONLY",
             .rule = "a second write goes under the very lock of the first",
             .wrap = editing<lock_again_by_name_alone>,
             .scenario = "late-copies"},
            {.name = "VERSION_SHOWN",
             .rule = "what is not committed has no version",
             .wrap = editing<version_shown>,
             .scenario = "step-by-step"},
            {.name = "VERSION_STAYS",
             .rule = "a commit raises the version",
             .wrap = editing<version_stays>,
             .scenario = "step-by-step"},
            {.name = "UNLOCK_TXID_ONLY",
             .rule = "an unlock ends the lock that was committed",
             .wrap = editing<unlock_by_name_alone>,
             .scenario = "late-copies"},
            {.name = "UNLOCK_UNCOND",
             .rule = "an unlock ends the lock that was committed, and no other's",
             .wrap = editing<unlock_whatever_is_there>,
             .scenario = "late-copies"},
            {.name = "UNLOCK_DROPS_STAMP",
             .rule = "a kept write leaves its stamp",
             .wrap = editing<unlock_drops_stamp>,
             .scenario = "late-copies"},
            {.name = "BIRTH_NO_STAMP",
             .rule = "a kept insert leaves its stamp",
             .wrap = editing<birth_without_stamp>,
             .scenario = "short-lives"},
            {.name = "UNDO_BY_VALUES",
             .rule = "an undo copies what lies there",
             .wrap = wrap<undoes_by_values>,
             .scenario = "late-copies"},
            {.name = "TOKEN_FRESH",
             .rule = "all copies of a call have one token",
             .wrap = wrap<fresh_tokens>,
             .scenario = "swarm"},
        },
}};

}  // namespace

}  // namespace dynalease::simulation::transfers
