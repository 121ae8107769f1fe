// The turns as they came, and the verdict.
// SPDX-License-Identifier: BSL-1.0
#include "ticket_queue/order_table.hpp"

#include "support/json_line.hpp"
#include "ticket_queue/settings.hpp"

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <stdexcept>

namespace tickets {

namespace {
std::chrono::milliseconds between(instant from, instant to) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(to - from);
}
}  // namespace

std::string clerk_name(std::size_t clerk) {
    return "clerk-" + std::to_string(clerk + 1);
}

turn_row& order_table::row_of(std::int64_t ticket) {
    const auto found =
        std::find_if(turns_.begin(), turns_.end(), [ticket](const turn_row& row) { return row.ticket == ticket; });
    if (found == turns_.end()) throw std::runtime_error("a clerk speaks of a turn that it never had");
    return *found;
}

void order_table::take(std::size_t clerk, const std::string& line, instant now) {
    std::istringstream words(line);
    std::string event;
    std::int64_t ticket = 0;
    words >> event >> ticket;
    if (event == "enters") {
        entered_[clerk] = now;
    } else if (event == "turn") {
        turn_row row{.ticket = ticket, .clerk = clerk_name(clerk), .waited = between(entered_[clerk], now)};
        words >> row.before;
        if (ended_ != instant{}) row.handed = between(ended_, now);
        tickets_[clerk] = ticket;
        turns_.push_back(std::move(row));
    } else if (event == "changed") {
        row_of(ticket).changed = true;
        ended_ = now;
    } else if (event == "stays") {
        staying_ = ticket;
    } else if (event == "done") {
        ++done_;
    } else {
        throw std::runtime_error(clerk_name(clerk) + ": " + line);
    }
}

void order_table::killed(std::size_t clerk, instant now) {
    row_of(tickets_[clerk]).killed = true;
    ended_ = now;
}

std::size_t order_table::changes() const {
    return static_cast<std::size_t>(
        std::count_if(turns_.begin(), turns_.end(), [](const turn_row& row) { return row.changed; }));
}

bool order_table::report(const std::vector<std::int64_t>& history) const {
    std::printf("\nThe turns, in the order in which they came\n  %-15s %-8s %14s %10s %22s\n", "ticket", "clerk",
                "before it", "waited", "after the one before");
    std::vector<std::int64_t> changes;
    std::vector<std::chrono::milliseconds> hand_overs;
    bool in_order = true;
    std::int64_t last = 0;
    std::chrono::milliseconds after_the_dead{};
    bool behind_dead = false;
    for (const auto& row : turns_) {
        std::printf("  %-15ld %-8s %14zu %7ld ms %19ld ms%s\n", static_cast<long>(row.ticket), row.clerk.c_str(),
                    row.before, static_cast<long>(row.waited.count()), static_cast<long>(row.handed.count()),
                    row.killed ? "   killed in its turn" : "");
        in_order = in_order && row.ticket > last;
        last = row.ticket;
        if (row.changed) changes.push_back(row.ticket);
        if (behind_dead) {
            after_the_dead = row.handed;
        } else if (row.handed.count() > 0) {
            hand_overs.push_back(row.handed);
        }
        behind_dead = row.killed;
    }
    std::sort(hand_overs.begin(), hand_overs.end());
    const auto median = hand_overs.empty() ? std::chrono::milliseconds{} : hand_overs[hand_overs.size() / 2];
    const bool ok = in_order && after_the_dead.count() > 0 && history == changes;
    std::printf("\n  tickets in order, none twice       %s\n", in_order ? "yes" : "NO");
    std::printf("  the order lists the same tickets   %s (%zu)\n", history == changes ? "yes" : "NO", history.size());
    std::printf("  from turn to turn                  median %ld ms, between processes\n",
                static_cast<long>(median.count()));
    std::printf("  after kill -9 in a turn            %ld ms until the next had it (lease %ld ms)\n\n",
                static_cast<long>(after_the_dead.count()), static_cast<long>(lease.count()));
    support::json_line()
        .add("demo", "ticket_queue")
        .add("ok", ok)
        .add("turns", turns_.size())
        .add("changes", history.size())
        .add("handoff_ms", median.count())
        .add("after_kill_ms", after_the_dead.count())
        .print();
    return ok;
}

}  // namespace tickets
