// Which tokens of transactions are known, and for how long.
// SPDX-License-Identifier: BSL-1.0
#include "local/storage/token_memory.hpp"

#include <catch2/catch.hpp>

#include <chrono>

namespace dynalease::local::test {

TEST_CASE("a token that comes again is known for ten minutes from then on") {
    using namespace std::chrono_literals;
    const token_memory::time start{};
    const fingerprint request{};
    token_memory tokens;
    tokens.remember("a", request, start);
    tokens.remember("a", request, start + 9min);
    CHECK(tokens.was_done("a", request, start + 10min + 1ms));
    CHECK(tokens.was_done("a", request, start + 19min));
    CHECK_FALSE(tokens.was_done("a", request, start + 19min + 1ms));
}

}  // namespace dynalease::local::test
