// What a hook was told of grants, kept.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/grant_report.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dynalease::tests {

struct grant_note {
    grant_event what;
    std::uint64_t id;
    std::string verb;
    std::string name;
    std::string table;
    wall_time began;
    std::chrono::nanoseconds took;
    std::int64_t token;
    unsigned requests;
    error_code code;
    std::string words;  ///< of a failure
};

/// Outlives what it listens to.
class grant_notes {
public:
    grant_hook hook() {
        return [this](const grant_report& seen) {
            told.push_back({seen.what, seen.id, std::string(seen.verb), std::string(seen.name), std::string(seen.table),
                            seen.began, seen.took, seen.fencing_token, seen.requests, seen.code,
                            seen.fault ? seen.fault->message : std::string()});
        };
    }

    std::vector<grant_event> events() const {
        std::vector<grant_event> all;
        for (const auto& each : told) all.push_back(each.what);
        return all;
    }
    std::size_t count(bool (*which)(grant_event)) const {
        return static_cast<std::size_t>(std::ranges::count_if(told, which, &grant_note::what));
    }
    std::size_t waits() const {
        return count([](auto what) { return what == grant_event::granted || what == grant_event::not_granted; });
    }
    std::size_t grants() const {
        return count([](auto what) { return what == grant_event::granted; });
    }
    /// What has ended was granted before, and once.
    bool fits() const {
        std::map<std::uint64_t, int> stage;  // 1: it is held, 2: over
        return std::ranges::all_of(told, [&](const auto& each) {
            auto& now = stage[each.id];
            const bool wait = each.what == grant_event::granted || each.what == grant_event::not_granted;
            if (now != (wait ? 0 : 1)) return false;
            now = each.what == grant_event::granted ? 1 : 2;
            return true;
        });
    }

    std::vector<grant_note> told;
};

}  // namespace dynalease::tests
