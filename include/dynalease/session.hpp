// The process's liveness: one row, one heartbeat, any number of leases under it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/detail/access.hpp>
#include <dynalease/detail/braced.hpp>
#include <dynalease/detail/initiate.hpp>
#include <dynalease/dynamodb/database.hpp>
#include <dynalease/error.hpp>
#include <dynalease/grant_report.hpp>
#include <dynalease/log.hpp>
#include <dynalease/session/counters.hpp>
#include <dynalease/session/revoke_session.hpp>
#include <dynalease/session/state.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace dynalease {

namespace detail {
class session_impl;
class session_lives;
struct grant_hooks;

/// What a handle points to: its session, and the object behind it in the life of the session in which it was made.
template <class Target>
struct in_lives {
    std::shared_ptr<session_lives> lives;
    Target made;
    std::shared_ptr<const grant_hooks> hooks{};  ///< told of what it asks for; null: nobody is
};
}  // namespace detail

struct session_options {
    /// The coordination table, made by `create_table`. 3 to 255 characters; must be given.
    detail::braced<std::string> table;
    /// Shown to others who look at what this process holds; at most 256 bytes of UTF-8. Empty: "<host>/<pid>".
    detail::braced<std::string> owner{};
    /// How long the locks of a dead process stay taken. 1 s to 1 h.
    std::chrono::milliseconds lease{10'000};
    /// Time between two heartbeats; at most a third of `lease`. Zero: a quarter of it.
    std::chrono::milliseconds heartbeat{0};
    /// By how much each clock may run fast or slow against true time, in parts per million, so that two may differ in
    /// *rate* by twice that; at most 100,000.
    std::uint32_t clock_drift_ppm = 1000;
    /// How long the row of a released lock stays before TTL removes it. 1 day to 10 years.
    std::chrono::hours retention{7 * 24};
    /// Told when the session is live, in jeopardy or lost, and of heartbeats without an answer; empty: nobody is. It is
    /// called on the database's executor, where a long call delays the heartbeat; verbs may be called in it. It may be
    /// called after the session object has gone, whose closing goes on in the background: what it uses must outlive
    /// that, unless `close` is awaited. What it throws is dropped, and the session goes on.
    detail::braced_hook<log_hook> log{};
    /// Told each time the session, and with it all its guards, becomes `live`, `jeopardy`, `lost` or `closed`; empty:
    /// nobody is. In `jeopardy` more than half of the lease is left by default, to save what has been done and to begin
    /// nothing new; then it is `live` again, or `lost`. From the call of `close` on only its end is told. As with
    /// `log`, a long call delays the heartbeat, verbs may be called in it, and it may be called after the session
    /// object has gone. What it throws is told to `log` as an error, and the session goes on.
    detail::braced_hook<state_hook> on_state{};
    /// Told of all that is asked for under the session, when the wait is over, and of all that is held, when that ends;
    /// empty: nobody is, and it costs nothing. As `on_state`, it may be called after the session object has gone.
    detail::braced_hook<grant_hook> on_grant{};
    /// After a loss the session begins a new life: with a new identity and a row of its own, under which the handles
    /// made from it go on, and those who wait line up again. Guards of the former life stay lost. Off: it stays lost,
    /// and all that is asked of it fails with `errc::session_lost`.
    bool begins_anew = true;
};

/// For a session without a row: it needs no table and writes nothing of its own. Only item locks can be held under it,
/// and each keeps itself alive by writes to its item.
struct plain_session_options {
    /// How long an item lock of a dead process stays taken after its last write. 1 s to 1 h.
    std::chrono::milliseconds lease{30'000};
    /// Whether a held lock is renewed, by one write every third of the lease (two for a reader's). Otherwise it ends a
    /// lease after it was granted, or last written under: work that hangs does not keep it.
    bool renew = true;
    std::uint32_t clock_drift_ppm = 1000;        ///< as in `session_options`
    detail::braced_hook<log_hook> log{};         ///< told of locks that are lost, and of renewals without an answer
    detail::braced_hook<grant_hook> on_grant{};  ///< as in `session_options`
};

/// As a time to wait for a lock or a turn: only until it is known whether whoever is before us lives; without an answer
/// for a lease of the session itself, it ends with what became of the last request.
inline constexpr std::chrono::nanoseconds until_known = std::chrono::nanoseconds::min();

struct open_options {
    /// How long to wait for the session's lease; empty: as `acquire` does. Zero is one try, and so is less.
    std::optional<std::chrono::nanoseconds> wait{};
};

struct close_options {
    /// Let work end, then release every lock. `false` cancels the work at once, and leaves the locks to the lease,
    /// without a request, and without waiting for one: for a fast exit that others notice later.
    bool release = true;
    /// For all of it. Work of `with_lock` and `with_turn` may go on for the first half, and is cancelled then. The last
    /// second (at most a quarter) is kept for the write that ends the session, and so frees what could not be released.
    /// Only what work still goes on under is left to the lease, the session's row too. Less than none counts as none.
    std::chrono::milliseconds timeout{5'000};
    /// Guards count as work, too: whoever holds one may give it back himself in the first half of the time, and only
    /// then is it taken from him. For servers whose requests `acquire` and `release`. A guard that is held as long as
    /// the process lives, such as a leader's, makes each close take that half.
    bool waits_for_guards = false;
};

/// What `close` did, and what it left. Each guard that was held, or on its way back, is in one of the three; those of a
/// life that was lost before only if their release was still unanswered.
struct close_report {
    /// A lock, turn or item that may be taken for held, or a claim or place in line of a caller who had given up.
    struct unreleased {
        std::string name;
        /// `errc::in_doubt`: the write that gives it back has had no answer. `errc::session_closed`: none was sent,
        /// for work under it goes on, or `close_options::release` is off. Else how that write failed.
        error_code code;
    };
    /// Guards given back during the call, by it or by their own release, or handed to a next caller by a write that was
    /// under way: as much as the `released` and the `hand_overs` of `session_counters` together have grown.
    std::uint64_t released = 0;
    /// Guards that were lost meanwhile, most by the end of the lease: as much as `session_counters::lost` has grown.
    std::uint64_t lost = 0;
    /// Neither given back, as far as is known, nor lost when the call ended. What is learnt of them later counts there.
    std::vector<unreleased> failed;
    /// Success: no row says any more that the session lives, so that all of the above is free, but what is under a
    /// plain session, and a place in a queue whose ticket has no row yet: others pass that over after 3 s. Else why a
    /// row still may say so: all is free when the lease is over.
    /// `errc::session_closed`: nothing was sent, as above. `errc::session_lost`: the session was lost, and its row
    /// could not be closed, or is not this process's to close: the parent's, in a forked child. `errc::in_doubt`: the
    /// session was never live since it was last asked for a lease, and the write that was to make its row has had no
    /// answer; nothing was ever held under it. With `release` on, its row is closed in the background, if it is there:
    /// by one write, for which nobody waits.
    error_code row{};
};

/// A handle. Its end closes the session in the background, whatever was made from it; so keep it as long as its locks
/// are needed. One that was moved from may only be assigned to or destroyed.
///
/// A session lives from its first lease until its heartbeats go unanswered for a lease, or another process marks it
/// dead. All that it held is lost then, and what was asked under its guards is not asked again. With the next lease
/// that is asked for a new life begins, and calls that wait go on in it until their `wait` is over: at the end of the
/// line, with a new ticket. It is lost for good when its client is closed, in a forked child, and where `begins_anew`
/// is off.
///
/// Thread safety: it may be made and ended, verbs, `state`, `counters` and a guard's `held` may be called on any
/// thread; the rest, on the database's executor. Only one process can own a session: in a forked child it is lost at
/// once, so make one there after the fork. A session whose row is deleted by hand learns of it with its next heartbeat;
/// until then others may take its locks.
class session {
public:
    /// Costs nothing until the first lease: then one write, and one heartbeat write per period for any number
    /// of leases.
    /// @throws dynalease::error with `errc::invalid_option` or `errc::invalid_name`; the diagnostics name the field.
    session(database target, session_options options);
    /// Costs nothing. It is `live` until it is closed, and `over` completes no sooner; what can be lost is each lock by
    /// itself, which its guard's `state` and `lost` tell. Others see that a lock is over only by looking at its item
    /// for a whole lease, and a plain session never takes over from sessions that have a row: let all that lock a
    /// table's items do so in one way.
    /// @throws dynalease::error with `errc::invalid_option`; the diagnostics name the field.
    session(database target, plain_session_options options);
    /// Begins `close`, if that was not done, in the background and best effort; its guards are invalid at once. After
    /// the end of the `io_context` it does nothing: the lease ends.
    ~session();
    session(session&&) noexcept = default;
    session& operator=(session&& other) noexcept;
    session(const session&) = delete;
    session& operator=(const session&) = delete;

