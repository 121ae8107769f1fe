// Locks and items that nobody here uses at the moment, remembered for a while.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "runtime/alarm.hpp"
#include "session/session_member.hpp"

#include <dynalease/runtime/time.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <deque>
#include <memory>

namespace dynalease::detail {

class session_impl;

/// Two reasons to remember: the last token keeps a quick re-acquire at one request; and a failed try leaves a claim
/// whose every copy was refused, but of which the network may have made one more. That claim stays open, for the
/// next acquire to use, and is checked once no copy can land any more (the audit).
class idle_claims {
public:
    explicit idle_claims(session_impl& core);

    void remember(std::shared_ptr<claiming_member> front);
    /// Checks the member's claim after the late window.
    void audit_later(std::shared_ptr<claiming_member> front);
    void clear();

private:
    struct due_audit {
        std::shared_ptr<claiming_member> front;
        dynalease::time_point due;
    };
    static constexpr std::size_t capacity = 4096;

    /// An audit whose time has come, or that there is no room for.
    void take_up(due_audit audit, bool look_first);
    static boost::asio::awaitable<void> audit(std::shared_ptr<session_impl> core);

    session_impl& core_;
    std::deque<std::shared_ptr<claiming_member>> recent_;
    std::deque<due_audit> audits_;
    runtime::alarm alarm_;
    bool auditing_ = false;
};

}  // namespace dynalease::detail
