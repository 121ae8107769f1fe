// The front end: which request is which use case, and which refusal is which status.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "payments/gateway/answer_signature.hpp"
#include "payments/gateway/gateway.hpp"
#include "payments/http/message.hpp"
#include "payments/repositories/intent_repository.hpp"
#include "payments/repositories/request_store.hpp"

#include <dynalease/runtime/time.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace payments::web {

///     POST  /payment_intents             {"customer","amount","currency"}     201
///     GET   /payment_intents/ID                                               200
///     PATCH /payment_intents/ID          {"amount"}                           200
///     POST  /payment_intents/ID/charge                                        200, or 202: the outcome comes later
///     POST  /gateway/answers             an outcome, from the gateway         200, or 401: its signature is not good
///
/// All but the second and the last take an Idempotency-Key. Errors are {"error":{"code","message"}}.
class front {
public:
    struct uses {
        intent_repository& intents;
        request_store& requests;
        gateway& bank;
        std::function<std::string()> new_id;  ///< of an intent
        answer_signature from_gateway;
        std::shared_ptr<dynalease::clock> clock;
    };
    explicit front(uses with) : with_(std::move(with)) {}

    /// @returns an answer in any case; 404 for what is no path of ours.
    boost::asio::awaitable<reply> handle(const request& asked);

    /// Answers by route and status, and refusals by their reason.
    struct counts {
        std::map<std::pair<std::string, int>, std::uint64_t> answers;
        std::map<std::string, std::uint64_t> refusals;
    };
    const counts& counted() const noexcept { return counts_; }

private:
    struct route;
    static route route_of(const request& asked);
    boost::asio::awaitable<reply> carry_out(const request& asked, const route& to);
    boost::asio::awaitable<reply> create(const request& asked);
    boost::asio::awaitable<reply> get(std::string id);
    boost::asio::awaitable<reply> change(const request& asked, std::string id);
    boost::asio::awaitable<reply> charge_one(const request& asked, std::string id);
    boost::asio::awaitable<reply> receive(const request& asked);

    uses with_;
    counts counts_;
};

}  // namespace payments::web
