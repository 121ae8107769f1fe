// The sessions of one process, of all its lives, as its network shows them.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/lease_watch.hpp"

#include <dynalease/testing/faulty_database.hpp>

#include <map>
#include <string>

namespace dynalease::simulation {

/// All times are the node's own.
class session_watches {
public:
    session_watches(std::chrono::nanoseconds lease, std::chrono::nanoseconds period, std::int64_t drift_ppm)
        : lease_(lease), period_(period), drift_ppm_(drift_ppm) {}

    void sent(const testing::logged_request& entry, const any_request& request, time_point now);
    void answered(const testing::logged_request& entry, const any_request& request, const result<any_response>& answer,
                  time_point now);

    /// Null: its creation was never sent.
    const lease_watch* of(const std::string& session) const;
    /// The session whose heartbeat this is; null if it is none.
    const lease_watch* beating(const testing::logged_request& entry, const any_request& request) const;
    /// Who claims something by a write, or gives it back; empty: it is another request, or does not say.
    static std::string writer_of(const any_request& request);
    /// What is wrong with a heartbeat that leaves now; empty if nothing.
    /// @param undisturbed since when nothing has kept the process from running.
    static std::string check_heartbeat(const testing::logged_request& entry, const lease_watch& of, time_point now,
                                       time_point undisturbed);

private:
    const std::chrono::nanoseconds lease_;
    const std::chrono::nanoseconds period_;
    const std::int64_t drift_ppm_;
    std::map<std::string, lease_watch> by_session_;
};

}  // namespace dynalease::simulation
