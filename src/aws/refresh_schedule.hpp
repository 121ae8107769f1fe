// When keys are fetched anew: ahead of their end, and what to do when they cannot be.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/aws/credentials.hpp>
#include <dynalease/aws/timestamp.hpp>

#include <optional>

namespace dynalease::aws {

enum class freshness {
    fresh,    ///< use them
    due,      ///< use them, and fetch others meanwhile
    expired,  ///< fetch others first; if none are to be had, these may still be taken
};

/// The times of one set of keys. Expired keys are not forgotten: a source that is away must not stop who could go on,
/// nor make them wait for each attempt to reach it, and the service says so itself when it refuses them.
class refresh_schedule {
public:
    /// Keys have come.
    /// @param random_unit uniform in [0, 1): processes that started together must not fetch together
    void fetched(const credentials& keys, wall_time now, double random_unit);
    /// The source failed: not before a pause again.
    void failed(wall_time now, double random_unit);

    freshness at(wall_time now) const;

private:
    std::optional<wall_time> expires_at_{};
    wall_time fetch_from_{};
    wall_time source_is_away_until_{};  // for all we know: the next fetch may well take long, and fail
};

}  // namespace dynalease::aws
