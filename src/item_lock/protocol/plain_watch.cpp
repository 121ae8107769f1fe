// Telling from an item alone whether its holders live.
// SPDX-License-Identifier: BSL-1.0
#include "item_lock/protocol/plain_watch.hpp"

#include "session/protocol/session_watch.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::protocol {

void plain_watch::sight(const item_lock_state& lock, time_point now) {
    auto before = std::exchange(seen_, {});
    const auto keep = [&](const item_claimant& who) {
        if (!is_plain(who.session)) return;
        const auto known = before.find(who.text);
        seen_.emplace(who.text, known == before.end() ? claimant{now, plain_lease(who.session)} : known->second);
    };
    if (lock.writer) keep(*lock.writer);
    for (const auto& reader : lock.readers) keep(reader);
    if (lock.intent) keep(*lock.intent);
}

holder_is plain_watch::judge(const item_claimant& who, time_point now) const {
    const auto known = seen_.find(who.text);
    if (known == seen_.end() || !known->second.lease) return holder_is::alive;
    return now - known->second.since >= *known->second.lease ? holder_is::over : holder_is::alive;
}

std::optional<time_point> plain_watch::next_look(const item_claimant& who, time_point now) const {
    const auto known = seen_.find(who.text);
    if (known == seen_.end() || !known->second.lease) return {};
    const auto end = known->second.since + *known->second.lease;
    const auto next = now + watch_interval(*known->second.lease, 1);
    return end > now ? std::min(next, end) : next;
}

std::optional<time_point> plain_watch::next_end() const {
    std::optional<time_point> first;
    for (const auto& [text, who] : seen_) {
        if (!who.lease) continue;
        const auto end = who.since + *who.lease;
        first = first ? std::min(*first, end) : end;
    }
    return first;
}

}  // namespace dynalease::protocol
