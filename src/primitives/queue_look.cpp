// Looking at a queue without entering it.
#include "primitives/queue_look.hpp"

#include "primitives/queue_front.hpp"

#include <utility>

namespace dynalease::detail {

boost::asio::awaitable<result<queue_info>> survey(queue_target target) {
    auto& front = *target.front;
    const auto looked = co_await front.look();
    if (looked.why) co_return *looked.why;
    queue_info info;
    if (!looked.head) co_return info;
    info.last_ticket = looked.head->tail;

    const auto turn = looked.head->passed + 1;
    auto next = turn;  // the first number not accounted for
    const auto add = [&](queue_entry entry, std::int64_t from) {
        if (from <= turn) {
            info.holder = std::move(entry);
        } else {
            info.waiting.push_back(std::move(entry));
        }
    };
    for (bool more = true; more && next <= looked.head->tail;) {
        auto page = co_await front.read_ahead(next, looked.head->tail);
        if (page.why) co_return *page.why;
        more = page.more;
        for (auto& seen : page.rows) {
            auto& row = seen.row;
            for (; next < row.from; ++next) add({.ticket = next}, next);
            next = row.ticket + 1;
            if (row.is_void || seen.owner == protocol::owner_is::over) continue;
            add({.ticket = row.ticket,
                 .session = std::move(row.session),
                 .owner = std::move(row.owner),
                 .since = row.since,
                 .data = std::move(row.data)},
                row.from);
        }
    }
    for (; next <= looked.head->tail; ++next) add({.ticket = next}, next);
    co_return info;
}

}  // namespace dynalease::detail
