// The processes that the demonstration starts: each runs until SIGTERM, and says on its first line where it listens.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "payments/demo/office.hpp"
#include "payments/gateway/simulator.hpp"

#include <cstdint>

namespace payments::demo {

/// What a server that is watched says when its page asks for it.
inline constexpr const char* kill_a_relay = "kill a relay";

/// @param port 0: any
int run_server(const office_options& options, std::uint16_t port);
int run_relay(const office_options& options);
int run_gateway(gateway_habits habits);

}  // namespace payments::demo
