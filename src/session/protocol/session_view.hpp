// What the protocol of a lock knows of the session that it claims for.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "session/protocol/lease_times.hpp"
#include "session/protocol/session_tally.hpp"
#include "session/protocol/session_watch.hpp"

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/log.hpp>
#include <dynalease/runtime/time.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace dynalease::protocol {

class session_view {
public:
    virtual const std::string& id() const noexcept = 0;
    virtual const std::string& table() const noexcept = 0;
    /// How long a row stays that nobody uses.
    virtual std::chrono::hours retention() const noexcept = 0;
    /// How each grant is kept alive by itself; null where the session's row does it for all.
    virtual const plain_keeping* plain() const noexcept = 0;

    /// New grants are possible.
    virtual bool live() const noexcept = 0;
    /// Requests of this session still count: it is live, or closing.
    virtual bool may_write() const noexcept = 0;
    /// Why nothing can be acquired any more.
    virtual failure over_failure() const = 0;
    /// Nothing of it counts any more. @param why for the log, and for those who wait
    virtual void lose(const std::string& why) = 0;

    virtual time_point now() const noexcept = 0;
    virtual wall_time wall() const noexcept = 0;
    /// A uniform random number in [0, 1).
    virtual double unit() = 0;
    /// Never the same again.
    virtual std::int64_t next_attempt() noexcept = 0;
    /// What is known of another process's session; remembered from now on.
    virtual const session_watch& watch(std::string_view id) = 0;

    virtual session_tally& counters() noexcept = 0;
    virtual void log(severity level, const std::string& line) const = 0;

protected:
    ~session_view() = default;
};

}  // namespace dynalease::protocol
