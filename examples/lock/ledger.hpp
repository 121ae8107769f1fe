// The accounts: items that money moves between, and that refuse a fencing token smaller than the largest they saw.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/database.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace demo {

struct account {
    std::string name;
    std::int64_t balance = 0;
    std::int64_t writes = 0;  ///< since the opening
};

/// One side of a transfer: what the account shall hold, and the token of the lock it was read under.
struct posting {
    account after;
    std::int64_t fencing_token = 0;
};

class ledger {
public:
    explicit ledger(dynalease::database database) : database_(std::move(database)) {}

    boost::asio::awaitable<void> open_accounts() const;
    boost::asio::awaitable<account> read(std::string name) const;

    /// Writes both accounts or neither. The balances are absolute, so a stale pair would wipe out what others wrote
    /// since: each account therefore refuses a token smaller than the largest it has seen. The lock is not asked.
    /// @returns false when an account refused.
    /// @param transfer_id makes a repeat of the same request harmless; at most 36 characters.
    boost::asio::awaitable<bool> write(posting payer, posting payee, std::string transfer_id) const;

    /// All accounts at one moment.
    boost::asio::awaitable<std::vector<account>> snapshot() const;

private:
    dynalease::database database_;
};

}  // namespace demo
