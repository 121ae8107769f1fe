// A lock by the wall clock: the moment that stands in the item, and the requests that go by it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/condition_expression.hpp>
#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/dynamodb/operations.hpp>
#include <dynalease/dynamodb/update_expression.hpp>
#include <dynalease/runtime/time.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::protocol {

using wall_moment = std::chrono::sys_time<std::chrono::microseconds>;

/// "2026-11-21T22:30:00.123456+00:00": always so long, so that texts compare as moments do. Other writers leave
/// microseconds of zero out; ours have none (`wall_moment_of`).
std::string wall_text(wall_moment when);
/// @param unit a uniform random number in [0, 1): the microseconds, which make the moment one's own.
wall_moment wall_moment_of(std::chrono::sys_time<std::chrono::milliseconds> now, double unit);
/// Each guarded write moves on to the next, so that it happens once.
wall_moment next_moment(wall_moment held);

struct wall_clock_times {
    std::chrono::nanoseconds overdue;  ///< how old another's lock must look to us
    std::chrono::nanoseconds over;     ///< after the send of ours nobody takes it for held any more
    std::chrono::nanoseconds hold;     ///< how long we believe in ours, from the send of its first copy
};
/// One clock may be slow by the skew when a moment is written, and another fast when it is read. Whoever keeps to the
/// recipe alone allows for neither: neither when it holds for the whole timeout, nor when it takes over after it.
wall_clock_times wall_clock_times_for(std::chrono::milliseconds timeout, std::chrono::milliseconds skew,
                                      std::uint32_t drift_ppm);

/// One copy of the write that locks an item. Each has a moment of its own: one that comes late, after the release, then
/// brings back no moment that a late change could go by.
struct wall_clock_claim {
    wall_moment mine{};
    time_point sent{};
};

/// What a claim that was granted gives us, on our own clock.
struct wall_clock_grant {
    wall_moment held{};
    time_point end{};   ///< of our own belief
    time_point over{};  ///< for everybody
};
wall_clock_grant wall_clock_granted(const wall_clock_claim& claim, const wall_clock_times& times);

struct wall_clock_place {
    std::string table;
    item_key key;
    std::string attribute;
};

/// Who holds an item, by its attribute.
struct wall_clock_state {
    bool exists = false;
    std::string text{};  ///< empty: it is free
};
/// @param shown null: there is no item. Fails with `errc::corrupt_row` for an attribute of another type.
result<wall_clock_state> wall_clock_state_of(const wall_clock_place& place, const item* shown);

/// After a refusal: the claim that locked the item all the same, without an answer; empty: it is another's.
std::optional<wall_clock_claim> wall_clock_claim_in(const wall_clock_state& sight,
                                                    const std::vector<wall_clock_claim>& unanswered);

/// Brings the item. @param overdue moments before this one are over.
update_item_request wall_clock_take(const wall_clock_place& place, wall_moment mine, wall_moment overdue);
update_item_request wall_clock_change(const wall_clock_place& place, wall_moment held, const update_expression& change,
                                      const condition_expression& condition);
/// Takes back what claims without an answer may have locked. @param unanswered 1 to 100 of them
update_item_request wall_clock_take_back(const wall_clock_place& place,
                                         const std::vector<wall_clock_claim>& unanswered);
/// Gives back the lock, at this moment or, after a change without an answer, at the one after it.
update_item_request wall_clock_release(const wall_clock_place& place, wall_moment held);

}  // namespace dynalease::protocol
