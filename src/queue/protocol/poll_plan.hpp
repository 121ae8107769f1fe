// When a process looks at a queue for its lowest ticket, and when at the rows before that.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "queue/protocol/queue_decisions.hpp"
#include "queue/protocol/queue_times.hpp"

#include <dynalease/runtime/time.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace dynalease::protocol {

class poll_plan {
public:
    struct line {
        std::int64_t ahead;   ///< tickets before ours that are not known to be over, the present turn counted
        std::int64_t living;  ///< all such tickets
        std::chrono::nanoseconds pace;
        /// How long no turn has ended.
        std::chrono::nanoseconds still;
    };
    struct limits {
        std::chrono::nanoseconds shortest;
        std::chrono::nanoseconds longest;
        std::chrono::nanoseconds after_failures;  ///< no sooner while looks fail
        double unit;                              ///< a uniform random number in [0, 1)
    };

    time_point next() const noexcept {
        return survey_due_ && failed_ == 0 ? std::min(look_due_, *survey_due_) : look_due_;
    }
    unsigned failures() const noexcept { return failed_; }
    /// Of the rows before the lowest ticket, that were answered.
    unsigned surveys() const noexcept { return surveys_; }

    void plan(const line& seen, const limits& within, time_point now);
    /// The same, and no later than was planned before.
    void plan_sooner(const line& seen, const limits& within, time_point now);
    /// Where turns have a pace, the look that is due stays: some have ended since the last. Else a survey counts as
    /// one.
    void plan_after_survey(const line& seen, const limits& within, time_point now);
    /// Another ticket is the lowest: of those before it nothing is known, neither how many processes they are nor
    /// whether they live. To be planned for.
    /// @param patience how long its caller will wait
    void begin(std::int64_t ahead, time_point now, std::chrono::nanoseconds patience = std::chrono::nanoseconds::max());
    /// Where no survey tells soon, a newcomer looks at once.
    void look_now(time_point now);
    /// A turn was seen to end.
    void moved() noexcept { still_ = 0; }
    /// A look at the head has ended.
    void looked(bool answered, bool has_moved);
    /// @returns whether this is the time to look at the rows before a ticket that is not next in line: since that is
    /// due by itself, or in place of a look at the head, since the last ones saw nothing move. To be planned after.
    bool begin_poll(bool next_in_line, time_point now);
    /// Such a look has ended. Unanswered, it is made again, ever later: as long as nothing is known of those before us,
    /// each ticket counts as a process, and the look that is due then may be minutes away.
    void surveyed(bool answered, time_point now);
    /// After such a look: there may be more to find out then.
    void survey_again(time_point when);
    /// Who waits before our lowest ticket, by the rows that were read. @param all that there are: of `ahead` tickets no
    /// more than these have anybody who waits
    void count_processes(const std::vector<seen_ticket>& rows, std::int64_t passed, std::optional<std::int64_t> all);

private:
    std::int64_t processes_of(std::int64_t tickets) const;

    time_point look_due_{};
    unsigned failed_ = 0;
    unsigned still_ = 0;
    /// When the rows before us are to be looked at in any case: how many processes wait there, who of them has died.
    std::optional<time_point> survey_due_{};
    unsigned surveys_ = 0;
    unsigned failed_surveys_ = 0;  ///< in a row
    /// How many tickets were last seen to wait before ours, and of how many processes: who looks is a process.
    std::int64_t tickets_ = 0;
    std::int64_t processes_ = 0;
};

}  // namespace dynalease::protocol
