// The decision tables of a queue: what its rows and our ticket say to do next.
//
// Each is a pure function of what is known. The coroutines of the slice carry out what is decided here. What a
// decision rests on is stable (see queue_rows.hpp), so that it may be carried out at any later time.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "queue/protocol/missing_tickets.hpp"
#include "queue/protocol/queue_requests.hpp"
#include "queue/protocol/queue_rows.hpp"

#include <dynalease/runtime/time.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynalease::protocol {

// ---- ticket: the answer to the request for one -------------------------------------------------------------

struct ticket_facts {
    bool applied;
    const queue_head& head;  ///< the answer, or what the refusal showed
    std::string_view attempt;
    bool unanswered;                 ///< an earlier copy of the request may have been applied
    bool tries;                      ///< the ticket was only wanted if the queue was free
    time_point first_send;           ///< of all copies of the request
    time_point now;                  ///< after the answer
    std::chrono::nanoseconds claim;  ///< `claim_held`
};

enum class ticket_step {
    direct,      ///< the ticket has the turn already, until the claim ends
    write_down,  ///< wait behind others, or the claim is over: write the row
    renew,       ///< passed over before we knew of it, or drawn by another that names its attempts as we do
    contended,   ///< a try found others
    exhausted,   ///< the counter is at its end
};

/// The ticket, where there is one, is the head's `tail`.
ticket_step decide_ticket(const ticket_facts& facts);

// ---- entered: the answer to writing the ticket down --------------------------------------------------------

enum class entered_step { entered, buried };

/// @param found the row that a refusal showed; null: applied.
entered_step decide_entered(const ticket_row* found, std::string_view attempt);

// ---- poll: the head as a waiting ticket sees it ------------------------------------------------------------

enum class poll_step {
    turn,
    place_lost,  ///< passed over: buried, or our session over
    head_lost,   ///< somebody deleted the head row
    wait,
};

/// @param head null: there is none.
poll_step decide_poll(const queue_head* head, const place& mine);
/// The place that the ticket has which was just issued.
place last_place(const queue_head& head);
/// What shows less, or the last number issued to another attempt, was seen earlier, or the head went back.
bool behind(const queue_head& head, const queue_head& known);
/// Tickets before ours that are not over, the present turn counted.
std::int64_t tickets_ahead(const queue_head& head, const place& mine);

// ---- examine: may the ticket whose turn it is be passed over? ----------------------------------------------

enum class owner_is {
    ours,   ///< a ticket of this process that it knows of
    ghost,  ///< one of this session that nobody here knows of
    over,   ///< its session is over
    other,
};

struct seen_ticket {
    ticket_row row;
    owner_is owner;
};

/// Leaves out rows whose number lies within a later place. Nothing else was issued there, so that they are of a time
/// before the table went back to a backup. So may a void row be: for its sake nobody is left out who lives.
/// @param rows in order
void drop_covered(std::vector<seen_ticket>& rows);

struct examine_facts {
    std::int64_t passed;
    const std::vector<seen_ticket>& rows;  ///< in order, as far as they were read
    std::int64_t until;  ///< the first number that is not to be looked at: our own, or the first that was not read
    const missing_tickets& missing;
    time_point now;
    std::chrono::nanoseconds bury_after;
};

enum class examine_step {
    nothing,  ///< what blocks us is our own
    pass,     ///< pass over `places`
    give_up,  ///< void our ghost, the only one of `places`; then it can be passed over
    watch,    ///< `session` has the turn, or delays it: is it alive?
    await,    ///< the row of the only one of `places` is missing, and may still land
    bury,     ///< pass over `places` once those of `graves` are buried, whose rows have been missing for too long
};

struct examine_decision {
    examine_step step = examine_step::nothing;
    std::vector<place> places{};
    std::string session{};
    std::string attempt{};  ///< of our ghost
    std::vector<std::int64_t> graves{};
    friend bool operator==(const examine_decision&, const examine_decision&) = default;
};

examine_decision decide_examine(const examine_facts& facts);

/// Of all the numbers that the rows show to be missing, and not only of those that come next: however many they are and
/// whatever stands between them, their owners' claims end together.
/// @param rows in order, from the first after `passed` @param end where they end: one beyond the last that was read
void note_missing(missing_tickets& missing, const std::vector<seen_ticket>& rows, std::int64_t passed, std::int64_t end,
                  time_point now);

// ---- ask: somebody tries until it is known whether anybody lives who goes before him ------------------------

/// He draws no ticket, so that all who have one go before him, also those who come while he asks.
struct ask_facts {
    const queue_head& first;   ///< as he saw it first
    const queue_head& head;    ///< as last seen
    std::int64_t passed_here;  ///< up to where this process has ever asked to pass tickets over
    bool seen_alive;           ///< a session whose ticket stands there was seen to beat since he came
};

enum class ask_step {
    take,    ///< nobody is there, and whoever was is over
    refuse,  ///< somebody before him lives, or did when he came
    go_on,
};

ask_step decide_ask(const ask_facts& facts);

// ---- leave: the answer to the end of a turn ----------------------------------------------------------------

struct leave_facts {
    bool applied;
    const queue_head* head;  ///< the answer, or what the refusal showed; null: there is no head row
    place mine;
    bool unanswered;    ///< an earlier copy may have done it
    bool held = false;  ///< until the answer came nobody else could pass it over: the network may repeat a request
};

enum class leave_step {
    done,
    again,     ///< refused only because somebody waits after all
    lost,      ///< the turn was not ours any more
    in_doubt,  ///< our copy passed it, or others did, who could
};

leave_step decide_leave(const leave_facts& facts);

/// Tickets of ours that are void and not passed yet, by number.
using void_tickets = std::map<std::int64_t, place>;
/// What is over when `mine` is: our own void tickets right behind it are passed in the same write.
std::vector<place> over_with(const place& mine, const void_tickets& voids);

// ---- cancel: nobody here wants the ticket any more ---------------------------------------------------------

struct cancel_facts {
    std::optional<place> mine;  ///< empty: not known
    bool unanswered;            ///< a ticket may have been issued that we do not know
    bool voided;                ///< its row says so
    const queue_head& head;     ///< as last seen
};

enum class cancel_step {
    done,
    ask,      ///< look at the head, which tells, if nobody came after
    give_up,  ///< void it
    pass,     ///< it may have the turn: pass over it ourselves
};

cancel_step decide_cancel(const cancel_facts& facts);

}  // namespace dynalease::protocol
