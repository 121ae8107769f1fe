// What the log is told of calls that fail.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/error.hpp>
#include <dynalease/log.hpp>
#include <dynalease/runtime/time.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

namespace dynalease::detail {

/// Of those that fail alike one a second: in an outage a thousand callers have the same to say.
class call_log {
public:
    explicit call_log(log_hook to) : to_(std::move(to)) {}

    /// What those that fail alike have in common.
    struct likeness {
        severity level;
        std::size_t operation;
        unsigned attempt;  ///< of the call; 0: all of them have failed
        int cause;
        auto operator<=>(const likeness&) const = default;
    };
    void tell(const likeness& of, dynalease::time_point now, const std::function<std::string()>& line);

private:
    struct told {
        dynalease::time_point at{};
        std::uint64_t left_out = 0;  ///< since then
    };
    log_hook to_;
    std::map<likeness, told> told_;
};

}  // namespace dynalease::detail