    using executor_type = boost::asio::any_io_executor;
    executor_type get_executor() const noexcept;

    /// Any thread. `closed` from the call of `close` on, also while work under a lock may still end: a loop that sees
    /// it can end by itself.
    session_state state() const noexcept;
    /// The random identity of this session's present life, as others see it in the rows it holds: 22 characters; of a
    /// plain session, these and its lease.
    std::string id() const;
    /// How many lives have begun: 1, and 1 more for each loss. Any thread.
    std::uint64_t lives() const;
    /// Of a plain session its lease, drift and log; all else as by default, with an empty `table`.
    const session_options& options() const noexcept;
    /// Any thread; each figure is that of a moment of its own.
    session_counters counters() const;

    /// Begins the session now instead of with the first lock: for a service that is to fail at its start, and not with
    /// its first request, where the endpoint, the keys, their rights or the table are wrong. A plain session has
    /// nothing to begin.
    /// Errors: those of `acquire`, but for what it says of others; `errc::validation` for a table whose key is no
    /// coordination table's, where the keys may describe it. Cancellation: all types. Cost: 1 write and 1
    /// DescribeTable; of a session that lives already only that.
    boost::asio::awaitable<void> open(open_options options = {}) const;
    template <class... Tail>
        requires verb_tail<void, Tail...>
    auto open(open_options options, Tail&&... tail) const {
        return detail::initiate<void>(get_executor(), open_verb{core_, options}, std::forward<Tail>(tail)...);
    }
    template <class... Tail>
        requires verb_tail<void, Tail...>
    auto open(Tail&&... tail) const {
        return open(open_options{}, std::forward<Tail>(tail)...);
    }

