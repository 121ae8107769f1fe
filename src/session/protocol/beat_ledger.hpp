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
    explicit beat_ledger(std::int64_t first = 1) : last_(first) {}

    beat next(time_point now);
    /// When the beat with that number left; null if it is none of ours, or too old to matter.
    const beat* find(std::int64_t number) const;
    /// @param why null: it was applied
    beat_answer judge(const beat& sent, const failure* why) const;

private:
    static constexpr std::size_t remembered = 16;
    std::int64_t last_;
    std::vector<beat> sent_;
};

}  // namespace dynalease::protocol
