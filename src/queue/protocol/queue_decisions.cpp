// The decision tables of a queue.
// SPDX-License-Identifier: BSL-1.0
#include "queue/protocol/queue_decisions.hpp"

#include <algorithm>
#include <iterator>

namespace dynalease::protocol {

ticket_step decide_ticket(const ticket_facts& facts) {
    const auto& head = facts.head;
    // Where no copy can have been applied, an attempt of the same name is another's: a process cloned from ours.
    const bool named = head.last == facts.attempt;
    if (!facts.applied && named && !facts.unanswered) return ticket_step::renew;
    if (!facts.applied && !named) return facts.tries ? ticket_step::contended : ticket_step::exhausted;
    const auto ticket = head.tail;
    if (head.passed >= ticket) return ticket_step::renew;
    const bool first = head.passed == ticket - 1;
    return first && facts.now < facts.first_send + facts.claim ? ticket_step::direct : ticket_step::write_down;
}

entered_step decide_entered(const ticket_row* found, std::string_view attempt) {
    const bool own = !found || (!found->is_void && found->attempt == attempt);
    return own ? entered_step::entered : entered_step::buried;
}

poll_step decide_poll(const queue_head* head, const place& mine) {
    if (!head) return poll_step::head_lost;
    if (head->passed >= mine.ticket) return poll_step::place_lost;
    return head->passed >= mine.from - 1 ? poll_step::turn : poll_step::wait;
}

place last_place(const queue_head& head) {
    return {.ticket = head.tail, .from = head.tail, .rank = head.tail - head.skipped};
}

bool behind(const queue_head& head, const queue_head& known) {
    return head.passed < known.passed || head.tail < known.tail;
}

std::int64_t tickets_ahead(const queue_head& head, const place& mine) {
    return std::max<std::int64_t>(mine.rank - 1 - (head.passed - head.skipped_passed), 0);
}

namespace {

/// Tickets [first, end) have no row: bury those at the front that have been missing for long enough.
examine_decision decide_missing(const examine_facts& facts, std::int64_t first, std::int64_t end) {
    examine_decision next{.step = examine_step::remember};
    end = std::min(end, first + static_cast<std::int64_t>(batch_limit));
    for (auto ticket = first; ticket < end; ++ticket) {
        const auto since = facts.missing_since.find(ticket);
        const bool due = since != facts.missing_since.end() && facts.now - since->second >= facts.bury_after;
        if (ticket == first && due) next.step = examine_step::bury;
        if (next.step == examine_step::bury && !due) break;
        next.places.push_back({.ticket = ticket, .from = ticket});
    }
    return next;
}

}  // namespace

examine_decision decide_examine(const examine_facts& facts) {
    examine_decision passing{.step = examine_step::pass};
    auto over = facts.passed;  // all up to here can be passed over
    const auto row = std::find_if(facts.rows.begin(), facts.rows.end(), [&](const seen_ticket& seen) {
        if (seen.row.ticket <= over) return false;  // passed meanwhile
        if (seen.row.from > over + 1 || seen.row.ticket >= facts.until) return true;
        if (!seen.row.is_void && seen.owner != owner_is::over) return true;
        over = seen.row.ticket;
        passing.places.push_back({.ticket = over, .from = seen.row.from});
        return false;
    });
    const bool read_all = row == facts.rows.end();
    if (over > facts.passed) return passing;
    const auto next_row = read_all ? facts.until : std::min(row->row.from, facts.until);
    if (next_row > over + 1) return decide_missing(facts, over + 1, next_row);
    if (read_all || row->row.ticket >= facts.until || row->owner == owner_is::ours) return {};
    if (row->owner == owner_is::ghost) {
        return {.step = examine_step::give_up,
                .places = {{.ticket = row->row.ticket, .from = row->row.from}},
                .attempt = row->row.attempt};
    }
    return {.step = examine_step::watch, .session = row->row.session};
}

leave_step decide_leave(const leave_facts& facts) {
    if (facts.applied) return leave_step::done;
    if (!facts.head || facts.head->passed < facts.mine.from - 1) return leave_step::lost;
    if (facts.head->tail < facts.mine.ticket) return leave_step::lost;
    if (facts.head->passed < facts.mine.ticket) return leave_step::again;
    return facts.unanswered ? leave_step::done : leave_step::lost;
}

std::vector<place> over_with(const place& mine, const void_tickets& voids) {
    std::vector<place> over{mine};
    for (auto next = voids.upper_bound(mine.ticket); next != voids.end(); ++next) {
        if (next->second.from > over.back().ticket + 1) break;
        over.push_back(next->second);
    }
    return over;
}

cancel_step decide_cancel(const cancel_facts& facts) {
    if (!facts.mine) return facts.unanswered ? cancel_step::ask : cancel_step::done;
    if (facts.head.passed >= facts.mine->ticket) return cancel_step::done;
    if (!facts.voided) return cancel_step::give_up;
    return facts.head.passed >= facts.mine->from - 2 ? cancel_step::pass : cancel_step::done;
}

}  // namespace dynalease::protocol
