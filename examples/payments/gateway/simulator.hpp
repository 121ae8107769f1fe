// The gateway of the demonstration, as a service of its own: slow, forgetful, and idempotent by key.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "payments/gateway/answer_signature.hpp"
#include "payments/gateway/charge_book.hpp"
#include "payments/http/client.hpp"
#include "payments/http/message.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace payments {

/// How often what happens, as a share from 0 to 1, and how long it takes.
struct gateway_habits {
    double declines = 0.1;         ///< the customer's bank refuses
    double loses_orders = 0.03;    ///< never hears of the order, and does not answer
    double loses_answers = 0.05;   ///< charges, and never answers
    double repeats_answers = 0.1;  ///< delivers its outcome twice
    double is_late = 0.03;         ///< delivers its outcome long after
    std::chrono::milliseconds delay{20};
    std::chrono::milliseconds late{2'500};
    std::uint64_t seed = 1;
};

///     POST /charges        {"intent","customer","amount","currency"[,"callback"]}, Idempotency-Key
///                          with a callback 202, and the outcome, signed, to the server there; without one 200 with it
///     GET  /charges/KEY    the outcome, or 404
///     GET  /book           {"withdrawn","charges","double_charges"}
class gateway_simulator {
public:
    gateway_simulator(boost::asio::any_io_executor executor, gateway_habits habits, answer_signature signature)
        : executor_(std::move(executor)), habits_(habits), signature_(std::move(signature)), chance_(habits.seed) {}

    boost::asio::awaitable<web::reply> handle(const web::request& asked);

private:
    boost::asio::awaitable<web::reply> charge(const web::request& asked);
    web::reply book() const;
    boost::asio::awaitable<void> deliver(charge_answer outcome, std::uint16_t port, std::chrono::milliseconds after);
    boost::asio::awaitable<void> wait(std::chrono::milliseconds time);
    bool happens(double share) { return std::uniform_real_distribution<>()(chance_) < share; }
    web::client& line_to(std::uint16_t port);

    boost::asio::any_io_executor executor_;
    gateway_habits habits_;
    answer_signature signature_;
    std::mt19937_64 chance_;
    charge_book book_;
    std::map<std::uint16_t, std::unique_ptr<web::client>> lines_;
};

}  // namespace payments
