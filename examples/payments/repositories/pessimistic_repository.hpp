// Intents that are locked, each by a lock on its own item, from the moment they are opened until the work is done.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "payments/repositories/transaction.hpp"

#include <dynalease/session.hpp>

#include <chrono>

namespace payments {

struct locking {
    /// For others who have the intent; then `problem::busy`. Shorter than a request may take.
    std::chrono::milliseconds wait{500};
    /// After which a charge that this process began and never ended is looked after: longer than a request may take.
    std::chrono::milliseconds left_alone{8'000};
};

/// Every write is fenced: its condition is that this very lock is still ours, so a process that was paused beyond its
/// lease writes nothing, and its release frees nobody else's lock. That the version is as it was when the lock was
/// taken is demanded too, and keeps those off who write without a lock.
class pessimistic_repository final : public intent_repository {
public:
    pessimistic_repository(const tables& where, dynalease::session& session, locking how)
        : tables_(where), session_(session), how_(how), transaction_(where, {.sent_by_request = how.left_alone}) {}

    payments::control control() const noexcept override { return control::pessimistic; }
    boost::asio::awaitable<void> create(payment_intent made, ticket* request) override;
    boost::asio::awaitable<intent_data> get(std::string id) override;
    boost::asio::awaitable<std::unique_ptr<unit_of_work>> open(std::string id) override;

private:
    const tables& tables_;
    dynalease::session& session_;
    locking how_;
    intent_transaction transaction_;
};

}  // namespace payments
