// Decisions in the place of the library's own: the linker sends calls of `f` to the one called `__wrap_f`, and those of
// `__real_f` to the library's. The names are in decisions.txt; none of this is in the library.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/mutant.hpp"
#include "simulation/framework/rewriting_database.hpp"

#include "lock/protocol/lock_decisions.hpp"
#include "lock/protocol/lock_requests.hpp"
#include "lock/protocol/lock_times.hpp"
#include "session/protocol/session_lease.hpp"
#include "session/protocol/session_watch.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace dynalease::simulation::locks {

using namespace protocol;

namespace {
using milliseconds = std::chrono::milliseconds;
}  // namespace

// ---- the names -----------------------------------------------------------------------------------------------
// A member function is a function whose first argument is the object.

lease_times real_times(milliseconds lease, milliseconds heartbeat, std::uint32_t drift_ppm) asm(
    "__real__ZN9dynalease8protocol15lease_times_forENSt6chrono8durationIlSt5ratioILl1ELl1000EEEES5_j");
lease_times wrapped_times(milliseconds lease, milliseconds heartbeat, std::uint32_t drift_ppm) asm(
    "__wrap__ZN9dynalease8protocol15lease_times_forENSt6chrono8durationIlSt5ratioILl1ELl1000EEEES5_j");

bool real_acknowledge(session_lease& self, time_point sent, time_point now) asm(
    "__real__ZN9dynalease8protocol13session_lease11acknowledgeENSt6chrono10time_pointINS_13elapsed_clockENS2_8duration"
    "IlSt5ratioILl1ELl1000000000EEEEEES9_");
bool wrapped_acknowledge(session_lease& self, time_point sent, time_point now) asm(
    "__wrap__ZN9dynalease8protocol13session_lease11acknowledgeENSt6chrono10time_pointINS_13elapsed_clockENS2_8duration"
    "IlSt5ratioILl1ELl1000000000EEEEEES9_");

void real_sight(session_watch& self, const std::optional<session_row>& row, time_point now) asm(
    "__real__ZN9dynalease8protocol13session_watch5sightERKSt8optionalINS0_11session_rowEENSt6chrono10time_pointINS_13"
    "elapsed_clockENS7_8durationIlSt5ratioILl1ELl1000000000EEEEEE");
void wrapped_sight(session_watch& self, const std::optional<session_row>& row, time_point now) asm(
    "__wrap__ZN9dynalease8protocol13session_watch5sightERKSt8optionalINS0_11session_rowEENSt6chrono10time_pointINS_13"
    "elapsed_clockENS7_8durationIlSt5ratioILl1ELl1000000000EEEEEE");

std::optional<std::int64_t> real_due_for_mark(const session_watch& self, time_point now) asm(
    "__real__ZNK9dynalease8protocol13session_watch12due_for_markENSt6chrono10time_pointINS_13elapsed_clockENS2_8"
    "durationIlSt5ratioILl1ELl1000000000EEEEEE");
std::optional<std::int64_t> wrapped_due_for_mark(const session_watch& self, time_point now) asm(
    "__wrap__ZNK9dynalease8protocol13session_watch12due_for_markENSt6chrono10time_pointINS_13elapsed_clockENS2_8"
    "durationIlSt5ratioILl1ELl1000000000EEEEEE");

bool real_head_sight(head_watch& self, const lock_row& row, bool available, time_point now) asm(
    "__real__ZN9dynalease8protocol10head_watch5sightERKNS0_8lock_rowEbNSt6chrono10time_pointINS_13elapsed_clockENS5_8"
    "durationIlSt5ratioILl1ELl1000000000EEEEEE");
bool wrapped_head_sight(head_watch& self, const lock_row& row, bool available, time_point now) asm(
    "__wrap__ZN9dynalease8protocol10head_watch5sightERKNS0_8lock_rowEbNSt6chrono10time_pointINS_13elapsed_clockENS5_8"
    "durationIlSt5ratioILl1ELl1000000000EEEEEE");

std::int64_t real_choose_token(wall_time wall, std::int64_t last, std::int64_t floor) asm(
    "__real__ZN9dynalease8protocol12choose_tokenENSt6chrono10time_pointINS1_3_V212system_clockENS1_8durationIlSt5ratio"
    "ILl1ELl1000EEEEEEll");
