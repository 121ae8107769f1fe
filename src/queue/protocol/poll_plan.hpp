// When a process looks at a queue for its lowest ticket, and when at the rows before that.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "queue/protocol/queue_decisions.hpp"
#include "queue/protocol/queue_times.hpp"

#include <dynalease/runtime/time.hpp>

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
        time_point moved_at;  ///< when a turn was last seen to end
    };
    struct limits {
        std::chrono::nanoseconds shortest;
        std::chrono::nanoseconds longest;
        std::chrono::nanoseconds after_failures;  ///< no sooner while looks fail
        double unit;                              ///< a uniform random number in [0, 1)
    };

    time_point next() const noexcept { return next_; }
    unsigned failures() const noexcept { return failed_; }
    /// Of the rows before the lowest ticket.
    unsigned surveys() const noexcept { return surveys_; }

    void plan(const line& seen, const limits& within, time_point now);
    /// The same, and no later than was planned before.
    void plan_sooner(const line& seen, const limits& within, time_point now);
    /// Another ticket is the lowest: of those before it nothing is known, neither how many processes they are nor
    /// whether they live. To be planned for.
    void begin(std::int64_t ahead, time_point now);
    /// Where no survey tells soon, a newcomer looks at once.
    void look_now(time_point now);
    /// A turn was seen to end.
    void moved() noexcept { still_ = 0; }
    /// A look at the head has ended.
    void looked(bool answered, bool has_moved);
    /// @returns whether this is the time to look at the rows before a ticket that is not next in line
    bool begin_poll(bool next_in_line, time_point now);
    /// After such a look: there may be more to find out then.
    void survey_again(time_point when);
    /// Who waits before our lowest ticket, by the rows that were read. @param all that there are: of `ahead` tickets no
    /// more than these have anybody who waits
    void count_processes(const std::vector<seen_ticket>& rows, std::int64_t passed, std::optional<std::int64_t> all);

private:
    std::int64_t processes_of(std::int64_t tickets) const;

    time_point next_{};
    unsigned failed_ = 0;
    unsigned still_ = 0;
    /// When the rows before us are to be looked at in any case: how many processes wait there, who of them has died.
    std::optional<time_point> survey_due_{};
    unsigned surveys_ = 0;
    /// How many tickets were last seen to wait before ours, and of how many processes: who looks is a process.
    std::int64_t tickets_ = 0;
    std::int64_t processes_ = 0;
};

}  // namespace dynalease::protocol
