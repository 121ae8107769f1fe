// Proof that a lock is held, and the fence that makes the proof count elsewhere.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/detail/grant_owner.hpp>
#include <dynalease/detail/initiate.hpp>
#include <dynalease/dynamodb/operations.hpp>
#include <dynalease/dynamodb/refused_condition.hpp>
#include <dynalease/error.hpp>
#include <dynalease/guard_state.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#pragma GCC visibility push(default)
namespace dynalease {

namespace detail {
class lock_hold;
void abandon(lock_hold& hold) noexcept;
}  // namespace detail

/// Move-only. The destructor releases in the background, best effort; `release` says whether it worked.
///
/// Write its type where you take it: `lock_guard guard = co_await lock.acquire();` does not compile without the
/// `co_await`, while with `auto` only the first use of the guard does not.
class [[nodiscard]] lock_guard {
public:
    lock_guard() noexcept = default;

    /// Whether there is anything to hold; says nothing about its validity.
    explicit operator bool() const noexcept { return static_cast<bool>(hold_); }

    /// Whether the lock is ours at this instant, by this process's clock; turns false exactly at the deadline,
    /// with or without a network, and in the call of `release` or of the session's
    /// `close`. No I/O; any thread. A process paused right after this call cannot know: give
    /// the fencing token to whatever the lock protects.
    bool held() const noexcept;
    guard_state state() const noexcept;
    /// Rises with every grant of this lock, for ever. A resource that refuses smaller tokens than the largest it
    /// has seen cannot be harmed by a holder that was paused. 0 for an empty guard.
    std::int64_t fencing_token() const noexcept;
    /// The lock's name; empty for an empty guard.
    const std::string& name() const noexcept;

    /// The fence inside DynamoDB: beside your own writes in one TransactWriteItems, it lets them happen only
    /// while this very grant stands in the lock's row: until it is given back, or somebody takes the lock over, which
    /// may be long after the lease that `held()` asks for. @throws dynalease::error with `errc::not_held` if empty or
    /// released, with `errc::lock_lost` in a forked child, whose parent holds it.
    /// A transaction that it refuses ends as `errc::transaction_canceled`, which equals `condition::conflict` as for
    /// any condition of it: `refused_condition`, given the place of the fence, tells that the lock is lost.
    condition_check fence() const;

    /// Gives the lock back: invalid from the call on, freed or handed to the next local waiter by one write.
    ///
    /// Errors: `errc::lock_lost`, `errc::session_lost` when it was no longer ours; `errc::not_held` for an empty
    /// guard or the second call; `errc::in_doubt` when the answer stayed away: the library goes on trying while
    /// the session lives. Cancellation: all types, with
    /// `errc::in_doubt`; the release goes on in the background. Cost: 1 write.
    boost::asio::awaitable<void> release();
    template <class... Tail>
        requires verb_tail<void, Tail...>
    auto release(Tail&&... tail) {
        return detail::initiate<void>(executor(), release_verb{hold_.share()}, std::forward<Tail>(tail)...);
    }

    /// Completes with success when the lock is no longer ours without our doing; with `errc::not_held` once it is
    /// released. Cancellation: all types, with `errc::cancelled` and without effect on the lock.
    boost::asio::awaitable<void> lost() const;
    template <class... Tail>
        requires verb_tail<void, Tail...>
    auto lost(Tail&&... tail) const {
        return detail::initiate<void>(executor(), lost_verb{hold_.share()}, std::forward<Tail>(tail)...);
    }

private:
    friend class detail::lock_hold;
    explicit lock_guard(std::shared_ptr<detail::lock_hold> hold) noexcept : hold_(std::move(hold)) {}
    boost::asio::any_io_executor executor() const;

    struct release_verb {
        std::shared_ptr<detail::lock_hold> hold;
        void operator()(diagnostics* details, detail::handler_for<void> handler) &&;
    };
    struct lost_verb {
        std::shared_ptr<detail::lock_hold> hold;
        void operator()(diagnostics* details, detail::handler_for<void> handler) &&;
    };

    detail::grant_owner<detail::lock_hold> hold_;
};

}  // namespace dynalease
#pragma GCC visibility pop