std::int64_t wrapped_choose_token(wall_time wall, std::int64_t last, std::int64_t floor) asm(
    "__wrap__ZN9dynalease8protocol12choose_tokenENSt6chrono10time_pointINS1_3_V212system_clockENS1_8durationIlSt5ratio"
    "ILl1ELl1000EEEEEEll");

acquire_decision real_want(const acquire_facts& facts) asm(
    "__real__ZN9dynalease8protocol14decide_acquireERKNS0_13acquire_factsE");
acquire_decision wrapped_want(const acquire_facts& facts) asm(
    "__wrap__ZN9dynalease8protocol14decide_acquireERKNS0_13acquire_factsE");

give_up_step real_give_up(const give_up_facts& facts) asm(
    "__real__ZN9dynalease8protocol14decide_give_upERKNS0_13give_up_factsE");
give_up_step wrapped_give_up(const give_up_facts& facts) asm(
    "__wrap__ZN9dynalease8protocol14decide_give_upERKNS0_13give_up_factsE");

resolve_decision real_resolve(const lock_row& row, std::string_view self, const claim& mine, bool closed) asm(
    "__real__ZN9dynalease8protocol14decide_resolveERKNS0_8lock_rowESt17basic_string_viewIcSt11char_traitsIcEERKNS0_5"
    "claimEb");
resolve_decision wrapped_resolve(const lock_row& row, std::string_view self, const claim& mine, bool closed) asm(
    "__wrap__ZN9dynalease8protocol14decide_resolveERKNS0_8lock_rowESt17basic_string_viewIcSt11char_traitsIcEERKNS0_5"
    "claimEb");

update_item_request real_hand_over(const lock_requests& self, const claim& from, const claim& to, const item& data) asm(
    "__real__ZNK9dynalease8protocol13lock_requests9hand_overERKNS0_5claimES4_RKSt3mapINSt7__cxx1112basic_stringIcSt11"
    "char_traitsIcESaIcEEENS_15attribute_valueESt4lessIvESaISt4pairIKSB_SC_EEE");
update_item_request
wrapped_hand_over(const lock_requests& self, const claim& from, const claim& to, const item& data) asm(
    "__wrap__ZNK9dynalease8protocol13lock_requests9hand_overERKNS0_5claimES4_RKSt3mapINSt7__cxx1112basic_stringIcSt11"
    "char_traitsIcESaIcEEENS_15attribute_valueESt4lessIvESaISt4pairIKSB_SC_EEE");

// ---- the lease ---------------------------------------------------------------------------------------------

lease_times wrapped_times(milliseconds lease, milliseconds heartbeat, std::uint32_t drift_ppm) {
    auto times = real_times(lease, heartbeat, drift_ppm);
    if (active("MARGIN")) times.hold = times.lease;
    if (active("NO_DEADLINE")) times.hold = std::chrono::hours(24 * 365);
    if (active("NO_JEOPARDY")) times.jeopardy = times.hold;
    if (active("BEATS_TOO_OFTEN")) times.period /= 4;
    return times;
}

bool wrapped_acknowledge(session_lease& self, time_point sent, time_point now) {
    if (active("FROM_ANSWER")) return real_acknowledge(self, now, now);
    if (active("REVIVE") && self.at(now) == session_lease::phase::lost) return real_acknowledge(self, sent, sent);
    return real_acknowledge(self, sent, now);
}

// ---- the watch ---------------------------------------------------------------------------------------------

void wrapped_sight(session_watch& self, const std::optional<session_row>& row, time_point now) {
    const auto look_sent = std::exchange(notes_of_this_world().look_sent, time_point{});
    if (active("WATCH_FROM_SEND") && look_sent != time_point{}) now = look_sent;
    if (active("WATCH_NO_RESTART") && row) {
        auto unchanged = *row;
        unchanged.beat = 0;
        return real_sight(self, unchanged, now);
    }
    real_sight(self, row, now);
}

std::optional<std::int64_t> wrapped_due_for_mark(const session_watch& self, time_point now) {
    if (active("WATCH_ALWAYS_RESTARTS")) return {};
    return real_due_for_mark(self, now);
}

