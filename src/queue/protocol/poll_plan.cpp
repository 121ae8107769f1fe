// The pace of looks at a queue.
// SPDX-License-Identifier: BSL-1.0
#include "queue/protocol/poll_plan.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace dynalease::protocol {

void poll_plan::plan(const line& seen, const limits& within, time_point now) {
    const auto ahead = std::max<std::int64_t>(1, seen.ahead);
    const auto processes_ahead = 1 + processes_of(ahead - 1);
    auto interval =
        next_poll({.ahead = ahead,
                   .processes_ahead = processes_ahead,
                   .processes = processes_ahead + processes_of(std::max<std::int64_t>(seen.living - ahead, 1)),
                   .pace = seen.pace,
                   .still = seen.still},
                  within.shortest, within.longest, within.unit);
    if (failed_ > 0) interval = std::max(interval, within.after_failures);
    look_due_ = now + interval;
}

void poll_plan::plan_sooner(const line& seen, const limits& within, time_point now) {
    const auto planned = look_due_;
    plan(seen, within, now);
    look_due_ = std::min(planned, look_due_);
}

void poll_plan::plan_after_survey(const line& seen, const limits& within, time_point now) {
    seen.pace.count() > 0 ? plan_sooner(seen, within, now) : plan(seen, within, now);
}

void poll_plan::begin(std::int64_t ahead, time_point now, std::chrono::nanoseconds patience) {
    tickets_ = processes_ = 0;
    surveys_ = failed_surveys_ = 0;
    survey_due_.reset();
    // Who waits for a moment only is to find out within it that all before him have given up.
    if (ahead > 1) survey_due_ = now + std::clamp<std::chrono::nanoseconds>(patience / 4, {}, survey_within);
}

void poll_plan::look_now(time_point now) {
    if (!survey_due_) look_due_ = now;
}

void poll_plan::looked(bool answered, bool has_moved) {
    failed_ = answered ? 0 : failed_ + 1;
    if (!has_moved) ++still_;
}

bool poll_plan::begin_poll(bool next_in_line, time_point now) {
    const bool survey_due = survey_due_ && now >= *survey_due_;
    if (survey_due) survey_due_.reset();
    if (next_in_line || (!survey_due && still_ < still_polls_per_examination)) return false;
    still_ = 0;
    if (!survey_due) look_due_ = time_point::max();  // the survey stands for it
    return true;
}

void poll_plan::surveyed(bool answered, time_point now) {
    if (!answered) {
        survey_again(now + survey_within * (1u << std::min(failed_surveys_++, 10u)));
        return;
    }
    failed_surveys_ = 0;
    ++surveys_;
}

void poll_plan::survey_again(time_point when) {
    survey_due_ = when;
}

void poll_plan::count_processes(const std::vector<seen_ticket>& rows, std::int64_t passed,
                                std::optional<std::int64_t> all) {
    std::unordered_set<std::string_view> sessions;
    tickets_ = 0;
    for (const auto& seen : rows) {
        // Whose turn it is does not look.
        const bool waits = seen.owner == owner_is::other && seen.row.from > passed + 1;
        if (!waits || seen.row.is_void) continue;
        sessions.insert(seen.row.session);
        ++tickets_;
    }
    processes_ = static_cast<std::int64_t>(sessions.size());
    // Nobody waits with the other tickets: they were never written down.
    if (all) tickets_ = std::max(tickets_, *all - 1);
}

// As many as the tickets, as long as nothing is known.
std::int64_t poll_plan::processes_of(std::int64_t tickets) const {
    if (tickets_ == 0) return tickets;
    return (tickets * processes_ + tickets_ - 1) / tickets_;
}

}  // namespace dynalease::protocol
