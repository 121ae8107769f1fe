// A transfer of funds between accounts, in every form that a transaction has for it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "torture/bank.hpp"
#include "torture/dice.hpp"

#include <dynalease/transaction.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace torture {

struct funds_are_short : std::runtime_error {
    funds_are_short() : std::runtime_error("funds are short") {}
};

struct transfer {
    dynalease::run_options options{};  ///< with an id that others may run as well, or without
    /// Its receipt is there before it begins, to be counted up without being read: that it happened twice would show.
    bool opened = false;
    std::size_t payer = 0;
    std::vector<std::size_t> payees{};
    std::int64_t amount = 0;      ///< for each of them
    bool by_expression = false;   ///< else by what was read
    bool by_instalments = false;  ///< by expression: two to each payee
};

/// @param now seconds: which ids are in use
transfer draw_transfer(dice& chance, std::int64_t now);

/// Its receipt before it has happened. @throws what the library throws.
boost::asio::awaitable<void> open_receipt(const bank& at, const transfer& wanted);

/// The body of the transaction.
/// @param by as in `receipt`
/// @throws funds_are_short; what the library throws.
boost::asio::awaitable<void> carry_out(dynalease::transaction& tx, const bank& at, const transfer& wanted,
                                       std::string by);

}  // namespace torture
