// The page of the lock's protocol shows the requests as they are built.
// SPDX-License-Identifier: BSL-1.0
#include "support/protocol_page.hpp"
#include "lock/protocol/lock_requests.hpp"

namespace dynalease::protocol::test {

TEST_CASE("the page of the lock's protocol shows each request as it is built") {
    const std::string table = "coordination";
    const std::string self = "me";
    const lock_requests requests{table, "orders", self};
    const claim mine{7, 100};
    const claim next{8, 101};
    const lock_holder over{"dead", 5};
    const take_form::absent_head head{"head", 99};
    check_page(
        "lock",
        {{"look", text_of(requests.look())},
         {"take", text_of(requests.take(mine, {}, {}))},
         {"take, of a known row", text_of(requests.take(mine, {}, {}, 99))},
         {"take, from a holder that is over", text_of(requests.take(mine, {.over = over}, {}, 99))},
         {"take, at place 0", text_of(requests.take(mine, {.place = 0}, {}, 99))},
         {"take, at place 3", text_of(requests.take(mine, {.place = 3}, {}, 99))},
         {"take, before an absent head", text_of(requests.take(mine, {.drop_head = head}, {}))},
         {"take, at place 3 before an absent head", text_of(requests.take(mine, {.place = 3, .drop_head = head}, {}))},
         {"join", text_of(requests.join(mine))},
         {"hand_over", text_of(requests.hand_over(mine, next, {}))},
         {"release", text_of(requests.release(mine, {}, false, 0))},
         {"release, after an unanswered hand-over, and rejoin", text_of(requests.release(mine, next, true, 0))},
         {"void_free", text_of(requests.void_free(mine, 0))},
         {"void_held", text_of(requests.void_held(mine))},
         {"leave, at place 0", text_of(requests.leave(mine, 0))},
         {"leave_closed, at place 3", text_of(requests.leave_closed(3))},
         {"fence", text_of(requests.fence(mine))}});
}

}  // namespace dynalease::protocol::test
