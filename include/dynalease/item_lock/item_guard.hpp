// Proof that an item is locked, and the writes that happen only while it is.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/detail/grant_owner.hpp>
#include <dynalease/detail/initiate.hpp>
#include <dynalease/dynamodb/condition_expression.hpp>
#include <dynalease/dynamodb/operations.hpp>
#include <dynalease/dynamodb/refused_condition.hpp>
#include <dynalease/dynamodb/update_expression.hpp>
#include <dynalease/error.hpp>
#include <dynalease/guard_state.hpp>
#include <dynalease/item/resolution.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#pragma GCC visibility push(default)
namespace dynalease {

namespace detail {
class item_hold;
void abandon(item_hold& hold) noexcept;
enum class guarded_end { keep, release };
}  // namespace detail

/// Move-only. The destructor releases in the background, best effort; `release` says whether it worked.
class [[nodiscard]] item_guard {
public:
    item_guard() noexcept = default;

    /// Whether there is anything to hold; says nothing about its validity.
    explicit operator bool() const noexcept { return static_cast<bool>(hold_); }

    /// Whether the item is ours at this instant, by this process's clock; turns false exactly at the deadline, with or
    /// without a network, and in the call of the verb that ends the guard (`release`, `update_and_release`, `erase`) or
    /// its session (`close`). The deadline is the session's; of a plain one, a lease after the last acknowledged
    /// renewal or write under this very lock. No I/O; any thread.
    bool held() const noexcept;
    /// As `held`; a plain lock that is not renewed is never in `jeopardy`.
    guard_state state() const noexcept;
    /// False for a reader's guard, and from when the write of `downgrade` is sent, unless that surely failed.
    bool exclusive() const noexcept;
    /// Rises with every grant for as long as the item lives. 0 for an empty guard.
    std::int64_t fencing_token() const noexcept;
    /// "<table>/<key>"; empty for an empty guard.
    const std::string& name() const noexcept;

    /// The item as the grant found it, or as the last `update` left it: no read is needed to begin. Of a guard that
    /// another of this process handed over, as that one left it. On the guard's executor only.
    const dynalease::item& item() const noexcept;

    /// The fence for writes to other items: beside them in one TransactWriteItems, it lets them happen only while this
    /// very grant is in force, and the item the one that was locked: one that was removed and made again refuses it, if
    /// the library had made it. A reader's of a plain session, until it is renewed: make it just before its use.
    /// @throws dynalease::error with `errc::not_held` if empty or released, with `errc::lock_lost` in a forked child.
    /// A transaction that it refuses ends as `errc::transaction_canceled`, which equals `condition::conflict` as for
    /// any condition of it: `refused_condition`, given the place of the fence, tells that the lock is lost.
    condition_check fence() const;
    /// The fence for writes to this very item that are not this guard's own: as their condition it lets them happen
    /// only while this very grant is in force, as `fence` does for others. So an optimistic save of the locked item,
    /// beside others in `save_all`, is this holder's alone:
    ///
    ///     dynalease::save_options ours{.condition = guard.condition(), .ignore_lock = true};
    ///
    /// `item()` stays as it was after such a write. @throws as `fence`.
    condition_expression condition() const;

    /// Changes the item while it is ours: refused if it no longer is, whatever was paused or delayed. Exactly once: an
    /// answer that was lost is resolved by the write's own step number. Raises the item's version, so that nobody's
    /// optimistic save passes over it (option `versioned`). @returns the item after it.
    ///
    /// Errors: `errc::condition_failed` when the caller's own condition was false: the guard stays valid;
    /// `errc::lock_lost`, `errc::session_lost`; `errc::not_exclusive` for a reader's guard; `errc::not_held`;
    /// `errc::reserved_name` for an attribute of the library; `errc::bad_version` where the item's version is none, or
    /// goes by another name than the lock's options say, `errc::version_overflow` where it is at their limit;
    /// `errc::item_too_large`; `errc::in_doubt` when the answers stayed away for 10 s, also if the lock was lost after
    /// that: no other write of this guard is sent then, `release` resolves it, and `doubtful_write` says how; and when
    /// the lock is gone, and the item no longer tells whether the write was made before (the network may have repeated
    /// it, so that the answer is that to a copy);
    /// `errc::invalid_option` beside another write of this guard: they go one at a time. Cancellation: all types; what
    /// was sent is in doubt. Cost: 1 write. Under a plain session a renewal that is under way is waited for first, as
    /// by all the writes below: as a rule for one answer, at the most until the lock is lost.
    boost::asio::awaitable<dynalease::item> update(update_expression change, condition_expression condition = {});
    template <class... Tail>
        requires verb_tail<dynalease::item, Tail...>
    auto update(update_expression change, condition_expression condition, Tail&&... tail) {
        return detail::initiate<dynalease::item>(
            executor(), update_verb{hold_.share(), std::move(change), std::move(condition), detail::guarded_end::keep},
            std::forward<Tail>(tail)...);
    }
    template <class... Tail>
        requires verb_tail<dynalease::item, Tail...>
    auto update(update_expression change, Tail&&... tail) {
        return update(std::move(change), condition_expression{}, std::forward<Tail>(tail)...);
    }

