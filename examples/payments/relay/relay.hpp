// Sends what the outbox holds to the gateway, and asks the gateway about what it has not answered. Any number of
// processes do so at once.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "payments/gateway/gateway.hpp"
#include "payments/relay/outbox.hpp"
#include "payments/repositories/intent_repository.hpp"

#include <dynalease/queue.hpp>
#include <dynalease/session.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

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

/// The queues of the intents that one kind of round meets. A queue that was found busy is kept from round to round:
/// that its holder is dead shows only to who goes on looking.
class queues_of_intents {
public:
    explicit queues_of_intents(dynalease::session& session) : session_(session) {}

    dynalease::queue& of(const std::string& intent);
    /// Forgets those of other intents.
    void keep(const std::vector<std::string>& intents);

private:
    dynalease::session& session_;
    std::map<std::string, dynalease::queue, std::less<>> queues_;
};

/// The events of one intent are sent in their order, by one relay at a time: whoever takes a turn in the queue of the
/// intent. Each is sent at least once: a relay that dies between sending it and writing that down leaves it to the
/// next.
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
          to_send_(session),
          to_ask_(session) {}

    /// Sends what is due. @returns how many events.
    boost::asio::awaitable<std::size_t> send_round();
    /// Asks about what was not answered in time. @returns how many charges.
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
    queues_of_intents to_send_;
    queues_of_intents to_ask_;
    relay_counts counts_;
};

}  // namespace payments
