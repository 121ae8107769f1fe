// Requests that are to happen once: what came under which Idempotency-Key, and what was answered.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "payments/repositories/rows.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <string>

namespace payments {

/// A request that is being worked on. Its version is the claim: whoever takes it over raises that, and from then on the
/// first can write nothing under it any more.
struct ticket {
    std::string key;
    dynalease::loaded<request_row> row;
    bool answered = false;
};

/// What a request meets: its own ticket, or the answer that was given before.
struct admission {
    std::unique_ptr<ticket> begun{};
    std::optional<intent_data> answer{};
};

class request_store {
public:
    /// @param patience after which a request that has no answer is taken for dead: longer than any may run.
    request_store(const tables& where, std::chrono::milliseconds patience) : tables_(where), patience_(patience) {}

    /// @throws refused with `problem::payload_differs`, `in_progress`, or what was answered for good before.
    boost::asio::awaitable<admission> admit(std::string key, std::string fingerprint);
    /// Keeps the answer to a request that wrote nothing else.
    boost::asio::awaitable<void> answer(ticket& request, intent_data result);
    /// Keeps why it was refused for good; or forgets it, so that it may be tried again at once.
    boost::asio::awaitable<void> fail(ticket& request, std::exception_ptr why);

    /// The row as it is to be when the request is answered, for those who write it together with the change.
    static dynalease::loaded<request_row> answered(const ticket& request, const intent_data& result);

private:
    boost::asio::awaitable<admission> take_over(std::string key, dynalease::loaded<request_row> found);

    const tables& tables_;
    std::chrono::milliseconds patience_;
};

}  // namespace payments
