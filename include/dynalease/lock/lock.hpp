// An exclusive lock by name: a fenced lease, fair between the processes that wait for it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/detail/braced.hpp>
#include <dynalease/lock/lock_guard.hpp>
#include <dynalease/runtime/time.hpp>
#include <dynalease/session.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#pragma GCC visibility push(default)
namespace dynalease {

namespace detail {
class lock_impl;

/// All users of one name in a life of a session share one implementation; whoever may call it keeps that alive.
struct lock_target {
    std::shared_ptr<session_impl> core;
    std::shared_ptr<lock_impl> front;
};
}  // namespace detail

struct acquire_options {
    /// How long to wait, for others and for the session's first lease; empty: until the session is over. Zero is a try
    /// that fails with an error, also while this process still gives the lock back; so is less, of a deadline that is
    /// over. A try does not wait, whatever stands here. More than that, and less than a write takes, ends as
    /// `in_doubt`. `until_known` is a try for processes that end soon, which alone can tell a dead holder from a living
    /// one: it fails when the holder is seen to live, its next heartbeat and a look later, and takes the lock over when
    /// its lease has run out; and it does not take what a living holder gives back meanwhile. It rides out an outage,
    /// or a table that throttles, that is shorter than the session's own lease; of one that lasts it is told after that
    /// and the time of one request, as of the last: condition `unreachable` or `throttled`, or `in_doubt` where a write
    /// had no answer. So while the service answers it ends within the holder's lease. It ends with `errc::session_lost`
    /// where the session is lost otherwise meanwhile.
    std::optional<std::chrono::nanoseconds> wait{};
    /// Kept in the lock's row (attribute `data`), shown by `inspect`, and told, cut to some 200 bytes, to who waits for
    /// the lock in vain, and so to his logs: no secrets. Empty: what is there stays, though an earlier holder wrote it.
    /// At most 400,000 bytes: else `errc::item_too_large`; `errc::bad_attribute` for what cannot be stored.
    /// GCC 12 does not compile a braced list of members inside an awaited expression: there, name the item before.
    detail::braced<item> data{};
};

struct lock_options {
    /// The shortest time between two looks at the row while another process holds the lock. The more processes
    /// wait, the longer it gets, so that all in line together read it about 8 times a second, and the holder's
    /// session up to 4 times. 10 ms to 1 s: one who looked more rarely would be taken for dead when its turn comes, and
    /// lose its place. All handles of one name in a session share the options that came first.
    std::chrono::milliseconds poll_interval{140};
};

/// What a lock looks like to somebody who does not take it.
struct lock_info {
    bool held = false;               ///< a session that is not over holds it
    std::string holder{};            ///< the holding session's id; empty: free
    std::string owner{};             ///< the holding session's `session_options::owner`
    std::int64_t fencing_token = 0;  ///< of the last grant; 0: never granted
    std::size_t waiting = 0;         ///< processes in line
    wall_time since{};               ///< when the last grant was asked for, by the clock of who did
    wall_time last_heartbeat{};      ///< of the holding session that landed, by its own clock. The epoch: not known
    item data{};                     ///< of the last grant that brought any: `acquire_options::data`
};

/// A cheap handle; any number of them may name the same lock, in one process or many.
///
/// Within a process callers are served first come, first served, with one write per hand-off and no polling.
/// Between processes whoever stands in the lock's line, of up to 24 processes, is overtaken a bounded number of times;
/// to get into it beside one who takes the lock again and again without a pause may take seconds. Strict order is the
/// queue's promise.
/// Not re-entrant: who holds it and acquires it again waits for himself, until that wait ends; the log tells after a
/// lease. A handle that was moved from may only be assigned to or destroyed.
class lock {
public:
    /// @param name 1 to 2,043 bytes of UTF-8 (the key may have 2,048, and "lock#" is ours).
    /// @throws dynalease::error with `errc::invalid_name` or `errc::invalid_option`.
    lock(session& session, std::string name, lock_options options = {});

    using executor_type = boost::asio::any_io_executor;
    executor_type get_executor() const noexcept;
    const std::string& name() const noexcept;