    /// The last change and the release in one write: lock, change, unlock are 2 writes in all. Invalid from the call
    /// on, and the guard may end right after it; when the caller's own condition is false, it is released all the same,
    /// by 1 write more. Where it fails before anything is sent (for an attribute's name, say), the guard is as it was.
    /// Errors and cancellation as `update`; what is unresolved then is released in the background.
    boost::asio::awaitable<dynalease::item> update_and_release(update_expression change,
                                                               condition_expression condition = {});
    template <class... Tail>
        requires verb_tail<dynalease::item, Tail...>
    auto update_and_release(update_expression change, condition_expression condition, Tail&&... tail) {
        return detail::initiate<dynalease::item>(
            executor(),
            update_verb{hold_.share(), std::move(change), std::move(condition), detail::guarded_end::release},
            std::forward<Tail>(tail)...);
    }
    template <class... Tail>
        requires verb_tail<dynalease::item, Tail...>
    auto update_and_release(update_expression change, Tail&&... tail) {
        return update_and_release(std::move(change), condition_expression{}, std::forward<Tail>(tail)...);
    }

    /// Removes the item, and the lock with it. Invalid from the call on, errors, cancellation, cost: as
    /// `update_and_release`; `errc::in_doubt` also when there is no item any more, and nobody knows who removed it.
    boost::asio::awaitable<void> erase(condition_expression condition = {});
    template <class... Tail>
        requires verb_tail<void, Tail...>
    auto erase(condition_expression condition, Tail&&... tail) {
        return detail::initiate<void>(executor(), erase_verb{hold_.share(), std::move(condition)},
                                      std::forward<Tail>(tail)...);
    }
    template <class... Tail>
        requires verb_tail<void, Tail...>
    auto erase(Tail&&... tail) {
        return erase(condition_expression{}, std::forward<Tail>(tail)...);
    }

    /// From writer to reader, letting other readers in; valid all the way through. The other direction is not
    /// offered: two readers that both wanted it would wait for each other for ever. Release, then acquire.
    /// Errors, cancellation, cost: as `update`.
    boost::asio::awaitable<void> downgrade();
    template <class... Tail>
        requires verb_tail<void, Tail...>
    auto downgrade(Tail&&... tail) {
        return detail::initiate<void>(executor(), downgrade_verb{hold_.share()}, std::forward<Tail>(tail)...);
    }

    /// Gives the item back: invalid from the call on. Touches only the lock's own attributes.
    ///
    /// Errors: `errc::lock_lost`, `errc::session_lost` when it was no longer ours; `errc::not_held` for an empty guard
    /// or the second call; `errc::in_doubt` when the answer stayed away: the library goes on trying while the session
    /// lives. Cancellation: all types, with `errc::in_doubt`; the release goes on in the background. Cost: 1 write;
    /// none when other readers of this process go on.
    boost::asio::awaitable<void> release();
    template <class... Tail>
        requires verb_tail<void, Tail...>
    auto release(Tail&&... tail) {
        return detail::initiate<void>(executor(), release_verb{hold_.share()}, std::forward<Tail>(tail)...);
    }

    /// What became of the write of this guard that was in doubt, once `release` has succeeded: it names the step that
    /// the item was at. `open` before that, without such a write, where the release itself had no answer, and where a
    /// condition of the caller's was in doubt as well. Any thread.
    resolution doubtful_write() const noexcept;

    /// Completes with success when the item is no longer ours without our doing; with `errc::not_held` once it is
    /// released. Cancellation: all types, with `errc::cancelled` and without effect on the lock. No requests.
    boost::asio::awaitable<void> lost() const;
    template <class... Tail>
        requires verb_tail<void, Tail...>
    auto lost(Tail&&... tail) const {
        return detail::initiate<void>(executor(), lost_verb{hold_.share()}, std::forward<Tail>(tail)...);
    }

private:
    friend class detail::item_hold;
    explicit item_guard(std::shared_ptr<detail::item_hold> hold) noexcept : hold_(std::move(hold)) {}
    boost::asio::any_io_executor executor() const;

    struct update_verb {
        std::shared_ptr<detail::item_hold> hold;
        update_expression change;
        condition_expression condition;
        detail::guarded_end end;
        void operator()(diagnostics* details, detail::handler_for<dynalease::item> handler) &&;
    };
    struct erase_verb {
        std::shared_ptr<detail::item_hold> hold;
        condition_expression condition;
        void operator()(diagnostics* details, detail::handler_for<void> handler) &&;
    };
    struct downgrade_verb {
        std::shared_ptr<detail::item_hold> hold;
        void operator()(diagnostics* details, detail::handler_for<void> handler) &&;
    };
    struct release_verb {
        std::shared_ptr<detail::item_hold> hold;
        void operator()(diagnostics* details, detail::handler_for<void> handler) &&;
    };
    struct lost_verb {
        std::shared_ptr<detail::item_hold> hold;
        void operator()(diagnostics* details, detail::handler_for<void> handler) &&;
    };

    detail::grant_owner<detail::item_hold> hold_;
};

}  // namespace dynalease
#pragma GCC visibility pop
