// The known mistakes of sessions and locks. In brackets where the rule is laid down: "lock 3" is section 3 of the
// protocol of sessions and locks, "mode 8" the eighth of the known failure modes of lock services.
#include "simulation/framework/primitive.hpp"
#include "simulation/mutants/answers.hpp"
#include "simulation/mutants/edits.hpp"

namespace dynalease::simulation::mutants {

namespace {

const contribution session_mutants{{
    .name = "lock",
    .mutants =
        {
            // ---- a session and those who watch it ----
            {.name = "FROM_ANSWER", .rule = "the deadline counts from before the send, not from the answer [lock 5]"},
            {.name = "MARGIN",
             .rule = "the holder's lease is shorter than the watcher's by the drift of both clocks [lock 5]"},
            {.name = "NO_DEADLINE", .rule = "a session ends at its deadline, even if nobody says so [mode 4]"},
            {.name = "NO_JEOPARDY", .rule = "unanswered heartbeats are told before the deadline [mode 16]"},
            {.name = "REVIVE", .rule = "lost is final: an answer handled after the deadline changes nothing [lock 2]"},
            {.name = "WATCH_FROM_SEND",
             .rule = "a sight counts from after the answer [lock 2]",
             .wrap = wrap<look_noted>},
            {.name = "WATCH_NO_RESTART",
             .rule = "a new beat starts the watcher's lease again [lock 2, mode 24]",
             .wrap = wrap<marks_what_it_saw>},
            {.name = "WATCH_ALWAYS_RESTARTS", .rule = "the same beat keeps its time: the dead are found out [lock 2]"},
            {.name = "TRY_NEVER_LOOKS", .rule = "repeated tries find a dead holder out, too [lock 4, mode 25]"},
            {.name = "HB_NO_STATE",
             .rule = "a heartbeat tests the state: it revives no session that is over [lock 2, mode 5]",
             .wrap = editing<beat_revives>},
            {.name = "HB_UPSERT",
             .rule = "a heartbeat never makes a row anew [lock 2, modes 4 and 15]",
             .wrap = editing<beat_recreates>},
            {.name = "HB_NO_BEAT",
             .rule = "a late heartbeat does not bring back an earlier beat [lock 2]",
             .wrap = editing<beat_without_number>},
            {.name = "HB_SENT_AGAIN",
             .rule = "each heartbeat has a number of its own [lock 2, mode 3]",
             .wrap = wrap<beat_sent_again>},
            {.name = "MARK_NO_BEAT",
             .rule = "a session is marked dead only at the beat that stood still [lock 2]",
             .wrap = editing<mark_without_beat>},
            {.name = "EARLY_USE",
             .rule = "no lock is asked for before the session's row is known to be there [lock 2]",
             .wrap = wrap<early_use>},
            {.name = "CREATE_OVER_ANYTHING",
             .rule = "a late copy of the creation changes nothing [lock 2, mode 13]",
             .wrap = editing<create_over_anything>},
            {.name = "CLOSE_DELETES",
             .rule = "a closed row stays, so that no late creation lands [lock 0, mode 32]",
             .wrap = wrap<close_deletes>},
            {.name = "TTL_EARLY",
             .rule = "rows of sessions that are over outlive all late copies [lock 2]",
             .wrap = editing<session_row_expires_at_its_end>},
            {.name = "SESSION_TTL",
             .rule = "a live session's row carries no ttl [lock 2, mode 10]",
             .wrap = editing<session_row_expires_alive>},
        },
}};

const contribution taking_mutants{{
    .name = "lock",
    .mutants =
        {
            // ---- taking a lock ----
            {.name = "ACQ_NO_FLOOR",
             .rule = "a grant tests the floor: late copies are refused [lock 3]",
             .wrap = editing<take_without_floor>},
            {.name = "TAKE_NO_FLOOR",
             .rule = "a take-over tests the floor, too [lock 3]",
             .wrap = editing<take_over_without_floor>},
            {.name = "TAKE_UNCOND",
             .rule = "a take-over names the grant it takes from [lock 3]",
             .wrap = editing<take_over_from_anybody>},
            {.name = "NO_CONDITION",
             .rule = "no write goes without its condition [mode 36]",
             .wrap = editing<take_without_condition>},
            {.name = "NO_SCHEMA",
             .rule = "a row of another schema is never written [lock 1, mode 39]",
             .wrap = editing<take_without_schema>},
            {.name = "TTL_STAYS", .rule = "a grant removes the ttl [lock 3]", .wrap = editing<take_beside_expiry>},
            {.name = "LOCK_TTL",
             .rule = "a held lock's row carries no ttl [lock 1, mode 8]",
             .wrap = editing<take_expires>},
            {.name = "TOKEN_NO_WALL",
             .rule = "tokens rise across the loss of a row, by the wall clock [lock 3, mode 9]"},
            {.name = "TOKEN_OF_THE_PROCESS", .rule = "a floor of the future spoils one lock only [lock 3]"},
            {.name = "NO_OWN_COPY", .rule = "an own copy that landed is success, not another holder [lock 4, mode 2]"},
            {.name = "OWN_GHOST_WAITED_FOR", .rule = "a forgotten hold of the own session is taken over [lock 4]"},
            {.name = "OLDER_ANSWER",
             .rule = "a refusal answers its own request, not the next one [lock 9]",
             .wrap = wrap<answer_of_an_older_request>},
            {.name = "DOUBT_IS_SUCCESS", .rule = "no answer is not a grant [mode 35]", .wrap = wrap<doubt_is_success>},
            {.name = "DOUBT_IS_FAILURE", .rule = "no answer is not a refusal [mode 1]", .wrap = wrap<doubt_is_failure>},
            // ---- the line ----
            {.name = "JOIN_NO_FLOOR", .rule = "a late join is refused [lock 3]", .wrap = editing<join_without_floor>},
            {.name = "LINE_KEPT", .rule = "who gives up leaves the line [lock 9]"},
            {.name = "NO_PASSED",
             .rule = "the head of the line is overtaken a bounded number of times [lock 6]",
             .wrap = editing<take_past_the_bound>},
            {.name = "NO_SHOW_OFF", .rule = "a head that never comes is dropped [lock 6]"},
            {.name = "NEWCOMER_BARGES",
             .rule = "newcomers do not take what others wait for [lock 6]",
             .wrap = editing<take_before_the_line>},
        },
}};

const contribution leaving_mutants{{
    .name = "lock",
    .mutants =
        {
            // ---- giving up and giving back ----
            {.name = "NO_VOID", .rule = "a given-up claim with an unanswered copy is closed by a write [lock 4]"},
            {.name = "AMBIGUOUS_DROPPED", .rule = "what had no answer is resolved, not forgotten [mode 1]"},
            {.name = "NO_AUDIT", .rule = "copies of refused claims are looked after [lock 4]"},
            {.name = "VOID_FREE_ONLY", .rule = "'held by another' closes no claim [lock 4]"},
            {.name = "VOID_LOWERS",
             .rule = "a void only ever raises the floor [lock 3]",
             .wrap = editing<void_lowers_the_floor>},
            {.name = "HAND_SESSION",
             .rule = "a hand-over tests the attempt and the floor [lock 3]",
             .wrap = editing<hand_over_for_the_session>},
            {.name = "HAND_NO_FLOOR",
             .rule = "a hand-over tests the floor [lock 9]",
             .wrap = editing<hand_over_without_floor>},
            {.name = "TWO_HANDS",
             .rule = "never a second hand-over beside an open one [lock 4]",
             .wrap = wrap<rewriting_database>},
            {.name = "HANDS_ON_FOR_EVER",
             .rule = "others in line end the hand-overs inside a process [lock 4]",
             .wrap = wrap<line_not_seen>},
            {.name = "REL_SESSION",
             .rule = "a release tests the attempt [lock 3, mode 31]",
             .wrap = editing<release_for_the_session>},
            {.name = "REL_FIRST_ONLY",
             .rule = "a release after an open hand-over names both claims [lock 4]",
             .wrap = editing<release_the_first_only>},
            {.name = "REL_DELETES",
             .rule = "a released row stays, and with it the floor [mode 9]",
             .wrap = wrap<release_deletes>},
            {.name = "TTL_SHORT",
             .rule = "a free row outlives all late copies [lock 3]",
             .wrap = editing<lock_row_expires_at_once>},
            // ---- reading and guarding ----
            {.name = "LOOK_STALE", .rule = "looks are consistent [lock 1, mode 28]", .wrap = editing<look_anywhere>},
            {.name = "GUARD_SESSION",
             .rule = "the fence names the attempt [lock 4]",
             .wrap = editing<guard_for_the_session>},
            {.name = "NO_FENCE",
             .rule = "a write of a holder that was paused is refused [mode 7]",
             .wrap = editing<guard_nothing>},
        },
}};

}  // namespace

}  // namespace dynalease::simulation::mutants
