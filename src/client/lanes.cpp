// Two sets of connections to one endpoint.
// SPDX-License-Identifier: BSL-1.0
#include "client/lanes.hpp"

namespace dynalease::detail {

lanes::lanes(const environment& world, const client_configuration& configuration) {
    const auto timing = std::make_shared<http::deadlines>(world);
    connector_ = std::make_shared<http::connector>(world, timing, configuration.connecting);
    ordinary_ = std::make_shared<http::pool>(world, timing, connector_, configuration.ordinary);
    heartbeat_ = std::make_shared<http::pool>(world, timing, connector_, configuration.heartbeat);
}

void lanes::tidy_beside(lane used, clock::time_point now) const noexcept {
    of(used == lane::heartbeat ? lane::ordinary : lane::heartbeat).tidy(now);
}

void lanes::close() const {
    ordinary_->close();
    heartbeat_->close();
    connector_->close();
}

}  // namespace dynalease::detail
