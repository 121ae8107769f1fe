// Requests that are carried out and not yet answered, and the items they hold: what transactions conflict with.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "local/storage/key.hpp"

#include <chrono>
#include <deque>
#include <map>
#include <utility>

namespace dynalease::local {

class table;

/// An item by table and key.
using item_place = std::pair<const table*, row_key>;

class work_in_progress {
public:
    using time = std::chrono::sys_time<std::chrono::milliseconds>;
    enum class kind { write, transaction };

    /// How long a write takes until its answer. At zero nothing is ever held.
    void set_duration(std::chrono::milliseconds duration) { duration_ = duration; }
    std::chrono::milliseconds duration() const noexcept { return duration_; }

    void begin(const item_place& item, kind what, time now);
    /// Whether a transaction, or for `kind::write` any write at all, is at work on the item.
    bool holds(const item_place& item, kind at_least, time now);
    /// A table that is deleted takes its items with it.
    void forget(const table* gone);

private:
    void end_finished(time now);

    struct hold {
        time until;
        kind what;
    };
    std::chrono::milliseconds duration_{0};
    std::map<item_place, hold> holds_;
    std::deque<std::pair<time, item_place>> by_end_;
};

}  // namespace dynalease::local
