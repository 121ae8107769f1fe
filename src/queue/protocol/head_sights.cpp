// Which answers about a head count.
// SPDX-License-Identifier: BSL-1.0
#include "queue/protocol/head_sights.hpp"

#include "queue/protocol/queue_decisions.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::protocol {

std::optional<head_sights::news> head_sights::sight(const std::optional<queue_head>& shown, std::uint64_t asked,
                                                    time_point now) {
    if (asked < began_) return {};
    const bool newest = asked == count_;
    if (!newest && (!shown || (known_ && behind(*shown, head_)))) return {};
    if (shown) return take_in(*shown, asked, now);
    ++count_;
    seen_at_ = now;
    // Where there was none yet, a request that is under way may make it.
    if (std::exchange(known_, false)) began_ = count_;
    head_ = {};
    return news();
}

std::optional<head_sights::news> head_sights::made(const queue_head& head, time_point now) {
    if (known_ && behind(head, head_)) return {};
    return take_in(head, asked_, now);
}

head_sights::news head_sights::take_in(const queue_head& head, std::uint64_t asked, time_point now) {
    ++count_;
    seen_at_ = now;
    const news seen{.moved = !known_ || head.passed != head_.passed, .back = known_ && behind(head, head_)};
    asked_ = known_ ? std::max(asked_, asked) : asked;
    known_ = true;
    head_ = head;
    if (seen.moved) moved_at_ = now;
    if (seen.back) began_ = count_;
    return seen;
}

}  // namespace dynalease::protocol
