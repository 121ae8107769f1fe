// What the hooks are told of one grant: that it was asked for, and that it has ended.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "session/grant_hooks.hpp"

#include <dynalease/grant_report.hpp>
#include <dynalease/runtime/clock.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace dynalease::detail {

class session_lives;

/// What is asked for, in the words of the verb that asks.
struct asked_words {
    std::string_view verb;
    std::string name;
    std::string table;
};

/// Made where somebody listens, when the verb is called, on any thread; all else on the database's executor.
class grant_reporter {
public:
    /// @param lives whose log is told of a hook that throws; null: nobody is
    grant_reporter(std::shared_ptr<const grant_hooks> hooks, std::shared_ptr<session_lives> lives, const clock& time,
                   asked_words what);

    /// That were sent for it.
    unsigned requests = 0;

    /// @param token of what was granted
    void granted(dynalease::time_point now, std::int64_t token);
    void not_granted(dynalease::time_point now, error_code why, const diagnostics& details);
    /// What was granted.
    struct holding {
        dynalease::time_point began;
        dynalease::time_point end;
        grant_event how;
        error_code code;
    };
    void ended(const holding& held);

private:
    grant_report begin(grant_event what, dynalease::time_point from, dynalease::time_point to) const;
    void tell(const grant_report& seen) const noexcept;
    void tell_thrown(const std::string& words) const noexcept;

    const std::shared_ptr<const grant_hooks> hooks_;
    const std::shared_ptr<session_lives> lives_;
    const std::uint64_t id_;
    const asked_words what_;
    const wall_time began_;
    const dynalease::time_point came_;
    std::int64_t token_ = 0;
};

}  // namespace dynalease::detail
