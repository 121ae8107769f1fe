// Looking at a queue without entering it.
// SPDX-License-Identifier: BSL-1.0
#include "queue/queue_inspect.hpp"

#include "queue/queue_impl.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace dynalease::detail {

namespace {

/// Of tickets that were drawn a moment ago; a head that counts more is nobody's work.
constexpr std::int64_t most_unwritten = 100'000;

failure damaged_head() {
    failure why(errc::corrupt_row);
    why.details.message =
        "the queue's head counts more than " + std::to_string(most_unwritten) + " tickets that no row is left of";
    return why;
}

}  // namespace

boost::asio::awaitable<result<queue_info>> survey(queue_target target) {
    auto& front = *target.front;
    const auto looked = co_await front.view().look();
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
    // Where several queues were entered under one number, others were skipped: no more stand there than are
    // outstanding, and those at the end of a gap.
    auto outstanding = looked.head->outstanding();
    std::int64_t unwritten = 0;
    const auto add_unwritten = [&](std::int64_t end) {
        next = std::max(next, end - std::max<std::int64_t>(outstanding, 0));
        unwritten += std::max<std::int64_t>(end - next, 0);
        if (unwritten > most_unwritten) return false;
        for (; next < end; ++next, --outstanding) add({.ticket = next}, next);
        return true;
    };
    for (bool more = true; more && next <= looked.head->tail;) {
        auto page = co_await front.view().read_ahead(next, looked.head->tail, protocol::page_of_survey);
        if (page.why) co_return *page.why;
        more = page.more;
        for (auto& seen : page.rows) {
            auto& row = seen.row;
            if (!add_unwritten(row.from)) co_return damaged_head();
            next = row.ticket + 1;
            --outstanding;
            if (row.is_void || seen.owner == protocol::owner_is::over) continue;
            add({.ticket = row.ticket,
                 .session = std::move(row.session),
                 .owner = std::move(row.owner),
                 .since = row.since,
                 .data = std::move(row.data)},
                row.from);
        }
    }
    if (!add_unwritten(looked.head->tail + 1)) co_return damaged_head();
    co_return info;
}

}  // namespace dynalease::detail
