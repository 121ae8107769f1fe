// What one session has told of its grants, held against what it promises to tell.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/session.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

namespace dynalease::simulation {

class grant_ledger {
public:
    /// It may be called for longer than the session lasts.
    static grant_hook hook_of(const std::shared_ptr<grant_ledger>& ledger) {
        return [ledger](const grant_report& seen) { ledger->note(seen); };
    }

    /// While nobody waits for anything, and nothing is held. @returns what is wrong; empty: nothing
    std::string fault(const session_counters& counters) const {
        if (!odd_.empty()) return odd_;
        if (waits_ < counters.waits_granted.count() + counters.waits_in_vain.count()) return "a wait as untold";
        for (const auto& [id, now] : grants_) {
            if (now == stage::held) return "the end of a grant as untold";
        }
        return {};
    }

private:
    enum class stage { unknown, held, over };

    void note(const grant_report& seen) {
        auto& now = grants_[seen.id];
        if (now != (seen.of_wait() ? stage::unknown : stage::held)) odd_ = "a grant as told out of its order, or twice";
        if (seen.took.count() < 0) odd_ = "a time below zero as told";
        if (seen.of_wait()) ++waits_;
        now = seen.what == grant_event::granted ? stage::held : stage::over;
    }

    std::unordered_map<std::uint64_t, stage> grants_;  ///< by the id of their reports
    std::uint64_t waits_ = 0;
    std::string odd_;
};

}  // namespace dynalease::simulation
