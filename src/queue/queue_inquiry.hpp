// Asking whether anybody lives who has a ticket: for those who wait only until that is known.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "queue/queue_entrant.hpp"
#include "queue/queue_view.hpp"
#include "queue/queue_watch.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>
#include <vector>

namespace dynalease::detail {

class queue_inquiry {
public:
    queue_inquiry(session_impl& core, queue_view& view, queue_watch& watch, const queue_options& options) noexcept
        : core_(core), view_(view), watch_(watch), options_(options) {}

    /// @returns whether nobody does, so that it may try again; else it was told
    boost::asio::awaitable<bool> nobody_lives(std::shared_ptr<queue_entrant> who);

private:
    protocol::ask_step decide(queue_entrant& who, const std::vector<protocol::seen_ticket>& line);
    const std::string* first_of_others(const std::vector<protocol::seen_ticket>& line) const;

    session_impl& core_;
    queue_view& view_;
    queue_watch& watch_;
    const queue_options& options_;
};

}  // namespace dynalease::detail