bool wrapped_head_sight(head_watch& self, const lock_row& row, bool available, time_point now) {
    const bool absent = real_head_sight(self, row, available, now);
    return absent && !active("NO_SHOW_OFF");
}

// ---- the token ---------------------------------------------------------------------------------------------

std::int64_t wrapped_choose_token(wall_time wall, std::int64_t last, std::int64_t floor) {
    if (active("TOKEN_NO_WALL")) wall = {};
    auto token = real_choose_token(wall, last, floor);
    if (active("TOKEN_OF_THE_PROCESS")) {
        auto& highest = notes_of_this_world().highest_token;
        token = highest = std::max(token, highest + 1);
    }
    return token;
}

// ---- the lock ----------------------------------------------------------------------------------------------

acquire_decision wrapped_want(const acquire_facts& facts) {
    const auto& row = facts.row;
    const bool own = row.holder && row.holder->session == facts.self;
    const bool waits_for_itself = (active("NO_OWN_COPY") && own && row.holder->attempt == facts.mine.attempt) ||
                                  (active("OWN_GHOST_WAITED_FOR") && own && row.holder->attempt != facts.mine.attempt);
    if (waits_for_itself) return {facts.waits ? acquire_step::poll : acquire_step::refuse};
    if (active("NO_PASSED")) {
        auto changed = row;
        changed.passed = 0;
        return real_want({.row = changed,
                          .self = facts.self,
                          .mine = facts.mine,
                          .waits = facts.waits,
                          .holder = facts.holder,
                          .head_absent = facts.head_absent,
                          .fate = facts.fate});
    }
    auto asked = facts;
    if (active("FATE_FORGOTTEN") && asked.fate == holder_fate::known_to_live) asked.fate = holder_fate::unknown;
    auto next = real_want(asked);
    if (active("NEWCOMER_BARGES") && next.step == acquire_step::join && row.free()) return {acquire_step::take};
    if (active("FATE_GUESSED") && next.step == acquire_step::poll && !facts.waits) return {acquire_step::refuse};
    if (active("TRY_NEVER_LOOKS") && next.step == acquire_step::look && !facts.waits) return {acquire_step::refuse};
    return next;
}

give_up_step wrapped_give_up(const give_up_facts& facts) {
    const auto next = real_give_up(facts);
    const bool in_line = facts.row.place_of(facts.self).has_value();
    const bool held_by_other = facts.row.holder && facts.row.holder->session != facts.self;
    if (next == give_up_step::audit && active("NO_AUDIT")) return give_up_step::done;
    if (next != give_up_step::resolve) return next;
    if (active("AMBIGUOUS_DROPPED")) return give_up_step::done;
    if (active("NO_VOID") && !in_line) return give_up_step::done;
    if (active("VOID_FREE_ONLY") && !in_line && held_by_other) return give_up_step::done;
    return next;
}

resolve_decision wrapped_resolve(const lock_row& row, std::string_view self, const claim& mine, bool closed) {
    const auto next = real_resolve(row, self, mine, closed);
    const bool held_by_other = row.holder && row.holder->session != self;
    if (active("NO_VOID") && (next.step == resolve_step::void_free || next.step == resolve_step::void_held)) {
        return {resolve_step::done};
    }
    if (active("VOID_FREE_ONLY") && next.step == resolve_step::void_held && held_by_other) return {resolve_step::done};
    if (active("LINE_KEPT") && next.step == resolve_step::leave_closed) return {resolve_step::done};
    if (active("LINE_KEPT") && next.step == resolve_step::leave) {
        return {row.free() ? resolve_step::void_free : resolve_step::void_held};
    }
    return next;
}

update_item_request wrapped_hand_over(const lock_requests& self, const claim& from, const claim& to, const item& data) {
    auto request = real_hand_over(self, from, to, data);
    if (!active("TWO_HANDS")) return request;
    const auto grant = *find_string(request.values, ":s") + "/" + std::to_string(from.attempt);
    if (std::exchange(notes_of_this_world().handed_over, grant) != grant) return request;
    // The second for the same grant: a claim of its own, in the place of the one that is still open.
    auto& open = const_cast<claim&>(to);
    open.attempt += 1'000'000;
    open.token += 1;
    return real_hand_over(self, from, open, data);
}

}  // namespace dynalease::simulation::locks
