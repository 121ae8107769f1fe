// The decision tables of transactions: what a row, an item and a mark say to do next.
//
// Each is a pure function of what is known. The machines do what is decided here.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "item/protocol/item_mark.hpp"
#include "transaction/protocol/planned_writes.hpp"
#include "transaction/protocol/transaction_header.hpp"

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/dynamodb/item.hpp>
#include <dynalease/transaction/transactions_options.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace dynalease::protocol {

/// What became of a run.
enum class run_verdict {
    open,
    committed,
    rolled_back,
    forgotten,  ///< nobody can tell any more, or not yet: in doubt
};

// ---- the rule: what a mark on an item means ----------------------------------------------------------------

enum class mark_fate {
    undecided,  ///< its run may still commit: never undo it now
    keep,       ///< its run has committed, under this very lock
    undo,       ///< void: its run will never commit under this lock
};

/// @param header as read after the item; empty: there is none
mark_fate decide_mark(const item_mark& mark, const std::optional<transaction_header>& header);

// ---- a reader ----------------------------------------------------------------------------------------------

enum class read_step {
    before,      ///< the item as it was before the mark
    after,       ///< ... as it is after the commit
    read_again,  ///< the run ended after the item was read: the mark may be gone, and others have written since
};

/// What is current of an item with this mark, for a reader who wants the latest.
/// @param header as read after the item @param again the same mark was met for the second time
read_step decide_read(const item_mark& mark, const std::optional<transaction_header>& header, bool again);

// ---- a reader of several items -------------------------------------------------------------------------------

enum class moment_step {
    before,   ///< at that moment, what was before the mark
    after,    ///< ... what is after the commit
    another,  ///< the row does not tell which: another moment
};

/// What was committed, of an item with this mark, at a moment when the item lay so.
/// @param header as read @param known_before before that moment; else after it
moment_step decide_moment(const item_mark& mark, const std::optional<transaction_header>& header, bool known_before);

// ---- pages -------------------------------------------------------------------------------------------------

enum class pages_step {
    complete,      ///< all that the run wants is known
    nothing_held,  ///< they were never all there, and never will be; so it has sent no lock. Or nobody is to decide it
    roll_back,     ///< they are not all there yet: no lock has been sent
    look_again,    ///< the run has ended meanwhile
    damaged,       ///< some are gone that are needed
};

/// What the pages tell of a run. @param header as read before them @param takes_over whoever reads them brings the run
/// to its end @param looked_again after it had been found so once
pages_step decide_pages(const transaction_header& header, bool all_there, bool takes_over, bool looked_again);

// ---- begin -------------------------------------------------------------------------------------------------

enum class begin_step {
    begun,        ///< the row is this run's: some copy of ours was applied
    begin,        ///< there is no row (any more): begin afresh
    over,         ///< a run of this id was rolled back, and is done: begin over it
    others,       ///< another run of this id is at work, or has been left
    committed,    ///< the id has been committed, by whichever run
    rolled_back,  ///< this run, already
};

/// A refused `begin`, by the row that came with the refusal.
begin_step decide_begin(const std::optional<transaction_header>& row, const run_name& mine);
/// What the user is told where another run of the id is at work, or has been left. @param coordination the table of
/// its row
failure refused_run(const std::string& coordination, const std::string& id);
/// Whether it is that what the user is told.
bool is_refused_run(const failure& why, const std::string& coordination, const std::string& id);

// ---- lock --------------------------------------------------------------------------------------------------

enum class lock_step {
    held,             ///< by this run, by this write or a later one: whoever sent it
    again,            ///< by this run, by an earlier write: write again under that lock
    lost,             ///< the mark under which it was to be written again is gone: the run was rolled back
    rival,            ///< another run holds it
    missing,          ///< there is no item
    exists,           ///< there is one, and it was to be inserted
    locked,           ///< a lock holds it, which is no transaction's
    changed,          ///< it is not as the transaction saw it: to be run again
    has_versions,     ///< it is a versioned item, and the table was said to have none
    unreadable,       ///< its stamp or its version is none: `fault_of_state`
    overflow,         ///< its version is as high as it may get
    condition_false,  ///< what the user demands of it is not so
};