    /// Waits until the lock is ours.
    ///
    /// Errors: `errc::wait_timeout` (condition `contended`), whose diagnostics say who has it, for how long, whether
    /// its heartbeat moves, and the row's data, as far as all that was seen; while the service does not answer, what
    /// became of the last request (condition `unreachable` or `throttled`: see the table of `errc`);
    /// `errc::session_lost`, `errc::session_closed`; `errc::cancelled`; `errc::in_doubt` when it was given up while a
    /// write had no answer: the library then resolves it in the background, so that no orphaned lock stays behind; and
    /// what the service refuses. Cancellation: all types, at once. Cost: 1 write when free; behind another process 1
    /// refused write, 1 to join the line, reads at the poll rate, 1 write when it is free; with `until_known` 2 reads
    /// in every eighth of the holder's lease. The first lease of a session costs one write more.
    [[nodiscard]] boost::asio::awaitable<lock_guard> acquire(acquire_options options = {}) const;
    template <class... Tail>
        requires verb_tail<lock_guard, Tail...>
    [[nodiscard]] auto acquire(acquire_options options, Tail&&... tail) const {
        return detail::initiate<lock_guard>(get_executor(), acquire_verb{target_, std::move(options)},
                                            std::forward<Tail>(tail)...);
    }
    template <class... Tail>
        requires verb_tail<lock_guard, Tail...>
    [[nodiscard]] auto acquire(Tail&&... tail) const {
        return acquire(acquire_options{}, std::forward<Tail>(tail)...);
    }

    /// Takes the lock if it is free, or if its holder is known to be dead; an empty guard if another holds it, or
    /// stands in line for it. A dead one that stands there is passed over by whoever tries again seconds later.
    ///
    /// Errors and cancellation as `acquire`, without `wait_timeout`; what others are told after retries a try is told
    /// at once, and `errc::in_doubt` when its write went without an answer and may still land, though others have the
    /// lock now. Diagnostics that are passed tell who has it, as far as that is known. Cost: 1 write; when held
    /// elsewhere, at most one read more.
    [[nodiscard]] boost::asio::awaitable<lock_guard> try_acquire(acquire_options options = {}) const;
    template <class... Tail>
        requires verb_tail<lock_guard, Tail...>
    [[nodiscard]] auto try_acquire(acquire_options options, Tail&&... tail) const {
        return detail::initiate<lock_guard>(get_executor(), try_verb{target_, std::move(options)},
                                            std::forward<Tail>(tail)...);
    }
    template <class... Tail>
        requires verb_tail<lock_guard, Tail...>
    [[nodiscard]] auto try_acquire(Tail&&... tail) const {
        return try_acquire(acquire_options{}, std::forward<Tail>(tail)...);
    }

    /// Who holds it and who waits, without taking it. Cost: 1 read, and 1 more when it is held.
    [[nodiscard]] boost::asio::awaitable<lock_info> inspect() const;
    template <class... Tail>
        requires verb_tail<lock_info, Tail...>
    auto inspect(Tail&&... tail) const {
        return detail::initiate<lock_info>(get_executor(), inspect_verb{target_}, std::forward<Tail>(tail)...);
    }

private:
    friend lock observed(lock inner, grant_hook hook);
    struct acquire_verb {
        detail::in_lives<detail::lock_target> target;
        acquire_options options;
        void operator()(diagnostics* details, detail::handler_for<lock_guard> handler) &&;
    };
    struct try_verb {
        detail::in_lives<detail::lock_target> target;
        acquire_options options;
        void operator()(diagnostics* details, detail::handler_for<lock_guard> handler) &&;
    };
    struct inspect_verb {
        detail::in_lives<detail::lock_target> target;
        void operator()(diagnostics* details, detail::handler_for<lock_info> handler) &&;
    };

    detail::in_lives<detail::lock_target> target_;
};

/// The same lock, but what is asked for by its verbs is told to the hook, too: see `grant_hook`.
lock observed(lock inner, grant_hook hook);

}  // namespace dynalease
#pragma GCC visibility pop
