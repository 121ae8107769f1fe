// The decision tables of a lock: what its row and our claim say to do next.
//
// Each is a pure function of what is known. The sequences do what is decided here.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "lock/protocol/lock_requests.hpp"
#include "lock/protocol/lock_row.hpp"
#include "session/protocol/claim.hpp"
#include "session/protocol/session_watch.hpp"

#include <dynalease/runtime/time.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace dynalease::protocol {

// ---- want: somebody here wants the lock, and the claim is open -------------------------------------------

/// Of whoever was in the way first, for a try that goes on until it is known.
enum class holder_fate { not_asked, unknown, known_to_live };

struct acquire_facts {
    const lock_row& row;
    std::string_view self;
    const claim& mine;
    bool waits;        ///< somebody waits; otherwise it is only tried
    holder_is holder;  ///< what the watch says of the row's holder; not looked at when the row is free
    bool head_absent;  ///< the no-show rule holds for the head of the line
    holder_fate fate = holder_fate::not_asked;
};

enum class acquire_step {
    granted,       ///< the row names our claim: success, whichever copy of ours did it
    claim_closed,  ///< no copy of the claim can land any more: take a new one and decide again
    take,          ///< send `form`
    join,          ///< stand in line
    look,          ///< find out whether the holder's session lives, then decide again
    poll,          ///< look at the row again after the poll interval
    poll_absent,   ///< as `poll`, but the lock stands free: look again soon, for the head may be dead
    overflow,      ///< the line is full: look again much later
    refuse,        ///< a try finds it taken
    twin,          ///< the row names us by a claim that we did not make: another process uses our session's id
};

struct acquire_decision {
    acquire_step step;
    take_form form{};
    friend bool operator==(const acquire_decision&, const acquire_decision&) = default;
};

acquire_decision decide_acquire(const acquire_facts& facts);

/// What somebody saw first who tries until it is known whether the holder lives.
struct first_sight {
    time_point since;  ///< when he came
    std::optional<lock_holder> holder;
    std::int64_t token;
};

/// Whoever took the lock, gave it back, or was seen to beat since then lives, or did when this was asked.
/// @param holder the watch of the row's holder; null when the row is free
holder_fate judge_fate(const first_sight& first, const lock_row& row, const session_watch* holder);

// ---- give up: nobody here wants it any more ----------------------------------------------------------------

struct give_up_facts {
    const lock_row& row;  ///< as last seen
    std::string_view self;
    const claim& mine;
    bool sent;        ///< a copy of the claim left this process
    bool unanswered;  ///< ... and one of them has had no answer
};

give_up_step decide_give_up(const give_up_facts& facts);

// ---- resolve: make sure that no copy of the claim can land ---------------------------------------------------

enum class resolve_step {
    done,
    leave_closed,  ///< the claim is closed, but we stand in line
    leave,         ///< leave the line and close the claim in one write
    void_free,
    void_held,
    release,  ///< it landed: give it back
};

struct resolve_decision {
    resolve_step step;
    std::size_t place = 0;
    friend bool operator==(const resolve_decision&, const resolve_decision&) = default;
};

/// @param row as last seen. A refusal with a floor below our token closes nothing: another copy may be under way.
resolve_decision decide_resolve(const lock_row& row, std::string_view self, const claim& mine, bool closed);

// ---- hand over: from one of our grants to the next, inside the process --------------------------------------

/// A refused hand-over, by the row that came with the refusal.
hand_over_step decide_hand_over(const lock_row& row, std::string_view self, const claim& from, const claim& to);

}  // namespace dynalease::protocol
