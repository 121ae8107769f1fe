// Those of one process that have one grant of an item: one who writes, or any number of readers.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "item_lock/item_hold.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace dynalease::detail {

/// In the order in which they got it. Each is found by its number, for readers may be many, and end in any order.
class item_holds {
public:
    bool empty() const noexcept { return known_.empty(); }
    std::size_t size() const noexcept { return known_.size(); }
    bool contains(const item_hold& hold) const { return known_.contains(hold.number); }
    void add(const std::shared_ptr<item_hold>& hold) {
        hold->number = ++last_;
        known_.emplace(hold->number, hold);
    }
    /// @returns whether it was there
    bool remove(const item_hold& hold) { return known_.erase(hold.number) > 0; }
    void clear() noexcept { known_.clear(); }

    /// Null: none, or it is gone.
    std::shared_ptr<item_hold> first() const { return empty() ? nullptr : known_.begin()->second.lock(); }
    std::vector<std::shared_ptr<item_hold>> living() const {
        std::vector<std::shared_ptr<item_hold>> found;
        for (const auto& [number, each] : known_) {
            if (auto hold = each.lock()) found.push_back(std::move(hold));
        }
        return found;
    }

private:
    std::map<std::uint64_t, std::weak_ptr<item_hold>> known_;
    std::uint64_t last_ = 0;
};

}  // namespace dynalease::detail
