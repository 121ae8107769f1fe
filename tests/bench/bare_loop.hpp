// The reference for the client: Beast alone, sending one prepared request over and over.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace bench {

/// Sends `request`, a whole HTTP request, `count` times over `width` connections, one at a time on each.
void bare_loop(std::uint16_t port, const std::string& request, std::size_t width, std::size_t count);

}  // namespace bench
