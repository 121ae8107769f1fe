// Where intents are kept. Which concurrency control guards them is its affair: a business operation opens an intent,
// changes it, and saves it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "payments/domain/payment_intent.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/describe/enum.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace payments {

struct ticket;

enum class control {
    none,         ///< whoever writes last wins: what goes wrong without any
    optimistic,   ///< a version tells that somebody else wrote meanwhile; nobody waits
    pessimistic,  ///< the item is locked while a business operation is at it; others wait, or are told
};
BOOST_DESCRIBE_ENUM(control, none, optimistic, pessimistic)

/// What is written together with an intent, or not at all.
struct together_with {
    std::vector<event> events{};              ///< new rows of the outbox
    std::optional<std::int64_t> answered{};   ///< the number of the event that waits for nothing any more
    std::optional<charge_answer> received{};  ///< a new row of the inbox
    ticket* request = nullptr;                ///< the request that this answers; empty: one without a key
};

/// One intent, while one business operation is at it.
class unit_of_work {
public:
    explicit unit_of_work(payment_intent of) : intent_(std::move(of)) {}
    unit_of_work(const unit_of_work&) = delete;
    unit_of_work& operator=(const unit_of_work&) = delete;
    /// Gives back, in the background, what is held.
    virtual ~unit_of_work() = default;

    payment_intent& intent() noexcept { return intent_; }

    /// Writes the intent as it is now and what goes together with it, in one transaction. Can be done again.
    /// @throws refused with `problem::conflict`, `busy`, `lost`, `already_received` or `unknown`; `in_progress` if
    /// another took the request over.
    virtual boost::asio::awaitable<void> save(together_with more) = 0;
    /// Gives back what is held. @throws dynalease::error
    virtual boost::asio::awaitable<void> end() = 0;

private:
    payment_intent intent_;
};

class intent_repository {
public:
    intent_repository() = default;
    intent_repository(const intent_repository&) = delete;
    intent_repository& operator=(const intent_repository&) = delete;
    virtual ~intent_repository() = default;

    virtual payments::control control() const noexcept = 0;
    virtual boost::asio::awaitable<void> create(payment_intent made, ticket* request) = 0;
    /// To look at: it may be a moment old. @throws refused with `problem::not_found`.
    virtual boost::asio::awaitable<intent_data> get(std::string id) = 0;
    /// To change. @throws refused with `problem::not_found` or `busy`.
    virtual boost::asio::awaitable<std::unique_ptr<unit_of_work>> open(std::string id) = 0;
};

}  // namespace payments
