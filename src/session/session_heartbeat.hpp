// What keeps a life of a session alive, and tells in time when that does not succeed.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "runtime/alarm.hpp"
#include "session/protocol/beat_ledger.hpp"
#include "session/protocol/session_words.hpp"

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/runtime/time.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <string>

namespace dynalease::detail {

class session_impl;

class session_heartbeat {
public:
    explicit session_heartbeat(session_impl& core);

    /// The session is live from now on.
    void begin();
    /// One heartbeat. @returns whether it, or a later one, was acknowledged while the lease lasted
    boost::asio::awaitable<bool> beat_once();
    /// The row is being closed: none is sent any more, and what becomes of the last tells nothing.
    void stop() noexcept;
    /// Nothing is sent any more.
    void session_ends();
    /// Why the lease has run out, in words.
    /// @param due when it was time to tell, at the latest
    std::string words_of_silence(dynalease::time_point due) const;

private:
    boost::asio::awaitable<void> beat(std::shared_ptr<session_impl> self);
    boost::asio::awaitable<void> watch_deadline(std::shared_ptr<session_impl> self);
    void tell_miss(const failure& why);

    session_impl& core_;
    protocol::beat_ledger beats_;
    runtime::alarm next_;
    runtime::alarm deadline_;
    bool stopped_ = false;
    protocol::heartbeat_silence silence_;
    /// What the log was told last of heartbeats without an answer, since one had any.
    struct told_miss {
        dynalease::time_point at;
        bool in_jeopardy;
    };
    std::optional<told_miss> miss_told_;
};

}  // namespace dynalease::detail
