// Those of one process who want an item together with others, while it is in other hands there.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "runtime/alarm.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

namespace dynalease::detail {

/// They stand in line in the order in which they came to this process, wherever they stood meanwhile. The first is
/// woken when the item is free, and with each that leaves the line the next, which it may have kept out.
class item_line {
public:
    /// @param free whether the item is in nobody's hands here
    explicit item_line(std::function<bool()> free) : free_(std::move(free)) {}

    std::size_t size() const noexcept { return waiting_.size(); }
    bool looks_out() const noexcept { return looks_out_ != nullptr; }
    /// Nobody in line came before that one.
    bool lets(std::int64_t came) const { return waiting_.empty() || came <= waiting_.begin()->first; }
    /// The first of them may try, if the item is free.
    void call() {
        if (free_() && !looks_out_ && !waiting_.empty()) waiting_.begin()->second->wake();
    }
    void wake_all() {
        for (const auto& [came, alarm] : waiting_) alarm->wake();
        if (looks_out_) looks_out_->wake();
    }

    class place {
    public:
        /// @param came a number that rises from one to the next of them.
        place(item_line& line, std::int64_t came, runtime::alarm& woken)
            : line_(line), position_(line.waiting_.emplace(came, &woken).first) {}
        ~place() {
            line_.waiting_.erase(position_);
            line_.call();
        }
        place(const place&) = delete;
        place& operator=(const place&) = delete;

    private:
        item_line& line_;
        std::map<std::int64_t, runtime::alarm*>::iterator position_;
    };

    /// Looks at the item for all that stand in line for it here.
    class lookout {
    public:
        lookout(item_line& line, runtime::alarm& woken) : line_(line) { line_.looks_out_ = &woken; }
        ~lookout() {
            line_.looks_out_ = nullptr;
            line_.call();
        }
        lookout(const lookout&) = delete;
        lookout& operator=(const lookout&) = delete;

    private:
        item_line& line_;
    };

private:
    std::function<bool()> free_;
    std::map<std::int64_t, runtime::alarm*> waiting_;  ///< by when they came
    runtime::alarm* looks_out_ = nullptr;
};

}  // namespace dynalease::detail
