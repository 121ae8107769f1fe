// A lock on an item by the wall clock alone, for items that writers of other makes lock so too.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/detail/braced.hpp>
#include <dynalease/detail/grant_owner.hpp>
#include <dynalease/detail/initiate.hpp>
#include <dynalease/dynamodb/condition_expression.hpp>
#include <dynalease/dynamodb/database.hpp>
#include <dynalease/dynamodb/update_expression.hpp>
#include <dynalease/error.hpp>
#include <dynalease/guard_state.hpp>
#include <dynalease/item_lock/item_lock.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#pragma GCC visibility push(default)
namespace dynalease {

namespace detail {
class wall_clock_impl;
class wall_clock_hold;
void abandon(wall_clock_hold& hold) noexcept;
}  // namespace detail

struct wall_clock_options {
    /// The attribute that says when the item was locked, as `2026-11-21T22:30:00.123456+00:00`. Absent: it is free.
    detail::braced<std::string> attribute{"__LockedAt"};
    /// How long after that moment the lock is over, for everybody who locks these items. 1 s to 24 h.
    std::chrono::milliseconds timeout{30'000};
    /// By how much any of their wall clocks may be away from true time; less than a quarter of `timeout`. We believe in
    /// a lock of ours for twice the skew less, and leave another's alone for twice the skew longer, so that those who
    /// hold it for the whole timeout by their own clocks are safe from us. **When one is further away, two may hold the
    /// item.**
    std::chrono::milliseconds skew{1'000};
    std::uint32_t clock_drift_ppm = 1000;  ///< as in `session_options`
    /// The time between two looks at a locked item: first and longest; half as much again after each. 10 ms to 1 min.
    std::chrono::milliseconds poll_interval{100};
    std::chrono::milliseconds longest_poll_interval{1'000};
};

/// Move-only. The destructor releases in the background, best effort.
class [[nodiscard]] wall_clock_guard {
public:
    wall_clock_guard() noexcept = default;

    /// Whether there is anything to hold; says nothing about its validity.
    explicit operator bool() const noexcept { return static_cast<bool>(hold_); }
    /// Whether the item is ours at this instant, if all clocks keep to their bounds. Any thread.
    bool held() const noexcept;
    /// `held`, `lost`, `released` or `empty`.
    guard_state state() const noexcept;
    /// Until it is over; it is not renewed. Zero when it is. Any thread.
    std::chrono::nanoseconds time_left() const noexcept;
    /// The item as it was locked, or as the last `update` left it. On the guard's executor only.
    const dynalease::item& item() const noexcept;

    /// Changes the item while the lock is ours, exactly once: each change moves the locking moment on by a
    /// microsecond, so that no second copy of it can land. (But for one case: the network itself copies both the write
    /// that locked the item and the change, and both copies come after the release, in this order.) Neither versions
    /// nor `item_lock` are looked at.
    ///
    /// Errors: `errc::condition_failed` when the caller's own condition was false; `errc::lock_lost` when it is over;
    /// `errc::not_held`; `errc::invalid_option` beside another write of the guard, and `errc::reserved_name` for the
    /// lock's attribute; `errc::in_doubt` when the answers stayed away, and when another has the item, or nobody: the
    /// write may have been done before. Nothing but `release` is possible then. Cancellation: all types; what was sent
    /// is in doubt. Cost: 1 write.
    boost::asio::awaitable<dynalease::item> update(update_expression change, condition_expression condition = {});
    template <class... Tail>
        requires verb_tail<dynalease::item, Tail...>
    auto update(update_expression change, condition_expression condition, Tail&&... tail) {
        return detail::initiate<dynalease::item>(executor(),
                                                 update_verb{hold_.share(), std::move(change), std::move(condition)},
                                                 std::forward<Tail>(tail)...);
    }
    template <class... Tail>
        requires verb_tail<dynalease::item, Tail...>
    auto update(update_expression change, Tail&&... tail) {
        return update(std::move(change), condition_expression{}, std::forward<Tail>(tail)...);
    }

    /// Gives the item back: invalid from the call on.
    ///
    /// Errors: `errc::lock_lost` when it was over, and no longer ours; `errc::not_held`; `errc::in_doubt` when the
    /// answer stayed away until the timeout, or the caller did not wait, and when the item was free too early: freed by
    /// a writer that does not look whose it is, or by a first copy of this release, if the network has repeated it; and
    /// what the service refuses: the library goes on trying until the timeout. Cancellation: all types; it goes on.
    /// Cost: 1 write.
    boost::asio::awaitable<void> release();
    template <class... Tail>
        requires verb_tail<void, Tail...>
    auto release(Tail&&... tail) {
        return detail::initiate<void>(executor(), release_verb{hold_.share()}, std::forward<Tail>(tail)...);
    }

private:
    friend class detail::wall_clock_hold;
    explicit wall_clock_guard(std::shared_ptr<detail::wall_clock_hold> hold) noexcept : hold_(std::move(hold)) {}
    boost::asio::any_io_executor executor() const;

    struct update_verb {
        std::shared_ptr<detail::wall_clock_hold> hold;
        update_expression change;
        condition_expression condition;
        void operator()(diagnostics* details, detail::handler_for<dynalease::item> handler) &&;
    };
    struct release_verb {
        std::shared_ptr<detail::wall_clock_hold> hold;
        void operator()(diagnostics* details, detail::handler_for<void> handler) &&;
    };

    detail::grant_owner<detail::wall_clock_hold> hold_;
};

/// A cheap handle.
///
/// The weakest of the library's locks, for one purpose: to share items with writers that already use this recipe, a
/// moment in an attribute, written if there is none or it is older than the timeout. Everyone's wall clock decides.
/// There is no fencing token and no renewal; a writer of the recipe that comes too late with its release frees whoever
/// has the item by then, which our guard learns at its next write; a late copy of a write that locks an item may lock
/// it once more, until the timeout, and so does a write that the network itself repeats, if the answer is that to the
/// copy; and after a lost answer we take for ours the lock of another who has drawn the very same microsecond.
/// In a forked child the guards of its parent are lost, and what was under way there ends with `errc::shut_down`.
/// `item_lock` and `versioned` do not see it. Where all writers are yours, take `item_lock`.
class wall_clock_lock {
public:
    /// @throws dynalease::error with `errc::invalid_name`, `errc::invalid_option` or `errc::bad_attribute`.
    wall_clock_lock(database where, item_ref target, wall_clock_options options = {});

    using executor_type = boost::asio::any_io_executor;
    executor_type get_executor() const noexcept;
    /// "<table>/<key>".
    const std::string& name() const noexcept;

    /// Waits until the item is ours, through outages too; empty `wait`: for ever. Not `until_known`, for nothing shows
    /// whether the holder lives: `errc::invalid_option`. Never creates it.
    ///
    /// Errors: `errc::missing`; `errc::wait_timeout`; `errc::cancelled`; `errc::corrupt_row` when the attribute is no
    /// string; `errc::in_doubt` when it was given up while a write had no answer: what landed all the same is given
    /// back in the background, or else is over by the timeout (as is what the network repeated); and what the service
    /// refuses. Cancellation: all types, at once. Cost: 1 write; behind another holder, 1 refused write at each look.
    [[nodiscard]] boost::asio::awaitable<wall_clock_guard> acquire(item_acquire_options options = {}) const;
    template <class... Tail>
        requires verb_tail<wall_clock_guard, Tail...>
    [[nodiscard]] auto acquire(item_acquire_options options, Tail&&... tail) const {
        return detail::initiate<wall_clock_guard>(get_executor(), acquire_verb{core_, hooks_, options, false},
                                                  std::forward<Tail>(tail)...);
    }
    template <class... Tail>
        requires verb_tail<wall_clock_guard, Tail...>
    [[nodiscard]] auto acquire(Tail&&... tail) const {
        return acquire(item_acquire_options{}, std::forward<Tail>(tail)...);
    }
    /// Takes the item if it is free; an empty guard if not, and diagnostics that are passed tell since when others have
    /// it. Errors and cancellation as `acquire`. Cost: 1 write.
    [[nodiscard]] boost::asio::awaitable<wall_clock_guard> try_acquire() const;
    template <class... Tail>
        requires verb_tail<wall_clock_guard, Tail...>
    [[nodiscard]] auto try_acquire(Tail&&... tail) const {
        return detail::initiate<wall_clock_guard>(get_executor(), acquire_verb{core_, hooks_, {}, true},
                                                  std::forward<Tail>(tail)...);
    }

private:
    friend wall_clock_lock observed(wall_clock_lock inner, grant_hook hook);
    struct acquire_verb {
        std::shared_ptr<detail::wall_clock_impl> core;
        std::shared_ptr<const detail::grant_hooks> hooks;
        item_acquire_options options;
        bool tries;
        void operator()(diagnostics* details, detail::handler_for<wall_clock_guard> handler) &&;
    };

    std::shared_ptr<detail::wall_clock_impl> core_;
    std::shared_ptr<const detail::grant_hooks> hooks_;  ///< told of what it asks for; null: nobody is
};

/// The same lock, but what is asked for by its verbs is told to the hook: see `grant_hook`. Nothing is told of a hook
/// that throws. A lock whose time runs out is told as lost when its guard ends.
wall_clock_lock observed(wall_clock_lock inner, grant_hook hook);

}  // namespace dynalease
#pragma GCC visibility pop
