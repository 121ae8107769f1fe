// What the processes of the demonstration agree on. Which time must be longer than which is the point of it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "payments/http/server.hpp"
#include "payments/relay/relay.hpp"
#include "payments/repositories/pessimistic_repository.hpp"
#include "payments/repositories/rows.hpp"

#include <dynalease/session.hpp>

#include <chrono>
#include <string>

namespace payments::demo {

/// A short lease, so that the locks of whoever is killed move while somebody watches.
inline constexpr std::chrono::milliseconds lease{2'000};
inline constexpr std::chrono::milliseconds heartbeat{500};
/// For one answer of the gateway.
inline constexpr std::chrono::milliseconds gateway_patience{700};
/// For a request as a whole: longer than waiting for a lock and for the gateway.
inline constexpr std::chrono::milliseconds request_time{2'500};
/// A request that has run for longer is dead: it may be taken over, and the gateway asked about its charge.
inline constexpr std::chrono::milliseconds given_up{3'000};
inline constexpr std::chrono::milliseconds drain_time{4'000};

inline dynalease::session_options session_options(std::string owner) {
    dynalease::session_options options;
    options.table = coordination_table;
    options.owner = std::move(owner);
    options.lease = lease;
    options.heartbeat = heartbeat;
    return options;
}
inline locking lock_options() {
    return {.wait = std::chrono::milliseconds(500), .left_alone = given_up};
}
inline relay_options relay_settings() {
    return {.pause = std::chrono::milliseconds(50),
            .answer_within = std::chrono::milliseconds(1'000),
            .again_after = std::chrono::milliseconds(500),
            .at_once = 25};
}
inline web::server_limits server_limits() {
    web::server_limits limits;
    limits.work = request_time;
    return limits;
}

}  // namespace payments::demo
