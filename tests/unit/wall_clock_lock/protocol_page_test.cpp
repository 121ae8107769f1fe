// The page of the wall clock lock's protocol shows the requests as they are built.
// SPDX-License-Identifier: BSL-1.0
#include "support/protocol_page.hpp"
#include "wall_clock_lock/protocol/wall_clock.hpp"

namespace dynalease::protocol::test {

TEST_CASE("the page of the wall clock lock's protocol shows each request as it is built") {
    const wall_clock_place till{"tills", {{"id", "north"}}, "__LockedAt"};
    const wall_moment held{std::chrono::seconds(1)};
    check_page("wall_clock_lock",
               {{"wall_clock_take", text_of(wall_clock_take(till, held, held))},
                {"wall_clock_change", text_of(wall_clock_change(till, held, set("amount", 5), attr("amount") == 4))},
                {"wall_clock_take_back", text_of(wall_clock_take_back(till, {{held, {}}, {held, {}}}))},
                {"wall_clock_release", text_of(wall_clock_release(till, held))}});
}

}  // namespace dynalease::protocol::test