struct lock_facts {
    const planned_item& what;
    const run_name& mine;
    std::int64_t number;                   ///< of the write that was refused
    const std::optional<item_mark>& held;  ///< the mark under which it was sent
    const std::optional<item>& shown;      ///< the item that came with the refusal
    const std::optional<item_mark>& mark;  ///< on it
};

/// A refused lock.
lock_step decide_lock(const lock_facts& facts);
/// A refused write to an item that this run has held, in the call that commits it. @param held by which it did
/// @param mark on the item that came with the refusal
lock_step decide_held(const planned_item& what, const item_mark& held, const std::optional<item>& shown,
                      const std::optional<item_mark>& mark);
/// What the user is told of a lock that cannot be had. @param number of the write that was refused, from 1
failure refused_lock(lock_step step, const planned_item& what, std::size_t number, const std::optional<item>& shown);

// ---- checks ------------------------------------------------------------------------------------------------

enum class check_step {
    rival,            ///< another run holds the item: the rule
    changed,          ///< it is not as the transaction saw it: to be run again
    missing,          ///< there is no item
    condition_false,  ///< what the user demands of it is not so
    lost,             ///< the guard is not the caller's any more
};

/// A refused check. @param shown the item that came with the refusal @param mark on it
check_step decide_check(const planned_check& what, const std::optional<item>& shown,
                        const std::optional<item_mark>& mark);
failure refused_check(check_step step, const std::optional<item>& shown);

// ---- native call -------------------------------------------------------------------------------------------

/// Whether the item tells that this very write was made to it.
bool tells_of(const guarded_table& on, const planned_write& write, const std::optional<item>& shown);

/// Whether the item, which no transaction holds, will never again be as it was seen: the stamp has gone, and stamps do
/// not come back. A copy that is still on its way will be refused, too.
bool never_again(const guarded_table& on, const std::optional<item_sight>& seen, const std::optional<item>& shown);

// ---- commit ------------------------------------------------------------------------------------------------

enum class commit_step {
    committed,    ///< by this process or by another one at work for the same run
    rolled_back,  ///< by somebody else
    forgotten,    ///< decided, and so long ago that the row is gone: nobody knows how
    again,        ///< not decided
};

/// A refused `commit` or `roll_back`, by the row that came with the refusal. Only for a run that was begun.
commit_step decide_commit(const std::optional<transaction_header>& row, const run_name& mine);

// ---- rivals ------------------------------------------------------------------------------------------------

struct rivalry {
    wait_policy policy = wait_policy::wound_wait;
    std::chrono::nanoseconds patience = std::chrono::seconds(5);  ///< with one that shows no sign of life
    std::chrono::nanoseconds limit = std::chrono::seconds(5);     ///< of all waiting for one item
    std::chrono::nanoseconds courtesy{};                          ///< ... before the older one goes first
};

/// Of whoever closes no circle of waiting: it holds nothing, or takes its items in the common order. What it waits for
/// is mostly over by then, and is not done in vain. Others may close one with it: that is how long it stays closed.
inline constexpr std::chrono::nanoseconds usual_courtesy = std::chrono::seconds(1);

enum class rival_step { wait, roll_back, give_up };

/// Who comes first: by the wall clock of its first run, then by id. Only fairness depends on it.
struct seniority {
    std::int64_t born = 0;
    std::string id{};
    friend auto operator<=>(const seniority&, const seniority&) = default;
};

/// What to do about a rival whose run is not decided.
/// @param silent since when nothing of its row has changed @param waited for this item
rival_step decide_rival(const transaction_header& rival, const seniority& mine, const rivalry& rules,
                        std::chrono::nanoseconds silent, std::chrono::nanoseconds waited);

/// How long to wait before the next look at one that is waited for: 25 ms doubling to 500 ms, and anew at each rival.
/// Who has looked at others that held this item before is in a line with those born between that one and itself: then
/// for half of that time, but for no longer than if it had looked at one of them all the time.
/// @param looks at this rival so far @param before at others that held the item meanwhile
std::chrono::nanoseconds look_pause(const transaction_header& rival, const seniority& mine, unsigned looks,
                                    unsigned before);

}  // namespace dynalease::protocol
