// Which transactions somebody has left: those whose rows stand still. Any number of sweepers may look, at any time.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "transaction/protocol/transaction_header.hpp"

#include <dynalease/dynamodb/operations.hpp>
#include <dynalease/runtime/time.hpp>

#include <chrono>
#include <cstddef>
#include <map>
#include <string>

namespace dynalease::protocol {

/// A page of the rows that are not done. @param from where the last page ended; empty: at the beginning
scan_request open_transactions(const std::string& table, const item_key& from);

enum class sweep_step {
    leave,      ///< it may be alive
    roll_back,  ///< it was left before it was decided
    finish,     ///< it was left after that
    look,       ///< it is set aside: a copy of its locks may have landed. Once in each sweep
};

/// What was seen of each row, on this process's own clock. Nothing depends on it but when one is taken for left: a
/// roll-back is safe at any time, and only unfriendly.
class sweep_watch {
public:
    explicit sweep_watch(std::chrono::nanoseconds older_than) : older_than_(older_than) {}

    /// @param now when it was received
    sweep_step sight(const transaction_header& header, time_point now);
    /// Forgets the rows that were not seen since: a pass over all of them has ended.
    void end_pass(time_point began);
    std::size_t size() const noexcept { return seen_.size(); }

private:
    struct state {
        run_name name;
        header_state decided;
        std::int64_t beat;
        time_point since;
        time_point last;
    };

    std::chrono::nanoseconds older_than_;
    std::map<std::string, state> seen_;  ///< by id, and by sort key
};

}  // namespace dynalease::protocol
