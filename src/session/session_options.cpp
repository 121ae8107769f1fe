// The limits of a session's options.
// SPDX-License-Identifier: BSL-1.0
#include "session/session_options.hpp"

#include "database/argument_check.hpp"
#include "database/table_name.hpp"
#include "session/protocol/lease_times.hpp"
#include "session/session_lives.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

namespace dynalease::detail {

namespace {

using namespace std::chrono_literals;

constexpr argument_check require("session");

constexpr std::chrono::hours for_ever{100 * 365 * 24};

std::string default_owner() {
    std::array<char, 256> host{};
    if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
    std::string name = std::string(host.data()).substr(0, 200);
    // The system sets no rules for it.
    std::ranges::replace_if(name, [](unsigned char c) { return c >= 0x80; }, '?');
    return name + "/" + std::to_string(::getpid());
}

}  // namespace

session_terms checked(session_options options) {
    check_table_name(options.table);
    require(options.lease >= 1s && options.lease <= 1h, errc::invalid_option, "lease must be between 1 s and 1 h");
    require(options.heartbeat >= 0ms, errc::invalid_option, "heartbeat must not be negative");
    require(options.heartbeat * 3 <= options.lease, errc::invalid_option,
            "lease must be at least three heartbeats, so that two of them may be lost; it is " +
                std::to_string(options.lease.count()) + " ms, and heartbeat " +
                std::to_string(options.heartbeat.count()) + " ms");
    require(options.clock_drift_ppm <= 100'000, errc::invalid_option, "clock_drift_ppm must be at most 100,000");
    require(options.retention >= 24h && options.retention <= 24h * 3653, errc::invalid_option,
            "retention must be 1 day to 10 years");
    require(options.owner.size() <= 256, errc::invalid_option, "owner must have at most 256 bytes");
    require.utf8(options.owner, errc::invalid_option, "owner");
    const auto times = protocol::lease_times_for(options.lease, options.heartbeat, options.clock_drift_ppm);
    require(times.hold > times.period * 2, errc::invalid_option,
            "clock_drift_ppm leaves too little of the lease for two heartbeats");
    if (options.owner.empty()) options.owner = default_owner();
    return {.options = std::move(options), .times = times};
}

session_terms checked(const plain_session_options& options) {
    require(options.lease >= 1s && options.lease <= 1h, errc::invalid_option, "lease must be between 1 s and 1 h");
    require(options.clock_drift_ppm <= 100'000, errc::invalid_option, "clock_drift_ppm must be at most 100,000");
    return {.options = {.table = {},
                        .lease = options.lease,
                        .clock_drift_ppm = options.clock_drift_ppm,
                        .log = options.log,
                        .on_grant = options.on_grant},
            .times =
                {.lease = for_ever, .period = for_ever, .beat_limit = for_ever, .jeopardy = for_ever, .hold = for_ever},
            .plain = protocol::plain_keeping{
                .times = protocol::lease_times_for(options.lease, options.lease / 3, options.clock_drift_ppm),
                .renew = options.renew}};
}

const std::shared_ptr<session_lives>& with_row(const std::shared_ptr<session_lives>& lives, const char* primitive) {
    const argument_check require_of_primitive(primitive);
    require_of_primitive(!lives->present()->plain(), errc::invalid_option,
                         "a plain session holds locks on items only; give this one a session with a table");
    return lives;
}

}  // namespace dynalease::detail
