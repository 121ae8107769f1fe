// A history put in order: who was granted what, and what each grant claimed.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "torture/event.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace torture {

/// One grant as its holder told of it.
struct grant {
    std::string who{};
    std::int64_t task = 0;
    std::string name{};
    std::string session{};
    std::int64_t token = 0;
    instant session_since{};  ///< when its session was first heard of
    instant asked{};
    instant granted{};
    std::optional<instant>
        from{};       ///< first moment at which the guard is known to have said "valid"; none: it never did
    instant until{};  ///< the last one
    std::optional<instant> releasing{};
    bool told_done = false;  ///< its holder was told that it has given it back
};

struct interval {
    instant from{};
    instant until{};
    bool holds(instant moment) const noexcept { return from < moment && moment <= until; }
};

/// Somebody who waits for a lock.
struct waiting {
    std::string who{};
    interval during{};
    bool ended = false;  ///< by a grant, by giving up, or with the process
};

struct case_file {
    explicit case_file(std::vector<event> history);

    std::vector<event> history;                         ///< by time
    std::map<std::string, std::vector<grant>> grants;   ///< by name; each by its first valid moment, or its grant
    std::map<std::string, std::vector<waiting>> waits;  ///< by name
    std::vector<instant> losses;                        ///< when the table was lost
    instant begin{};
    instant end{};

    /// Whether the table was lost after `from` and until `until`.
    bool lost_table_in(instant from, instant until) const;
};

struct violation {
    std::string promise{};  ///< "P2"
    std::string words{};
    instant around{};
    std::string name{};  ///< of the lock; empty: not of one lock
    std::string who{};
};

}  // namespace torture
