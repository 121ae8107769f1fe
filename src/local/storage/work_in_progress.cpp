// Holding items for as long as their writes take.
// SPDX-License-Identifier: BSL-1.0
#include "local/storage/work_in_progress.hpp"

namespace dynalease::local {

void work_in_progress::begin(const item_place& item, kind what, time now) {
    if (duration_.count() == 0) return;
    const time until = now + duration_;
    holds_.insert_or_assign(item, hold{until, what});
    by_end_.emplace_back(until, item);
}

bool work_in_progress::holds(const item_place& item, kind at_least, time now) {
    if (holds_.empty()) return false;
    end_finished(now);
    const auto found = holds_.find(item);
    if (found == holds_.end() || found->second.until <= now) return false;
    return at_least == kind::write || found->second.what == kind::transaction;
}

void work_in_progress::forget(const table* gone) {
    std::erase_if(holds_, [gone](const auto& each) { return each.first.first == gone; });
}

void work_in_progress::end_finished(time now) {
    while (!by_end_.empty() && by_end_.front().first <= now) {
        const auto found = holds_.find(by_end_.front().second);
        if (found != holds_.end() && found->second.until <= now) holds_.erase(found);
        by_end_.pop_front();
    }
}

}  // namespace dynalease::local
