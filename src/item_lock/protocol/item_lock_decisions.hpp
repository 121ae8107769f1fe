// The decision tables of an item lock: what the item and our claim say to do next.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "item_lock/protocol/item_inquiry.hpp"
#include "item_lock/protocol/item_lock_state.hpp"
#include "session/protocol/claim.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynalease::protocol {

// ---- want ------------------------------------------------------------------------------------------------

/// Whoever waits behind writers leaves an intent once the item was seen to go from one to the next so often. Without it
/// those of one process, which hand the item over in memory, could keep all others out.
inline constexpr unsigned passed_over_often = 3;
/// So long those who read the item in one process let others there join without looking whether a writer waits.
inline constexpr std::chrono::nanoseconds join_unseen = std::chrono::seconds(1);
/// What all the looks of one process at one item may cost.
inline constexpr double read_units_per_second = 25;

/// Under which circumstances a claim takes the item. Each is a condition, so that a wrong belief is only refused.
struct item_take_form {
    item_access access = item_access::exclusive;
    /// The writer to take it from; it is over. Empty: there is none.
    std::optional<std::string> over_writer{};
    /// For a writer: all the readers, each of which is over. Empty: there are none.
    std::vector<std::string> over_readers{};
    /// The intent that may stand there: our own, or one whose session is over.
    std::optional<std::string> intent{};
    friend bool operator==(const item_take_form&, const item_take_form&) = default;
};

struct item_acquire_facts {
    const item_lock_state& sight;
    std::string_view self;
    const claim& mine;
    item_access access;
    bool waits;  ///< somebody waits; otherwise it is only tried
    /// Writers come and go, and have passed over whoever waits here too often.
    bool insists = false;
    std::size_t most_readers;
    /// What the watch says of another session. Claimants of our own session are never asked about.
    const std::function<holder_is(const item_claimant&)>& judge;
    item_fate fate = item_fate::not_asked;
};

enum class item_acquire_step {
    granted,       ///< the item names our claim: success, whichever copy of ours did it
    missing,       ///< there is no item to lock
    claim_closed,  ///< no copy of the claim can land any more: take a new one and decide again
    take,          ///< send `form`
    intend,        ///< let nobody else in
    reap,          ///< remove `who`, all of them readers that are over
    free,          ///< give back what stands there as the writer `attempt` of our own session
    look,          ///< find out whether `who`, one session, lives; then decide again
    poll,          ///< look at the item again after the poll interval
    refuse,        ///< a try finds it taken
};

struct item_acquire_decision {
    item_acquire_step step;
    item_take_form form{};
    std::vector<std::string> who{};  ///< texts for `reap`, one session for `look`
    std::int64_t attempt = 0;        ///< for `free`
    friend bool operator==(const item_acquire_decision&, const item_acquire_decision&) = default;
};

item_acquire_decision decide_item_acquire(const item_acquire_facts& facts);

/// Readers' entries of our own session that are copies of claims that were given up: nobody here will give them back.
/// @param but the attempt that is not one of them
std::vector<std::string> forgotten_readers(const item_lock_state& sight, std::string_view self, std::int64_t but);

// ---- give up, resolve ---------------------------------------------------------------------------------------

struct item_give_up_facts {
    const item_lock_state& sight;  ///< as last seen
    std::string_view self;
    const claim& mine;
    bool sent;        ///< a copy of the claim left this process
    bool unanswered;  ///< one of them has had no answer
    bool intended;    ///< an intent was sent
};

/// `audit`: a copy made by the network may land yet; the claim, if open, may be used again meanwhile.
give_up_step decide_item_give_up(const item_give_up_facts& facts);

enum class item_resolve_step {
    done,
    release,       ///< it landed: give it back
    leave,         ///< take the intent back, and close the claim in one write
    leave_closed,  ///< the claim is closed, but our intent stands
    close,         ///< void the claim
};

/// @param closed the claim was closed by a write of ours.
item_resolve_step decide_item_resolve(const item_lock_state& sight, std::string_view self, const claim& mine,
                                      bool closed);

// ---- held --------------------------------------------------------------------------------------------------

enum class guarded_step {
    applied,          ///< an earlier copy did it
    condition_false,  ///< ours still, and the write not done: the caller's own condition was false
    lost,
};

/// A refused guarded write, the next step of the grant, by the item that came with the refusal.
guarded_step decide_guarded(const item_lock_state& sight, std::string_view self, const item_grant& held);

/// A refused hand-over from one of our exclusive grants to the next inside the process.
hand_over_step decide_item_hand_over(const item_lock_state& sight, std::string_view self, const item_grant& from,
                                     const claim& to);

}  // namespace dynalease::protocol
