// One grant of an item's lock: what an `item_guard` points to.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "item_lock/protocol/item_lock_requests.hpp"
#include "session/hold.hpp"

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/item_lock/item_guard.hpp>
#include <dynalease/runtime/time.hpp>

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>

namespace dynalease::detail {

class item_lock_impl;

class item_hold final : public hold {
public:
    item_hold(std::shared_ptr<session_impl> core, std::shared_ptr<item_lock_impl> front,
              const protocol::item_grant& granted);

    // ---- any thread ----
    std::int64_t token() const noexcept override { return token_; }
    resolution doubtful_write() const noexcept { return doubtful_write_; }
    bool exclusive() const noexcept { return exclusive_; }
    item_lock_impl& front() const noexcept { return *front_; }
    const std::string& name() const noexcept override;
    const std::string& table() const noexcept override;
    /// True only while this very grant is in force.
    condition_check fence() const;
    condition_expression condition() const;

    // ---- the database's executor ----
    /// The item as this guard knows it.
    dynalease::item known;
    std::uint64_t number = 0;  ///< among those of this process that had the item
    /// A guarded write is under way; or one had no answer, and no other may be sent beside it.
    enum class writing { nothing, under_way, in_doubt } write = writing::nothing;
    void set_exclusive(bool alone) noexcept { exclusive_ = alone; }
    /// A write had no answer. @param step that it makes; empty: nothing in the item will tell
    void doubt(std::optional<std::int64_t> step) noexcept;
    /// The item was at that step when no copy of the write could land any more.
    void resolve(std::int64_t step) noexcept;
    /// The grant keeps itself alive, as far as this.
    void keep(std::int64_t attempt, dynalease::time_point risk, dynalease::time_point end) noexcept;

    static item_guard make_guard(std::shared_ptr<item_hold> hold) noexcept { return item_guard(std::move(hold)); }
    static const std::shared_ptr<item_hold>& of(const item_guard& guard) noexcept { return guard.hold_.share(); }

protected:
    bool expired() const noexcept override;
    bool overdue() const noexcept override;

private:
    void give_back() override;
    protocol::item_grant grant() const;

    using instant = dynalease::time_point::rep;
    bool past(const std::atomic<instant>& when) const noexcept;

    std::shared_ptr<item_lock_impl> front_;
    const std::int64_t token_;
    const std::optional<item_stamp> born_;  ///< the life of the item in which it was granted
    std::atomic<std::int64_t> attempt_;
    std::atomic<bool> exclusive_;
    std::optional<std::int64_t> doubtful_step_;
    std::atomic<resolution> doubtful_write_{resolution::open};
    std::atomic<instant> risk_{std::numeric_limits<instant>::max()};
    std::atomic<instant> end_{std::numeric_limits<instant>::max()};
};

/// Why a guard can do nothing more, or not write; empty: it can.
/// @param now its state, as the verb that asks sees it
std::optional<failure> unfit(const item_hold& hold, guard_state now, bool writes);
/// Why a change may not be written under a lock: it names an attribute of the library, or would leave the version as it
/// is that optimistic writers go by.
std::optional<failure> unwritable(const item_hold& hold, const update_expression& change);

}  // namespace dynalease::detail
