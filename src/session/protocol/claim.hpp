// A claim: one intent to become holder, with the fencing token it would be granted.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/runtime/time.hpp>

#include <cstdint>

namespace dynalease::protocol {

/// Every copy of every request for one intent carries the same pair, so that all of them stand or fall together:
/// the grant raises the row's floor to `token`, and so does the write that voids it.
struct claim {
    std::int64_t attempt = 0;  ///< counted per session, never reused
    std::int64_t token = 0;
    friend bool operator==(const claim&, const claim&) = default;
};

/// Floors from here on are refused as corrupt: so many claims can be made above any other that none overflows. By
/// the wall clock it is 146 million years away.
inline constexpr std::int64_t token_limit = std::int64_t{1} << 62;

/// Above everything known to be granted. The wall clock only makes a first guess that is nearly always high
/// enough; a wrong one costs a refused request, after which the row's own floor decides.
std::int64_t choose_token(wall_time wall, std::int64_t last_token_here, std::int64_t highest_floor_seen);

/// How far above the floor the next token is to lie when writes were refused in a row. One refusal is a slow clock's
/// due. After two, others raise the floor faster than our writes travel, and a token just above it would come too late
/// every time: it needs a lead of as many milliseconds as a write takes, 64 at first, 4,096 at most.
std::int64_t token_lead(unsigned refusals_in_a_row);

/// What is known of a holder.
enum class holder_is { over, alive, not_known };

/// What is left to do when nobody here wants what the claim is for.
enum class give_up_step {
    done,     ///< nothing of ours is out there
    resolve,  ///< something is, or we stand in line: close the claim and leave
    audit,    ///< every copy was refused, but the network may have made one more: check much later
};

/// What became of a hand-over from one of our claims to the next.
enum class hand_over_step {
    handed,        ///< the row or item names the new claim
    claim_closed,  ///< the new claim's token is too low: a new one, and again
    again,         ///< the same request again; never a second hand-over beside an open one
    lost,          ///< the lock is no longer ours
};

/// After so many hand-overs in a row while other processes stand in line, what they wait for goes to them.
inline constexpr unsigned hand_overs_in_a_row = 8;

}  // namespace dynalease::protocol
