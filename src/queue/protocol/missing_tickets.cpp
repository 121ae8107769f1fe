// Runs of numbers, each with its time.
// SPDX-License-Identifier: BSL-1.0
#include "queue/protocol/missing_tickets.hpp"

#include <iterator>

namespace dynalease::protocol {

missing_tickets::runs::iterator missing_tickets::reaching(std::int64_t ticket) {
    const auto next = runs_.upper_bound(ticket);
    if (next == runs_.begin()) return next;
    const auto before = std::prev(next);
    return before->second.last >= ticket ? before : next;
}

void missing_tickets::note(std::int64_t first, std::int64_t last, time_point now) {
    auto known = reaching(first);
    while (first <= last) {
        if (known == runs_.end() || known->first > last) {
            runs_.emplace_hint(known, first, run{last, now});
            return;
        }
        if (known->first > first) runs_.emplace_hint(known, first, run{known->first - 1, now});
        first = known->second.last + 1;
        ++known;
    }
}

void missing_tickets::forget(std::int64_t first, std::int64_t last) {
    auto known = reaching(first);
    while (known != runs_.end() && known->first <= last) {
        const auto [begin, whole] = *known;
        known = runs_.erase(known);
        if (begin < first) runs_.emplace_hint(known, begin, run{first - 1, whole.since});
        if (whole.last > last) runs_.emplace_hint(known, last + 1, run{whole.last, whole.since});
    }
}

std::optional<time_point> missing_tickets::since(std::int64_t ticket) const {
    auto known = runs_.upper_bound(ticket);
    if (known == runs_.begin()) return {};
    --known;
    if (known->second.last < ticket) return {};
    return known->second.since;
}

}  // namespace dynalease::protocol
