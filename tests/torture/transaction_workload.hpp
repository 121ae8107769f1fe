// The workload of transactions: transfers, sums, plain writes to the same items, and a hand for those of others.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "torture/transfer.hpp"
#include "torture/workload.hpp"

namespace torture {

class transaction_workload final : public workload {
public:
    boost::asio::awaitable<void> turn(dynalease::session& session, const post& self) const override;
    boost::asio::awaitable<void> prepare(dynalease::database store) const override;
    boost::asio::awaitable<void> take_stock(dynalease::database store, witness& tell) const override;
    bool needs_its_tables() const noexcept override { return true; }
};

}  // namespace torture
