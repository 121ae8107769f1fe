// The decision tables of a queue.
// SPDX-License-Identifier: BSL-1.0
#include "queue/protocol/queue_decisions.hpp"

#include <algorithm>
#include <limits>

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
    const bool named = !head.last.empty() && !known.last.empty();
    const bool issued_again = head.tail == known.tail && named && head.last != known.last;
    return head.passed < known.passed || head.tail < known.tail || issued_again;
}

std::int64_t tickets_ahead(const queue_head& head, const place& mine) {
    const auto numbers = std::max<std::int64_t>(mine.from - 1 - head.passed, 0);
    return std::clamp<std::int64_t>(mine.rank - 1 - (head.passed - head.skipped_passed), 0, numbers);
}

void drop_covered(std::vector<seen_ticket>& rows) {
    auto by_any = std::numeric_limits<std::int64_t>::max();  // the least number that a later place covers
    auto by_written = by_any;
    for (auto seen = rows.end(); seen != rows.begin();) {
        --seen;
        const auto& [row, owner] = *seen;
        const bool is_over = row.is_void || owner == owner_is::over;
        if ((is_over ? by_any : by_written) <= row.ticket) {
            seen = rows.erase(seen);
            continue;
        }
        by_any = std::min(by_any, row.from);
        if (!row.is_void) by_written = std::min(by_written, row.from);
    }
}

examine_decision decide_examine(const examine_facts& facts) {
    examine_decision over{.step = examine_step::pass};
    auto next = facts.passed + 1;  // all before it are over, or will be when they are buried
    const auto buries_all_before = [&](std::int64_t end) {
        for (; next < end; ++next) {
            const auto since = facts.missing.since(next);
            const bool due = since && facts.now - *since >= facts.bury_after;
            if (!due || over.graves.size() == batch_limit) return false;
            over.step = examine_step::bury;
            over.graves.push_back(next);
            over.places.push_back({.ticket = next, .from = next});
        }
        return true;
    };
    auto in_the_way = facts.rows.begin();
    for (; in_the_way != facts.rows.end(); ++in_the_way) {
        const auto& [row, owner] = *in_the_way;
        if (row.ticket < next) continue;  // passed meanwhile
        const bool is_over = row.is_void || owner == owner_is::over;
        if (row.ticket >= facts.until || !buries_all_before(row.from) || !is_over) break;
        over.places.push_back({.ticket = row.ticket, .from = row.from});
        next = row.ticket + 1;
    }
    if (in_the_way == facts.rows.end()) buries_all_before(facts.until);
    if (!over.places.empty()) return over;
    const bool none = in_the_way == facts.rows.end() || in_the_way->row.ticket >= facts.until;
    if (next < (none ? facts.until : in_the_way->row.from)) {
        return {.step = examine_step::await, .places = {{.ticket = next, .from = next}}};
    }
    if (none || in_the_way->owner == owner_is::ours) return {};
    const auto& row = in_the_way->row;
    if (in_the_way->owner == owner_is::ghost) {
        return {.step = examine_step::give_up,
                .places = {{.ticket = row.ticket, .from = row.from}},
                .attempt = row.attempt};
    }
    return {.step = examine_step::watch, .session = row.session};
}

void note_missing(missing_tickets& missing, const std::vector<seen_ticket>& rows, std::int64_t passed, std::int64_t end,
                  time_point now) {
    auto next = passed + 1;
    for (const auto& [row, owner] : rows) {
        if (row.ticket < next) continue;  // passed meanwhile
        if (row.from > next) missing.note(next, row.from - 1, now);
        next = row.ticket + 1;
    }
    if (next < end) missing.note(next, end - 1, now);
}

ask_step decide_ask(const ask_facts& facts) {
    // Who drew a ticket since, left, or passed over others, did so after he came.
    const bool drawn = facts.head.tail > facts.first.tail;
    const bool moved = facts.head.passed > std::max(facts.first.passed, facts.passed_here);
    if (drawn || moved || facts.seen_alive) return ask_step::refuse;
    return facts.head.free() ? ask_step::take : ask_step::go_on;
}

leave_step decide_leave(const leave_facts& facts) {
    if (facts.applied) return leave_step::done;
    if (!facts.head || facts.head->passed < facts.mine.from - 1) return leave_step::lost;
    if (facts.head->tail < facts.mine.ticket) return leave_step::lost;
    if (facts.head->passed < facts.mine.ticket) return leave_step::again;
    if (facts.held) return leave_step::done;
    return facts.unanswered ? leave_step::in_doubt : leave_step::lost;
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
