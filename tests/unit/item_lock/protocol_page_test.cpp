// The page of the item lock's protocol shows the requests as they are built.
// SPDX-License-Identifier: BSL-1.0
#include "support/protocol_page.hpp"
#include "item_lock/protocol/item_lock_requests.hpp"

namespace dynalease::protocol::test {

TEST_CASE("the page of the item lock's protocol shows each request as it is built") {
    const item_layout layout{.table = "tills", .key = "id"};
    const item_key north{{"id", "north"}};
    const std::string self = "me";
    const item_lock_requests requests{layout, north, self};
    const claim mine{7, 100};
    const item_grant writes{.id = mine, .born = item_stamp{}};
    const item_grant reads{.id = mine, .access = item_access::shared, .born = item_stamp{}};
    const auto shared = item_access::shared;
    const std::string dead = "dead.1.0000000002";
    const guarded_change last{.release = true};
    check_page("item_lock",
               {{"look", text_of(requests.look())},
                {"take, to write", text_of(requests.take(mine, {}, 64))},
                {"take, to write, from a writer that is over", text_of(requests.take(mine, {.over_writer = dead}, 64))},
                {"take, to write, from readers that are over",
                 text_of(requests.take(mine, {.over_readers = {"a.1", "b.2"}}, 64))},
                {"take, to write, past an intent", text_of(requests.take(mine, {.intent = "me.6"}, 64))},
                {"take, to read", text_of(requests.take(mine, {.access = shared}, 64))},
                {"intend", text_of(requests.intend(mine, {}))},
                {"reap", text_of(requests.reap({"a.1", "b.2"}))},
                {"close", text_of(requests.close(mine))},
                {"leave", text_of(requests.leave(mine, "me.7"))},
                {"leave_closed", text_of(requests.leave_closed("me.7"))},
                {"change", text_of(requests.change(writes, {}))},
                {"change, and release", text_of(requests.change(writes, last))},
                {"erase", text_of(requests.erase(writes, {}))},
                {"release, by a writer", text_of(requests.release(writes))},
                {"release, by a reader", text_of(requests.release(reads))},
                {"downgrade", text_of(requests.downgrade(writes))},
                {"extend", text_of(requests.extend(writes))},
                {"succeed", text_of(requests.succeed(reads, 9))},
                {"hand_over", text_of(requests.hand_over(writes, {8, 101}))},
                {"fence, of a writer", text_of(requests.fence(writes))},
                {"fence, of a reader", text_of(requests.fence(reads))}});
}

}  // namespace dynalease::protocol::test
