// The known mistakes of queues. In brackets the section of the queue's protocol, or of the reliability reference, that
// has the rule.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/primitive.hpp"
#include "simulation/queue/request_edits.hpp"

namespace dynalease::simulation::queues {

using mutants::editing;

namespace {

const contribution queue_mutants{
    {.name = "queue",
     .mutants = {
         {.name = "ARTICLE",
          .rule = "the turn is what the head says, not that no row is seen before mine [9]",
          .wrap = mutants::wrap<mutants::rewriting_database>,
          .scenario = "article",
          .told = true},
         {.name = "NOTOMB", .rule = "a missing row is made impossible before it is passed over [0]"},
         {.name = "SKIPNOW", .rule = "a missing row is not buried at once [3]"},
         {.name = "NOWAIT", .rule = "a missing row is not buried before its owner's claim is over [0]"},
         {.name = "OVERTAKEN", .rule = "an answer that was overtaken is not taken for the newest [0]"},
         {.name = "NOCLAIM", .rule = "a turn that is not written down is valid only while its claim runs [0]"},
         {.name = "FROMANSWER",
          .rule = "the claim counts from the send, not from the answer [0]",
          .wrap = mutants::wrap<mutants::rewriting_database>},
         {.name = "FROMCOPY",
          .rule = "the claim counts from the first of all copies that were sent [10]",
          .wrap = notes_draws},
         {.name = "DEADEARLY", .rule = "a ticket is passed over only when its session is over [3]"},
         {.name = "USHER", .rule = "an usher passes over no live ticket [3]"},
         {.name = "VOIDSTAY", .rule = "void rows are passed over [3]"},
         {.name = "GHOST", .rule = "a row of ours that nobody of us knows is given up [3]", .scenario = "own-ghost"},
         {.name = "NOVOID", .rule = "a place that is given up is voided [3]"},
         {.name = "LEAVES_TOO_MUCH", .rule = "a leaver passes over nobody but itself and its own void tickets [3]"},
         {.name = "LIFE_GUESSED",
          .rule = "whether anybody lives is known by the next heartbeat, not before [ask]",
          .scenario = "one-call-at-a-dead-holder"},
         {.name = "LIFE_UNSEEN", .rule = "who beats lives [ask]", .scenario = "one-call-at-a-living-holder"},
         {.name = "LEFT_TAKEN",
          .rule = "what a living holder leaves is not for who asks whether anybody lives [ask]",
          .scenario = "one-call-at-a-short-turn"},
         {.name = "LEAVE",
          .rule = "`passed` moves only from where the turn is [2]",
          .wrap = editing<end_without_condition>},
         {.name = "LEAVE_IDLE", .rule = "only an idle head gets a ttl [0]", .wrap = editing<idle_leave_without_tail>},
         {.name = "TTL_STAYS", .rule = "a ticket takes the ttl off the head [2]", .wrap = editing<draw_leaves_ttl>},
         {.name = "RETRY", .rule = "a copy of a draw draws nothing [2]", .wrap = editing<draw_forgets_its_copy>},
         {.name = "NOFLOOR",
          .rule = "a head that was lost is made anew above all that was issued [8]",
          .wrap = editing<draw_without_floor>},
         {.name = "NOSCHEMA",
          .rule = "a row of a version that is not known is left alone [1]",
          .wrap = editing<draw_without_schema>,
          .scenario = "lost-rows"},
         {.name = "FROM_IGNORED",
          .rule = "a place has the turn from the first number that it covers [7]",
          .wrap = editing<end_ignores_from>},
         {.name = "COVERS_NOTHING",
          .rule = "a place covers the numbers that were skipped for it [7]",
          .wrap = editing<several_cover_nothing>},
         {.name = "NOCOND",
          .rule = "several are entered only if nobody entered any of them meanwhile [7]",
          .wrap = editing<several_without_tail>},
         {.name = "SEPARATE",
          .rule = "several are entered at once under one number: one by one, each has what the other waits for [7]",
          .scenario = "several-at-once"},
         {.name = "TOMBPUT",
          .rule = "a tombstone is put only where no row is [2]",
          .wrap = editing<bury_over_anything>,
          .scenario = "row-against-grave"},
         {.name = "ROWPUT",
          .rule = "a ticket is not written down over its tombstone [2]",
          .wrap = editing<enter_over_anything>},
         {.name = "WAITER_TTL", .rule = "no row that matters carries a ttl [0]", .wrap = editing<waiting_row_expires>},
         {.name = "FORGETS_TOO_MUCH",
          .rule = "a row is deleted only when it was passed [0]",
          .wrap = editing<forget_one_too_many>},
         {.name = "NOFENCE",
          .rule = "a fence holds from the moment anyone else may have the turn [3]",
          .wrap = editing<fence_without_end>},
         {.name = "LEAVEONCE", .rule = "an unanswered leave is repeated [3]", .wrap = leaves_once},
         {.name = "DROPPED",
          .rule = "what is owed for a turn outlives its guard, as long as the session lives [3]",
          .wrap = owes_nothing_when_dropped,
          .scenario = "dropped-turn"},
         {.name = "VOIDONCE", .rule = "an unanswered giving up is repeated [3]", .wrap = voids_once},
         {.name = "PUTONCE", .rule = "a row is known only by its answer [3]", .wrap = believes_in_its_row},
         {.name = "CANCELDEL",
          .rule = "a place is given up by a void row, which a late one cannot follow [3]",
          .wrap = deletes_instead_of_voiding},
     }}};

}  // namespace

}  // namespace dynalease::simulation::queues
