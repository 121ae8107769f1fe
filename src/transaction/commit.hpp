// Carrying a transaction to its end.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "transaction/protocol/planned_writes.hpp"
#include "transaction/transactions_impl.hpp"

#include <dynalease/dynamodb/failure.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <string>

namespace dynalease::detail {

/// Commits what the body has read and written. @returns why it did not happen, or may not have
boost::asio::awaitable<std::optional<failure>> commit(std::shared_ptr<open_transaction> of);

/// The items in the order that all who wait for them, while they hold others, have in common.
void sort_by_name(protocol::transaction_plan& plan);

transaction_state state_of(protocol::header_state state);

struct ended_transaction {
    transaction_state state;
    bool is_complete = true;  ///< else some of its items could not be given back
    bool freed_some = false;  ///< some item was held still
};

/// Brings a transaction that another process has begun to its end. @param carries_on to its commit, if it is not
/// decided; else back. @param self its row as just read
boost::asio::awaitable<result<ended_transaction>> end_transaction(std::shared_ptr<transactions_impl> core,
                                                                  protocol::transaction_header self, bool carries_on);
/// The same, by its id.
boost::asio::awaitable<result<ended_transaction>> end_transaction(std::shared_ptr<transactions_impl> core,
                                                                  std::string id, bool carries_on);

}  // namespace dynalease::detail
