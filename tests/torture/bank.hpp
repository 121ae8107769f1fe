// What transactions move: accounts whose sum never changes, and a receipt for each transfer, written with it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "torture/witness.hpp"

#include <dynalease/dynamodb/database.hpp>
#include <dynalease/transaction.hpp>
#include <dynalease/versioned.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/describe/class.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace torture {

struct account {
    std::string id{};
    std::int64_t balance = 0;
    std::int64_t notes = 0;  ///< changed beside all transactions
};
BOOST_DESCRIBE_STRUCT(account, (), (id, balance, notes))

struct receipt {
    std::string id{};                   ///< of the transaction
    std::int64_t count = 0;             ///< how often it happened
    std::string by{};                   ///< which run of the id wrote it: process, task and number, as "2.5/1/4711"
    std::vector<std::int64_t> moved{};  ///< what each account got
};
BOOST_DESCRIBE_STRUCT(receipt, (), (id, count, by, moved))

struct bank {
    explicit bank(const dynalease::database& store);

    dynalease::versioned<account> accounts;
    dynalease::versioned<receipt> receipts;
    dynalease::transactions transactions;
};

std::string account_name(std::size_t index);

/// Makes the tables and the accounts.
boost::asio::awaitable<void> open_bank(dynalease::database store);

/// When nobody works any more: ends what was left, and tells what the accounts hold, what the receipts say, and what
/// is still held.
boost::asio::awaitable<void> audit_bank(dynalease::database store, witness& tell);

}  // namespace torture
