// The pauses between copies of a request.
// SPDX-License-Identifier: BSL-1.0
#include "database/protocol/backoff.hpp"

#include <catch2/catch.hpp>

namespace dynalease::detail {

using namespace std::chrono_literals;

TEST_CASE("pauses double up to a second, and are spread") {
    CHECK(retry_pause(0) == 50ms);
    CHECK(retry_pause(2) == 200ms);
    CHECK(retry_pause(100) == 1s);
    CHECK(retry_pause(100, 0) == 500ms);
    CHECK(retry_pause(2, 0.5) == 150ms);
}

}  // namespace dynalease::detail
