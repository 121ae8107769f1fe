// Shares, taken and taken back.
// SPDX-License-Identifier: BSL-1.0
#include "local/http/memory_budget.hpp"

namespace dynalease::local {

bool memory_budget::take_back(time_point now, const share* wanted_for) {
    if (holders_.empty()) return false;
    share& oldest = *holders_.front();
    if (&oldest == wanted_for || now < oldest.since_ + term) return false;
    oldest.release();
    oldest.give_way_();
    return true;
}

bool memory_budget::share::cover(std::size_t size, time_point now) {
    const std::size_t wanted = size > free_size ? size : 0;
    while (wanted > taken_ + budget_.left_) {
        if (!budget_.take_back(now, this)) return false;
    }
    if (wanted == 0) {
        release();
        return true;
    }
    if (taken_ == 0) {
        since_ = now;
        place_ = budget_.holders_.insert(budget_.holders_.end(), this);
    }
    budget_.left_ = budget_.left_ + taken_ - wanted;
    taken_ = wanted;
    return true;
}

void memory_budget::share::release() noexcept {
    if (taken_ == 0) return;
    budget_.holders_.erase(place_);
    budget_.left_ += taken_;
    taken_ = 0;
}

}  // namespace dynalease::local
