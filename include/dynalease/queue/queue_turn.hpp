// Proof that it is our turn in a queue, and the fence that makes the proof count elsewhere.
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

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#pragma GCC visibility push(default)
namespace dynalease {

namespace detail {
class queue_hold;
void abandon(queue_hold& hold) noexcept;
}  // namespace detail

/// Move-only. The destructor leaves in the background, best effort; `leave` says whether it worked.
class [[nodiscard]] queue_turn {
public:
    queue_turn() noexcept = default;

    /// Whether there is a turn at all; says nothing about its validity.
    explicit operator bool() const noexcept { return static_cast<bool>(hold_); }

    /// Whether it is our turn at this instant, by this process's clock; turns false exactly at the deadline, with
    /// or without a network, and in the call of `leave` or of the session's
    /// `close`. A turn of a free queue is written down when it has lasted a second: where that is not answered, it ends
    /// 3 s after it was drawn, however long the lease is. No I/O; any thread. A process paused right after this call
    /// cannot know: give the fencing token to whatever the queue protects.
    bool held() const noexcept;
    /// `released` once it was left.
    guard_state state() const noexcept;
    /// The number that was drawn: turns are granted in rising number, each once. 0 for an empty turn.
    std::int64_t ticket() const noexcept;
    /// The ticket. It rises with every turn of this queue, for ever, so that a resource which refuses smaller tokens
    /// than the largest it has seen cannot be harmed by a process that was paused.
    std::int64_t fencing_token() const noexcept { return ticket(); }
    /// How many were before us when the ticket was drawn; 0: it was our turn at once.
    std::size_t position() const noexcept;
    /// The queue's entity; empty for an empty turn.
    const std::string& name() const noexcept;

    /// The fence inside DynamoDB: beside your own writes in one TransactWriteItems, it lets them happen only while
    /// nobody after us can have the turn. @throws dynalease::error with `errc::not_held` if empty or left, with
    /// `errc::lock_lost` in a forked child, whose parent has it.
    /// A transaction that it refuses ends as `errc::transaction_canceled`, which equals `condition::conflict` as for
    /// any condition of it: `refused_condition`, given the place of the fence, tells that the turn is lost.
    condition_check fence() const;

    /// Ends the turn: invalid from the call on; the next in line has it with that one write.
    ///
    /// Errors: `errc::lock_lost`, `errc::session_lost` when it was no longer ours, or nobody can know: the claim of a
    /// turn that was not written down yet ended before the leaving was answered; `errc::not_held` for an empty turn
    /// or the second call; `errc::in_doubt` when the answer stayed away: the library goes on trying while the session
    /// lives. Cancellation: all types, with `errc::in_doubt`; the leaving goes on in the background. Cost: 1 write; for
    /// a turn that was written down also its share of a batch of deletes, in the background.
    boost::asio::awaitable<void> leave();
    template <class... Tail>
        requires verb_tail<void, Tail...>
    auto leave(Tail&&... tail) {
        return detail::initiate<void>(executor(), leave_verb{hold_.share()}, std::forward<Tail>(tail)...);
    }

    /// Completes with success when the turn is no longer ours without our doing; with `errc::not_held` once it is
    /// left. Cancellation: all types, with `errc::cancelled` and without effect on the turn.
    boost::asio::awaitable<void> lost() const;
    template <class... Tail>
        requires verb_tail<void, Tail...>
    auto lost(Tail&&... tail) const {
        return detail::initiate<void>(executor(), lost_verb{hold_.share()}, std::forward<Tail>(tail)...);
    }

private:
    friend class detail::queue_hold;
    explicit queue_turn(std::shared_ptr<detail::queue_hold> hold) noexcept : hold_(std::move(hold)) {}
    boost::asio::any_io_executor executor() const;

    struct leave_verb {
        std::shared_ptr<detail::queue_hold> hold;
        void operator()(diagnostics* details, detail::handler_for<void> handler) &&;
    };
    struct lost_verb {
        std::shared_ptr<detail::queue_hold> hold;
        void operator()(diagnostics* details, detail::handler_for<void> handler) &&;
    };

    detail::grant_owner<detail::queue_hold> hold_;
};

}  // namespace dynalease
#pragma GCC visibility pop
