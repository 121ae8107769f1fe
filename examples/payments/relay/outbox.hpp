// The outbox as relays see it: events that wait to be sent, and events whose answer is out.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "payments/domain/payment_intent.hpp"
#include "payments/repositories/rows.hpp"

#include <dynalease/queue.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace payments {

class outbox {
public:
    explicit outbox(const tables& where) : tables_(where) {}

    struct due_page {
        std::vector<std::string> intents;  ///< each once
        dynalease::item_key last;          ///< where it ends; empty: there are no more
    };
    /// Intents with events in that stage that are due, the longest due first. An index shows it, which may be a moment
    /// behind: what is there is decided by `waiting`.
    /// @param after where the page before it ended; empty: the first page
    boost::asio::awaitable<due_page> intents_due(const char* stage, std::int32_t at_most,
                                                 dynalease::item_key after) const;
    /// The events of an intent in that stage that are due, in their order.
    boost::asio::awaitable<std::vector<dynalease::loaded<event_row>>> waiting(std::string intent,
                                                                              const char* stage) const;

    /// Puts an event into a stage, due so much later, if it is still as it was found, and only in the caller's turn.
    /// @returns whether it did: a copy of the answer may have been faster.
    boost::asio::awaitable<bool> move(dynalease::loaded<event_row> found, const char* stage,
                                      std::chrono::milliseconds due, const dynalease::queue_turn& turn) const;

    /// How many events are in that stage, due or not.
    boost::asio::awaitable<std::size_t> count(const char* stage) const;

private:
    const tables& tables_;
};

}  // namespace payments
