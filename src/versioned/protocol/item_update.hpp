// An update: load, change, save, and again from what a conflict shows, until it holds.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "versioned/protocol/version_sequences.hpp"

#include <chrono>
#include <functional>
#include <optional>

namespace dynalease::protocol {

struct update_terms {
    item_key key{};
    bool consistent = false;  ///< of the first look
    bool create = false;
    bool ignore_lock = false;
    unsigned tries = 1;
    /// So many conflicts, or a lock in the way, and it is to go on under the item's lock; 0: never.
    unsigned promotes_after = 0;
    time_point deadline{};
    std::chrono::nanoseconds patience{};  ///< of each write
};

/// What the caller's function makes of what is stored: a write; or, without that, how the update ends.
struct next_write {
    std::optional<write_intent> write{};
    write_outcome end{};
};

class item_update {
public:
    /// @param stored empty: there is no item
    /// @param mine the stamp of the write
    using function =
        std::function<next_write(const std::optional<detail::stored_item>& stored, const item_stamp& mine)>;

    item_update(writer_view& process, stepper& steps, const item_layout& layout, update_terms terms, function change)
        : process_(process), steps_(steps), layout_(layout), terms_(std::move(terms)), change_(std::move(change)) {}

    /// Until it has ended, or goes on under the item's lock.
    sequence<void> run();
    /// Under the lock there was no item any more: it makes one.
    sequence<void> run_without_item();

    bool promotes() const noexcept { return promotes_; }
    /// Of the next write, and of the one before it that found the item locked.
    const item_stamp& mine() const noexcept { return mine_; }
    write_outcome& end() noexcept { return end_; }
    /// The write that is in doubt, if one is.
    write_intent& last_write() { return *last_; }

private:
    sequence<void> try_on();
    sequence<void> behind_lock();
    sequence<void> wait_behind_lock();
    sequence<void> sleep_until(time_point when, failure late);
    sequence<result<std::optional<visible_item>>> look(bool consistent);
    void give_up(failure why);

    writer_view& process_;
    stepper& steps_;
    const item_layout& layout_;
    const update_terms terms_;
    const function change_;
    item_stamp mine_{};
    unsigned tries_ = 1;
    std::optional<detail::stored_item> stored_;
    std::optional<write_intent> last_;
    std::optional<failure> given_up_;  ///< why it waits no longer
    bool promotes_ = false;
    write_outcome end_;
};

}  // namespace dynalease::protocol
