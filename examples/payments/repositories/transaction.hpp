// How both controls write: the intent, its events, the inbox and the request's answer in one transaction.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "payments/repositories/intent_repository.hpp"
#include "payments/repositories/rows.hpp"

#include <dynalease/versioned.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <string>

namespace payments {

/// When somebody is to look after an event that was written now.
struct event_times {
    /// The request that wrote it sends it itself, and is over by then; zero: it is to be sent at once, by a relay.
    std::chrono::milliseconds sent_by_request{0};
};

class intent_transaction {
public:
    intent_transaction(const tables& where, event_times times) : tables_(where), times_(times) {}

    boost::asio::awaitable<void> create(const payment_intent& made, ticket* request) const;

    /// @param base the intent as it was read; `base.value` as it is to be
    /// @param how what is demanded beside its version
    /// @returns the intent as it was left, to be saved again.
    boost::asio::awaitable<dynalease::loaded<intent_row>> save(dynalease::loaded<intent_row> base,
                                                               dynalease::save_options how, together_with more) const;

    /// @throws refused with `problem::not_found`.
    [[noreturn]] static void throw_not_found(const std::string& id);

private:
    const tables& tables_;
    event_times times_;
};

}  // namespace payments
