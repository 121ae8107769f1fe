// What programs cost whose users want nothing.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/runtime/time.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace dynalease::simulation {

/// From its making on. @tparam Process a `watched_process`
template <class Process>
class idle_costs {
public:
    explicit idle_costs(const std::vector<std::unique_ptr<Process>>& processes) : processes_(processes) {
        for (const auto& each : processes) began_.push_back({each->sent_so_far(), each->clock_now()});
    }

    /// What one of them has sent beyond the heartbeats of its session, and beyond what it looks up once after lost
    /// answers; empty: nothing. @param looks one for each row that it ever wanted
    std::string excess(std::uint64_t looks) const {
        for (std::size_t i = 0; i < processes_.size(); ++i) {
            const auto& each = *processes_[i];
            if (!each.live()) continue;
            const auto beats = static_cast<std::int64_t>(each.sent_so_far().beats - began_[i].sent.beats);
            const auto due = each.watch() ? (each.clock_now() - began_[i].at) / each.watch()->period() + 1 : 0;
            if (beats > due) {
                return each.name() + " sent " + std::to_string(beats) + " heartbeats for " + std::to_string(due);
            }
            const auto others = each.sent_so_far().others - began_[i].sent.others;
            if (others > looks) {
                return each.name() + " sent " + std::to_string(others) + " requests for what nobody wants";
            }
        }
        return {};
    }

private:
    struct start {
        typename Process::sent_count sent;
        time_point at;
    };

    const std::vector<std::unique_ptr<Process>>& processes_;
    std::vector<start> began_;
};

}  // namespace dynalease::simulation
