// How a session's row comes to be: what follows from each answer to the request that makes it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "session/protocol/lease_times.hpp"

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/runtime/time.hpp>

#include <optional>
#include <string>
#include <utility>

namespace dynalease::protocol {

/// The request that makes a session's row, from its first copy until its fate is known: perhaps over several openings,
/// of which each but the last was given up.
class session_creation {
public:
    enum class step {
        live,    ///< the row stands there and is ours
        rename,  ///< another has that id: begin again under a new one
        again,   ///< the same request, after a pause
        fail,    ///< asking again would not help
    };

    /// @param name of the request, and of all its copies; no other has it
    explicit session_creation(std::string name) : name_(std::move(name)) {}

    /// An opening begins.
    void begin(time_point now, const lease_times& times);
    /// A copy leaves.
    void sends(time_point now);
    /// ... and is answered so. @param why null: it was applied
    step judge(const failure* why, time_point now);
    /// The row stands there, but by its age nothing could be held under it, and the heartbeat that was to renew it has
    /// not been acknowledged, either.
    void note_stale() noexcept;
    void rename(std::string name);

    const std::string& name() const noexcept { return name_; }
    /// From which the lease counts, for a watcher may have seen the row since then.
    time_point first_sent() const { return *first_sent_; }
    /// A copy has had no answer: the row may stand there, or may yet.
    bool in_doubt() const noexcept { return in_doubt_; }
    /// After the last answer: the client has tried several times already. Where nobody is, more of it helps nobody who
    /// has no time.
    bool fruitless() const noexcept { return fruitless_; }
    /// How many asked for another copy.
    unsigned failures() const noexcept { return failures_; }

private:
    time_point give_up_at_{};
    std::string name_;
    std::optional<time_point> first_sent_;  ///< under this id
    bool in_doubt_ = false;
    bool fruitless_ = false;
    unsigned failures_ = 0;
};

}  // namespace dynalease::protocol
