// The processes that the demonstration starts: each runs until SIGTERM, and says on its first line where it listens.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "payments/demo/office.hpp"
#include "payments/gateway/simulator.hpp"

#include <cstdint>

namespace payments::demo {

/// @param port 0: any
int run_server(const office_options& options, std::uint16_t port);
int run_relay(const office_options& options);
int run_gateway(gateway_habits habits);

}  // namespace payments::demo
