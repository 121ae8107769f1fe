// Sends what the outbox holds to the gateway, and asks the gateway about what it has not answered. Any number of
// processes do so at once.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "payments/gateway/gateway.hpp"
#include "payments/relay/due_intents.hpp"
#include "payments/relay/outbox.hpp"
#include "payments/repositories/intent_repository.hpp"

#include <dynalease/session.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace payments {

struct relay_options {
    std::chrono::milliseconds pause{100};            ///< after a round that found nothing
    std::chrono::milliseconds answer_within{3'000};  ///< for the gateway's answer; then it is asked
    std::chrono::milliseconds again_after{1'000};    ///< when the gateway could not be asked
    std::int32_t at_once = 25;                       ///< intents of one round
};

struct relay_counts {
    std::uint64_t sent = 0;        ///< events that the gateway has taken
    std::uint64_t unsent = 0;      ///< ... that got no answer, and are sent again
    std::uint64_t asked = 0;       ///< charges that the gateway was asked about
    std::uint64_t resolved = 0;    ///< ... and that were settled by its answer
    std::uint64_t sent_again = 0;  ///< ... of which it knew nothing
};

/// The events of one intent are sent in their order, by one relay at a time: whoever takes a turn in the queue of the
/// intent. Each is sent at least once: a relay that dies between sending it and writing that down leaves it to the
/// next, which gets the dead one's turns, all at once, when its lease is over.
class relay {
public:
    relay(const tables& where, dynalease::session& session, intent_repository& intents, gateway& bank,
          relay_options how)
        : tables_(where),
          outbox_(where),
          session_(session),
          intents_(intents),
          bank_(bank),
          how_(how),
          to_send_(outbox_, session, stage::to_send),
          to_ask_(outbox_, session, stage::sent) {}

    /// Sends what is due, of the next `at_once` intents. @returns how many events.
    boost::asio::awaitable<std::size_t> send_round();
    /// Asks about what was not answered in time, of as many. @returns how many charges.
    boost::asio::awaitable<std::size_t> ask_round();
    /// Both, for ever; until it is cancelled, or its session is lost.
    boost::asio::awaitable<void> run();

    const relay_counts& counts() const noexcept { return counts_; }

private:
    boost::asio::awaitable<std::size_t> send_of(std::string intent);
    boost::asio::awaitable<std::size_t> ask_of(std::string intent);

    const tables& tables_;
    outbox outbox_;
    dynalease::session& session_;
    intent_repository& intents_;
    gateway& bank_;
    relay_options how_;
    due_intents to_send_;
    due_intents to_ask_;
    relay_counts counts_;
};

}  // namespace payments
