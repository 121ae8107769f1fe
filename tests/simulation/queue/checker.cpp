// One rule after the other.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/queue/checker.hpp"

#include <iterator>

namespace dynalease::simulation::queues {

checker::checker(const checker_options& options)
    : options_(options),
      queues_(options.queues),
      sessions_(
          {.drift_ppm = options.drift_ppm, .early_death_waived = options.early_death_waived || options.order_waived}) {}

void checker::see(const event& seen) {
    std::visit([&](const auto& what) { on(seen.at, what); }, seen.what);
}

void checker::fail(const char* promise, std::string what) {
    if (!broken_) broken_ = std::string(promise) + ": " + std::move(what);
}

const checker::ticket* checker::find(std::size_t queue, std::int64_t number) const {
    const auto& tickets = queues_[queue].tickets;
    const auto found = tickets.find(number);
    return found == tickets.end() ? nullptr : &found->second;
}

std::pair<std::int64_t, const checker::ticket*> checker::after(std::size_t queue, std::int64_t number) const {
    const auto& tickets = queues_[queue].tickets;
    const auto found = tickets.upper_bound(number);
    if (found == tickets.end()) return {0, nullptr};
    return {found->first, &found->second};
}

// ---- the head ----------------------------------------------------------------------------------------------

void checker::on(time_point, const head_written& seen) {
    using kind = head_written::kind;
    auto& queue = queues_[seen.queue];
    const auto& after = seen.after;
    if (queue.head.exists && queue.head.version != 1) fail("schema", "a head of another version was written");
    if (after.expires && after.tail != after.passed) fail("Q1", "a busy queue could be removed by TTL");
    if (queue.head.exists && after.passed < queue.head.passed) {
        fail("Q2", "`passed` fell from " + std::to_string(queue.head.passed));
    }
    if (after.passed > after.tail) fail("Q2", "a ticket was passed over before it was issued");
    if (seen.what == kind::drawn || seen.what == kind::drawn_together) {
        check_draw(queue, seen);
    } else {
        check_passing(queue, seen);
    }
    queue.head = after;
    // Whose first number comes next has the turn.
    const auto next = queue.tickets.upper_bound(after.passed);
    if (next == queue.tickets.end() || next->second.from > after.passed + 1) return;
    next->second.granted = true;
    if (next->first == after.tail && seen.what == kind::drawn) next->second.direct = true;
}

void checker::check_draw(queue_record& queue, const head_written& seen) {
    const auto number = seen.after.tail;
    const bool existed = queue.head.exists;
    if (number <= queue.highest && !options_.tokens_waived) {
        fail("P2", "ticket " + std::to_string(number) + " after " + std::to_string(queue.highest));
    }
    if (seen.attempt == queue.last_attempt) fail("P8", "one attempt drew two tickets, one right after the other");
    const bool together = seen.what == head_written::kind::drawn_together;
    const auto expected = existed ? queue.head.tail + 1 : number;
    if (together ? number < expected : number != expected) fail("Q2", "the counter did not move by one");
    ticket issued{.from = number, .session = seen.writer, .attempt = seen.attempt};
    // The numbers that were never issued are covered, unless the queue was free, and they were passed over.
    const bool was_free = !existed || queue.head.tail == queue.head.passed;
    const bool passes_gap = was_free && seen.after.passed == number - 1;
    if (together) issued.from = seen.from;
    if (together && seen.from != (passes_gap ? number : expected)) fail("Q2", "skipped numbers are not covered");
    if (!was_free && seen.after.passed != queue.head.passed) fail("Q1", "drawing a ticket passed over others");
    queue.highest = std::max(queue.highest, number);
    queue.last_attempt = seen.attempt;
    queue.tickets.insert_or_assign(number, std::move(issued));
}

void checker::check_passing(queue_record& queue, const head_written& seen) {
    if (seen.after.tail != queue.head.tail) fail("Q2", "the counter moved though nobody drew a ticket");
    auto each = queue.tickets.upper_bound(queue.head.passed);
    for (; each != queue.tickets.end() && each->first <= seen.after.passed; ++each) {
        check_passed_over(each->second, each->first, seen.writer);
        const bool leaves = seen.what == head_written::kind::left || seen.what == head_written::kind::left_idle;
        if (leaves && each->second.session == seen.writer) each->second.left = true;
    }
    const bool inside = each != queue.tickets.end() && each->second.from <= seen.after.passed;
    if (inside && !options_.order_waived) fail("Q2", "a turn was moved into the middle of a place");
}

void checker::check_passed_over(const ticket& over, std::int64_t number, const std::string& writer) {
    if (options_.order_waived) return;
    const auto name = "ticket " + std::to_string(number);
    // Nobody who is written down, or may still be, goes unless its session is over, or by its own session's hand.
    if (over.state == ticket::row::given_up || over.state == ticket::row::buried) return;
    if (sessions_.over(over.session)) return;
    if (over.session != writer) {
        const bool written = over.state == ticket::row::live;
        fail("Q1", name + (written ? ", alive and written down, was passed over"
                                   : " was passed over though its row could still land"));
    } else if (over.held) {
        fail("P9", name + " was left while a user still holds its turn");
    } else if (!over.granted) {
        fail("Q1", name + " was left before it had the turn");
    }
}

void checker::on(time_point, const head_replaced& seen) {
    auto& queue = queues_[seen.queue];
    queue.head = seen.after;
    queue.last_attempt.clear();
}

// ---- the rows ----------------------------------------------------------------------------------------------

void checker::on(time_point, const ticket_written& seen) {
    auto& queue = queues_[seen.queue];
    if (seen.expires) fail("Q1", "a ticket's row could be removed by TTL");
    const auto found = queue.tickets.find(seen.ticket);
    if (found == queue.tickets.end()) {
        // Rows are written only for what was issued, in this or in an earlier life of the counter.
        const bool counts = seen.ticket > queue.head.passed && !options_.order_waived;
        if (counts) fail("Q2", "ticket " + std::to_string(seen.ticket) + " was never issued");
        return;
    }
    auto& row = found->second;
    const auto name = "ticket " + std::to_string(seen.ticket);
    const bool own = row.session == seen.writer;
    if (!seen.is_void) {
        if (!own) fail("Q2", name + " was written down by another session");
        const bool was_void = row.state == ticket::row::given_up || row.state == ticket::row::buried;
        // Once it was passed, its row may have been deleted, and nothing depends on it any more.
        const bool counts = seen.ticket > queue.head.passed && !options_.order_waived;
        if (was_void && counts) fail("Q1", name + " was written down though others already passed it over");
        if (seen.from != row.from && counts) fail("Q2", name + " covers other numbers than were skipped for it");
        row.state = ticket::row::live;
        return;
    }
    if (own) {
        if (row.held && !options_.order_waived) fail("P9", name + " was given up while a user still holds its turn");
        row.state = ticket::row::given_up;
        return;
    }
    const bool counts = seen.ticket > queue.head.passed && !options_.order_waived;
    if (row.state == ticket::row::live && counts) fail("Q1", name + " was buried though it was written down");
    row.state = ticket::row::buried;
}

void checker::on(time_point, const ticket_deleted& seen) {
    const auto& queue = queues_[seen.queue];
    if (seen.ticket > queue.head.passed && !options_.order_waived) {
        fail("Q1", "the row of ticket " + std::to_string(seen.ticket) + " was deleted though it still counts");
    }
}

// ---- users -------------------------------------------------------------------------------------------------

void checker::on(time_point, const turn_given& seen) {
    auto& queue = queues_[seen.queue];
    const auto found = queue.tickets.find(seen.ticket);
    const auto name = "ticket " + std::to_string(seen.ticket);
    if (found == queue.tickets.end() || found->second.session != seen.session) {
        fail("P1", "a user got " + name + ", which was never issued to it");
        return;
    }
    auto& own = found->second;
    if (!own.granted && !options_.order_waived) fail("Q1", "a user got " + name + " before its turn came");
    if (own.given && !options_.tokens_waived) fail("Q2", name + " was given twice");
    own.given = own.held = true;
    handles_[seen.handle] = {seen.queue, seen.ticket};
}

void checker::on(time_point, const turn_let_go& seen) {
    const auto found = handles_.find(seen.handle);
    if (found == handles_.end()) return;
    const auto [queue, number] = found->second;
    queues_[queue].tickets.at(number).held = false;
    handles_.erase(found);
}

// ---- the fence ---------------------------------------------------------------------------------------------

void checker::on(time_point, const outside_written& seen) {
    auto& queue = queues_[seen.queue];
    if (!queue.tickets.contains(seen.ticket)) fail("P3", "a write with a token that was never issued was accepted");
    if (seen.ticket < queue.last_accepted) {
        fail("P3", "a write of an older turn was accepted after one of a newer turn");
    }
    queue.last_accepted = seen.ticket;
}

void checker::on(time_point, const fence_passed& seen) {
    if (options_.tokens_waived) return;
    const auto& queue = queues_[seen.queue];
    const auto found = queue.tickets.find(seen.ticket);
    const bool granted = found != queue.tickets.end() && found->second.granted;
    if (!granted || queue.head.passed >= seen.ticket) {
        fail("P3", "a fenced transaction of a turn that is over was carried out");
    }
}

}  // namespace dynalease::simulation::queues