    /// Completes when the session is over: with success once it was closed by its owner, with `errc::session_lost` if
    /// it was lost for good. Cancellation: all types, with `errc::cancelled` and without effect on the session.
    boost::asio::awaitable<void> over() const;
    template <class... Tail>
        requires verb_tail<void, Tail...>
    auto over(Tail&&... tail) const {
        return detail::initiate<void>(get_executor(), over_verb{core_}, std::forward<Tail>(tail)...);
    }

    /// Closed from the call on: whoever waits, or asks for a lock, a turn or an item, fails with `errc::session_closed`
    /// (`inspect` needs no session, and goes on), and no work of `with_lock` or `with_turn` begins. Work that runs may
    /// end, for half of `close_options::timeout` (2.5 s by default), and guards may be given back for as long with
    /// `waits_for_guards`; meanwhile all guards stay in force, and heartbeats go on. What still runs then is cancelled
    /// (terminal), fails with `errc::session_closed`, and keeps its lock until it has ended; work that awaits the very
    /// close of its session is such, too. All other guards are invalid then, at once where no work runs; all locks are
    /// released, and the heartbeat ends. Idempotent; a closed session never opens again. What fails is in the report:
    /// the call itself fails with `errc::cancelled` alone. Cancellation: all types, of the wait for the end; the
    /// closing itself goes on in the background. Cost: one write per held lock, and one for the session; a plain one
    /// has none.
    boost::asio::awaitable<close_report> close(close_options options = {});
    template <class... Tail>
        requires verb_tail<close_report, Tail...>
    auto close(close_options options, Tail&&... tail) {
        return detail::initiate<close_report>(get_executor(), close_verb{core_, options}, std::forward<Tail>(tail)...);
    }
    template <class... Tail>
        requires verb_tail<close_report, Tail...>
    auto close(Tail&&... tail) {
        return close(close_options{}, std::forward<Tail>(tail)...);
    }

private:
    friend struct detail::access;
    struct open_verb {
        std::shared_ptr<detail::session_lives> core;
        open_options options;
        void operator()(diagnostics* details, detail::handler_for<void> handler) &&;
    };
    struct over_verb {
        std::shared_ptr<detail::session_lives> core;
        void operator()(diagnostics* details, detail::handler_for<void> handler) &&;
    };
    struct close_verb {
        std::shared_ptr<detail::session_lives> core;
        close_options options;
        void operator()(diagnostics* details, detail::handler_for<close_report> handler) &&;
    };

    std::shared_ptr<detail::session_lives> core_;
};

}  // namespace dynalease
#pragma GCC visibility pop
