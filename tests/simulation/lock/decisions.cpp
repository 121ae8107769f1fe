// Decisions in the place of the library's own: where it calls a function of stand_ins.txt, the linker sends the call to
// `mutated::f`, and `real::f` is the library's. None of this is in the library.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/mutant.hpp"
#include "simulation/framework/rewriting_database.hpp"
#include "simulation/lock/stand_ins.hpp"

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

// ---- the lease ---------------------------------------------------------------------------------------------

lease_times mutated::lease_times_for(milliseconds lease, milliseconds heartbeat, std::uint32_t drift_ppm) {
    auto times = real::lease_times_for(lease, heartbeat, drift_ppm);
    if (active("MARGIN")) times.hold = times.lease;
    if (active("NO_DEADLINE")) times.hold = std::chrono::hours(24 * 365);
    if (active("NO_JEOPARDY")) times.jeopardy = times.hold;
    if (active("BEATS_TOO_OFTEN")) times.period /= 4;
    return times;
}

bool mutated::session_lease_acknowledge(session_lease& self, time_point sent, time_point now) {
    if (active("FROM_ANSWER")) return real::session_lease_acknowledge(self, now, now);
    if (active("REVIVE") && self.at(now) == session_lease::phase::lost)
        return real::session_lease_acknowledge(self, sent, sent);
    return real::session_lease_acknowledge(self, sent, now);
}

// ---- the watch ---------------------------------------------------------------------------------------------

void mutated::session_watch_sight(session_watch& self, const std::optional<session_row>& row, time_point now) {
    const auto look_sent = std::exchange(notes_of_this_world().look_sent, time_point{});
    if (active("WATCH_FROM_SEND") && look_sent != time_point{}) now = look_sent;
    if (active("WATCH_NO_RESTART") && row) {
        auto unchanged = *row;
        unchanged.beat = 0;
        return real::session_watch_sight(self, unchanged, now);
    }
    real::session_watch_sight(self, row, now);
}

std::optional<std::int64_t> mutated::session_watch_due_for_mark(const session_watch& self, time_point now) {
    if (active("WATCH_ALWAYS_RESTARTS")) return {};
    return real::session_watch_due_for_mark(self, now);
}

bool mutated::head_watch_sight(head_watch& self, const lock_row& row, bool available, time_point now) {
    const bool absent = real::head_watch_sight(self, row, available, now);
    return absent && !active("NO_SHOW_OFF");
}

// ---- the token ---------------------------------------------------------------------------------------------

std::int64_t mutated::choose_token(wall_time wall, std::int64_t last, std::int64_t floor) {
    if (active("TOKEN_NO_WALL")) wall = {};
    auto token = real::choose_token(wall, last, floor);
    if (active("TOKEN_OF_THE_PROCESS")) {
        auto& highest = notes_of_this_world().highest_token;
        token = highest = std::max(token, highest + 1);
    }
    return token;
}

// ---- the lock ----------------------------------------------------------------------------------------------

acquire_decision mutated::decide_acquire(const acquire_facts& facts) {
    const auto& row = facts.row;
    const bool own = row.holder && row.holder->session == facts.self;
    const bool waits_for_itself = (active("NO_OWN_COPY") && own && row.holder->attempt == facts.mine.attempt) ||
                                  (active("OWN_GHOST_WAITED_FOR") && own && row.holder->attempt != facts.mine.attempt);
    if (waits_for_itself) return {facts.waits ? acquire_step::poll : acquire_step::refuse};
    if (active("NO_PASSED")) {
        auto changed = row;
        changed.passed = 0;
        return real::decide_acquire({.row = changed,
                                     .self = facts.self,
                                     .mine = facts.mine,
                                     .waits = facts.waits,
                                     .holder = facts.holder,
                                     .head_absent = facts.head_absent,
                                     .fate = facts.fate});
    }
    auto asked = facts;
    if (active("FATE_FORGOTTEN") && asked.fate == holder_fate::known_to_live) asked.fate = holder_fate::unknown;
    auto next = real::decide_acquire(asked);
    if (active("NEWCOMER_BARGES") && next.step == acquire_step::join && row.free()) return {acquire_step::take};
    if (active("FATE_GUESSED") && next.step == acquire_step::poll && !facts.waits) return {acquire_step::refuse};
    if (active("TRY_NEVER_LOOKS") && next.step == acquire_step::look && !facts.waits) return {acquire_step::refuse};
    return next;
}

give_up_step mutated::decide_give_up(const give_up_facts& facts) {
    const auto next = real::decide_give_up(facts);
    const bool in_line = facts.row.place_of(facts.self).has_value();
    const bool held_by_other = facts.row.holder && facts.row.holder->session != facts.self;
    if (next == give_up_step::audit && active("NO_AUDIT")) return give_up_step::done;
    if (next != give_up_step::resolve) return next;
    if (active("AMBIGUOUS_DROPPED")) return give_up_step::done;
    if (active("NO_VOID") && !in_line) return give_up_step::done;
    if (active("VOID_FREE_ONLY") && !in_line && held_by_other) return give_up_step::done;
    return next;
}

resolve_decision mutated::decide_resolve(const lock_row& row, std::string_view self, const claim& mine, bool closed) {
    const auto next = real::decide_resolve(row, self, mine, closed);
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

update_item_request mutated::lock_requests_hand_over(const lock_requests& self, const claim& from, const claim& to,
                                                     grant_face face) {
    auto request = real::lock_requests_hand_over(self, from, to, face);
    if (!active("TWO_HANDS")) return request;
    const auto grant = *find_string(request.values, ":s") + "/" + std::to_string(from.attempt);
    if (std::exchange(notes_of_this_world().handed_over, grant) != grant) return request;
    // The second for the same grant: a claim of its own, in the place of the one that is still open.
    auto& open = const_cast<claim&>(to);
    open.attempt += 1'000'000;
    open.token += 1;
    return real::lock_requests_hand_over(self, from, open, std::move(face));
}

}  // namespace dynalease::simulation::locks
