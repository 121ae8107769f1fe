// Tickets that were issued and whose rows are not there: since when.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/runtime/time.hpp>

#include <cstdint>
#include <map>
#include <optional>

namespace dynalease::protocol {

/// Kept in runs of numbers: where the row that covers them was passed and deleted, millions seem to be missing.
class missing_tickets {
public:
    /// The tickets from `first` to `last` were seen to have no row. Those that are known already keep their time.
    void note(std::int64_t first, std::int64_t last, time_point now);
    /// They are missing no longer, or matter no longer.
    void forget(std::int64_t first, std::int64_t last);
    void clear() { runs_.clear(); }

    bool empty() const { return runs_.empty(); }
    /// When it was first seen to be missing; empty: it was not.
    std::optional<time_point> since(std::int64_t ticket) const;

private:
    struct run {
        std::int64_t last;
        time_point since;
    };
    using runs = std::map<std::int64_t, run>;  // by the first of its numbers

    /// The first run that ends at `ticket` or beyond.
    runs::iterator reaching(std::int64_t ticket);

    runs runs_;
};

}  // namespace dynalease::protocol
