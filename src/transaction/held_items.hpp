// Items that a transaction has locked before its body runs, so that nobody changes what it reads.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "transaction/errand_driver.hpp"
#include "transaction/protocol/coordinator.hpp"
#include "transaction/transactions_impl.hpp"

#include <dynalease/dynamodb/failure.hpp>

#include <boost/asio/awaitable.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::detail {

/// Given back, if it is let go of before it was committed.
class held_items {
public:
    using driver = errand_driver<protocol::coordinator>;

    /// Waits for those who hold them, by the rules of all transactions; what is not there is not held.
    static boost::asio::awaitable<result<std::shared_ptr<held_items>>> take(std::shared_ptr<open_transaction> of,
                                                                            std::vector<placed_key> places);

    held_items(std::shared_ptr<transactions_impl> core, std::shared_ptr<driver> run)
        : core_(std::move(core)), run_(std::move(run)) {}
    held_items(const held_items&) = delete;
    held_items& operator=(const held_items&) = delete;
    ~held_items();

    /// As it is, until it is committed or given back. Empty: it is not held. From any thread.
    std::optional<stored_item> find(const std::string& table, const item_key& key) const;

    /// Writes what is wanted, and gives all items back. @returns why it did not happen, or may not have
    static boost::asio::awaitable<std::optional<failure>> commit(std::shared_ptr<held_items> self,
                                                                 protocol::transaction_plan wanted,
                                                                 time_point deadline);

private:
    std::shared_ptr<transactions_impl> core_;
    std::shared_ptr<driver> run_;
    std::map<std::string, stored_item> sights_;
};

}  // namespace dynalease::detail
