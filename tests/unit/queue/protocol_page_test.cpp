// The page of the queue's protocol shows the requests as they are built.
// SPDX-License-Identifier: BSL-1.0
#include "queue/protocol/enter_all.hpp"
#include "queue/protocol/queue_requests.hpp"
#include "support/protocol_page.hpp"

namespace dynalease::protocol::test {

TEST_CASE("the page of the queue's protocol shows each request as it is built") {
    const std::string table = "coordination";
    const std::string self = "me";
    const queue_name orders{.entity = "orders", .reason = "ship"};
    const queue_requests requests{table, orders, self};
    const wall_time now{std::chrono::milliseconds(1000)};
    const std::chrono::milliseconds pace{100};
    const ticket_face face{.owner = "host", .since = now, .data = {}};
    const place seven{.ticket = 7, .from = 7};
    // Beside a queue that is further, so that numbers are skipped.
    const auto all_of = [&](const std::optional<queue_head>& head) {
        const auto places = choose_places({head, queue_head{.tail = 60, .passed = 60}}, 0, now);
        return text_of(enter_all(table, {orders}, {head}, places, "x", self, face));
    };
    check_page("queue", {{"take", text_of(requests.take("x", now))},
                         {"take_if_free", text_of(requests.take_if_free("x", now))},
                         {"enter", text_of(requests.enter(seven, "x", face))},
                         {"pass", text_of(requests.pass({seven}))},
                         {"leave", text_of(requests.leave({seven}, pace))},
                         {"leave_idle", text_of(requests.leave_idle({seven}, pace, 0))},
                         {"rest", text_of(requests.rest(7, 0))},
                         {"bury", text_of(requests.bury(7))},
                         {"cancel", text_of(requests.cancel(seven, "x"))},
                         {"cancel_written", text_of(requests.cancel_written(seven, "x"))},
                         {"look", text_of(requests.look())},
                         {"ahead", text_of(requests.ahead(5, 7))},
                         {"left_behind", text_of(requests.left_behind(7))},
                         {"forget", text_of(requests.forget({7}))},
                         {"fence", text_of(requests.fence(seven))},
                         {"enter_all, of a queue without a head", all_of(std::nullopt)},
                         {"enter_all, of a free queue", all_of(queue_head{.tail = 50, .passed = 50})},
                         {"enter_all, of a queue that others are in", all_of(queue_head{.tail = 50, .passed = 48})}});
}

}  // namespace dynalease::protocol::test
