// The lives of a session before the present one: their rows may still say that they live, and some of what they held
// may be on its way back.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "runtime/gate.hpp"
#include "session/session_member.hpp"

#include <dynalease/runtime/time.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>
#include <vector>

namespace dynalease::detail {

class session_impl;

/// What they held is nobody's, by our own clock. Without a word others would find that out a lease after they first
/// looked, and the rows would stay for ever.
class former_lives {
public:
    /// What was on its way back when a life was lost, and of which nothing was told yet.
    using leaving_grants = std::vector<std::weak_ptr<pending_release>>;

    former_lives(session_impl& core, std::vector<std::string> ids, leaving_grants leaving);

    const std::vector<std::string>& ids() const noexcept { return ids_; }
    const leaving_grants& leaving() const noexcept { return leaving_; }
    /// Those of them that are on their way still.
    std::vector<std::shared_ptr<pending_release>> grants() const;
    /// Those, and of the present life's the same.
    void keep(const std::vector<std::shared_ptr<pending_release>>& present);
    /// Another has ended, though its row may say otherwise.
    void add(std::string id) { ids_.push_back(std::move(id)); }
    /// The present one has ended, and its row is not, or no longer, ours to close.
    void leave_present() noexcept { present_left_ = true; }
    /// A row may still say that one of them lives, or the present one that has ended.
    bool any_left() const noexcept { return present_left_ || !ids_.empty(); }

    /// Begins to close their rows, once each, beside all else.
    void begin_close();
    /// The same until it is done, at `until` at the latest.
    boost::asio::awaitable<void> close(dynalease::time_point until);

private:
    /// @param self keeps the session
    static boost::asio::awaitable<void> run(std::shared_ptr<session_impl> self, dynalease::time_point until);
    /// @returns whether what is left may be closed by another try
    boost::asio::awaitable<bool> close_each(dynalease::time_point until);

    session_impl& core_;
    std::vector<std::string> ids_;
    leaving_grants leaving_;
    bool present_left_ = false;
    runtime::gate closing_;
};

}  // namespace dynalease::detail
