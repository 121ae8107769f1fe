// What is to be seen of the whole system at one moment, as JSON.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "payments/repositories/intent_repository.hpp"
#include "payments/repositories/rows.hpp"

#include <dynalease/session.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <string>

namespace payments::web {

/// Reads both tables, at most some pages of each: for a demonstration, not for a table of millions.
class observer {
public:
    observer(const tables& rows, dynalease::session& session, control how)
        : rows_(rows), session_(session), how_(how) {}

    /// @param conflicts_per_10s of this server, which only it knows
    boost::asio::awaitable<std::string> look(std::uint64_t conflicts_per_10s);

private:
    const tables& rows_;
    dynalease::session& session_;
    control how_;
};

}  // namespace payments::web
