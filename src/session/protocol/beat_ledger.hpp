// The heartbeats of a session that were sent lately, and what each answer proves of them.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/runtime/time.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::protocol {

/// What an answer to a heartbeat shows.
struct beat_answer {
    std::optional<time_point> landed{};  ///< when one of ours was sent that has landed
    std::string over{};                  ///< why the session is over; empty: it is not, as far as is known
    bool row_stands = false;             ///< ... though its row says that it lives
    bool missed = false;                 ///< nothing is known of what became of it
};

/// Each send has a number of its own, so that a row can prove which one landed.
class beat_ledger {
public:
    struct beat {
        std::int64_t number;
        time_point sent;
    };

    /// @param first the number that the row was created with.
    explicit beat_ledger(std::int64_t first = 1) : last_(first), landed_(first) {}

    beat next(time_point now);
    /// When the beat with that number left; null if it is none of ours, or too old to matter.
    const beat* find(std::int64_t number) const;
    /// It was applied. @param former the number in the row before it; empty: that is not known
    beat_answer judge_applied(const beat& sent, std::optional<std::int64_t> former);
    beat_answer judge_failed(const failure& why);

private:
    static constexpr std::size_t remembered = 16;
    std::int64_t last_;
    std::int64_t landed_;  ///< the greatest that is known to have
    std::vector<beat> sent_;
};

}  // namespace dynalease::protocol
