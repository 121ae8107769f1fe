// The ways to the service: two sets of connections to one endpoint.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "client/configuration.hpp"
#include "http/pool.hpp"

#include <dynalease/dynamodb/database.hpp>

#include <memory>

namespace dynalease::detail {

/// Heartbeats have connections of their own, so that no crowd of other calls keeps them waiting. A copy is the same
/// lanes.
class lanes {
public:
    lanes(const environment& world, const client_configuration& configuration);

    http::pool& of(lane which) const noexcept { return which == lane::heartbeat ? *heartbeat_ : *ordinary_; }
    /// The one may have fallen silent while the other is used.
    void tidy_beside(lane used, clock::time_point now) const noexcept;
    /// As of the pools, which are children of the same forks.
    unsigned forks() const noexcept { return ordinary_->forks(); }
    void close() const;

private:
    std::shared_ptr<http::connector> connector_;
    std::shared_ptr<http::pool> ordinary_;
    std::shared_ptr<http::pool> heartbeat_;
};

}  // namespace dynalease::detail
