// The page of the session's protocol shows the requests as they are built.
// SPDX-License-Identifier: BSL-1.0
#include "support/protocol_page.hpp"
#include "session/protocol/session_requests.hpp"

namespace dynalease::protocol::test {

TEST_CASE("the page of the session's protocol shows each request as it is built") {
    const std::string table = "coordination";
    const wall_time now{};
    check_page("session", {{"create_session", text_of(create_session(table, "a", {}, "owner", "creation", {}))},
                           {"beat_session", text_of(beat_session(table, "a", 2, {}))},
                           {"close_session", text_of(close_session(table, "a", now))},
                           {"look_at_session", text_of(look_at_session(table, "a"))},
                           {"mark_session_dead", text_of(mark_session_dead(table, "a", 1, "b", now))},
                           {"revoke_session", text_of(revoke_session(table, "a", "b"))}});
}

}  // namespace dynalease::protocol::test
