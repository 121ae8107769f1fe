// The load of the client's benches: one signed UpdateItem over and over, by the client or as the bytes it would send.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/client.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace bench {

/// What a stub answers to it.
std::string_view update_answer() noexcept;

/// For a stub on this port.
dynalease::client_options client_of(std::uint16_t port);

/// Sends `count` requests of the shape of a heartbeat, `in_flight` at once.
void client_loop(const dynalease::client_options& options, std::size_t in_flight, std::size_t count);

/// The bytes that the client would send.
std::string signed_bytes(std::uint16_t port);

/// Requests for each second of this process's CPU, the medians of five rounds.
struct rates {
    double ours = 0;
    double bare = 0;  ///< of a bare Beast loop that sends the same bytes

    double ratio() const noexcept { return ours / bare; }
};
/// By turns, to the same server.
rates beside_bare_loop(std::uint16_t port, const dynalease::client_options& options, std::size_t in_flight,
                       std::size_t count);

}  // namespace bench
