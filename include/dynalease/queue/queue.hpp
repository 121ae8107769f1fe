// A queue by name: take a ticket, wait for your turn; strictly first in, first out over all processes.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/detail/braced.hpp>
#include <dynalease/queue/queue_turn.hpp>
#include <dynalease/runtime/time.hpp>
#include <dynalease/session.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace dynalease {

namespace detail {
class queue_impl;
struct enter_all_verb;

/// All users of one queue in a process share one implementation; whoever may call it keeps its session alive.
struct queue_target {
    std::shared_ptr<session_impl> core;
    std::shared_ptr<queue_impl> front;
};
}  // namespace detail

struct queue_options {
    /// What the entity is queued for: each reason is a queue of its own, independent of the others. At most 985
    /// bytes of UTF-8, without '/'.
    detail::braced<std::string> reason{};
    /// How often the next in line looks whether its turn has come. 10 ms to 1 min; all who stand behind a process that
    /// looks rarely wait for it.
    std::chrono::milliseconds poll_interval{170};
    /// Those further back look ever more rarely, so that all of them together stay below 12 looks at the queue a
    /// second however many they are, and 5 reads more of who stands in it: within about a second for each process
    /// before them, as the next hundred tickets show how many those are. A limit to that, for the price of more reads;
    /// at least `poll_interval`, at most a day.
    std::chrono::milliseconds longest_poll_interval{3'600'000};
};

/// Where one who waits stands in line, as far as its process has seen.
struct queue_place {
    std::int64_t ticket = 0;  ///< its own; another after the table was restored, or the session began anew
    std::int64_t before = 0;  ///< tickets that go before it at most, that of the turn included
};
/// As a log hook, it is called on the database's executor, and must not block.
using place_hook = std::function<void(const queue_place&)>;

struct enter_options {
    /// How long to wait for the turn, and for the session's first lease; empty: until the session is over. Zero fails
    /// if anybody is before us, a turn of this process that is still being left, too; so does less, of a deadline that
    /// is over. A try does not wait, whatever stands here. More than that, and less than a write takes, ends as
    /// `in_doubt`.
    /// `until_known` is a try for processes that end soon, which alone can tell the dead from the living: it draws no
    /// ticket, so that everybody who has one goes before it; fails when any of them is seen to live, which the first in
    /// line is its next heartbeat and a look later; and passes them over, and has the turn, when the leases of all have
    /// run out. It does not take what a living holder leaves meanwhile. Until its session is open, and
    /// until it has first seen the queue, it rides out an outage, or a table that throttles, for a lease of the session
    /// itself; of what fails later it is told at once, as of the last request: condition `unreachable` or `throttled`.
    /// It ends with `errc::session_lost` where the session is lost otherwise meanwhile. Not for `enter_all`.
    std::optional<std::chrono::nanoseconds> wait{};
    /// Shown to others by `inspect` while we wait, and when the turn lasts longer than a second. At most 400,000 bytes,
    /// and 3,800,000 in all rows of `enter_all`: else `errc::item_too_large`; `errc::bad_attribute` for what cannot be
    /// stored.
    /// GCC 12 does not compile a braced list of members inside an awaited expression: there, name the item before.
    detail::braced<item> data{};
    /// Told while we wait when the ticket stands in line, and then whenever fewer are seen to go before it, at most
    /// once a second; empty: nobody is. Tickets that were given up count until they are looked at, which is done the
    /// sooner the nearer the turn is. No request is sent for it. Not called any more once the wait is over. What it
    /// throws is told to the session's `log` as an error. A try does not wait; not for `enter_all`.
    detail::braced_hook<place_hook> on_place{};
};

/// A ticket that is not over, as others see it.
struct queue_entry {
    std::int64_t ticket = 0;
    std::string session{};  ///< empty: drawn a moment ago, and not written down yet
    std::string owner{};    ///< the session's `session_options::owner`
    wall_time since{};      ///< when it was drawn, by the wall clock of who drew it
    item data{};            ///< its `enter_options::data`
};

/// What a queue looks like to somebody who does not enter it.
struct queue_info {
    std::optional<queue_entry> holder{};  ///< whose turn it is; empty: nobody's
    std::vector<queue_entry> waiting{};   ///< first in, first out
    std::int64_t last_ticket = 0;         ///< the last that was drawn; 0: none ever, or long ago
};

/// A cheap handle; any number of them may name the same queue, in one process or many.
///
/// Tickets are drawn by one atomic write, and turns are granted in the order of those writes. Nobody who waits with a
/// live session is ever passed over; who is dead or has given up is. Where the head row was deleted, or the table
/// restored, those who wait draw new tickets, and turns are lost, as soon as that is seen. Callers of one process share
/// one watch, and a turn goes from one to the next of them by one write, without polling.
/// Callers of one process draw one after the other: they enter a queue in the order of their calls, also where the
/// answer to one comes late. An entry into several queues at once stands in a line of its own kind.
/// Not re-entrant: who has the turn and enters again waits for himself, until that wait ends; the log tells after a
/// lease. Entering a second queue while holding a turn in a first can deadlock with somebody who does it the other way
/// round: enter both at once, with `enter_all`.
class queue {
public:
    /// The polling bounds of the handle that was made first hold for all of one process.
    /// @param entity what is queued for: 1 to 2,042 bytes of UTF-8 (the key may have 2,048, and "queue#" is ours).
    /// @throws dynalease::error with `errc::invalid_name` or `errc::invalid_option`.
    queue(session& session, std::string entity, queue_options options = {});

    using executor_type = boost::asio::any_io_executor;
    executor_type get_executor() const noexcept;
    const std::string& name() const noexcept;
    const std::string& reason() const noexcept;

    /// Draws a ticket and waits for its turn.
    ///
    /// Errors: `errc::wait_timeout` (condition `contended`), whose diagnostics say who has the turn, for how long, and
    /// how many tickets go before, as far as it was seen; while the service does not answer, what became of the last
    /// request (condition `unreachable` or `throttled`); `errc::session_lost`, `errc::session_closed`;
    /// `errc::cancelled`; `errc::in_doubt` when it was given up, or a later copy refused, while the ticket's own write
    /// had no answer: the library then gives that ticket up in the background, so that nobody waits for it;
    /// and what the service refuses. Cancellation: all types, at once; the place in the queue is given up.
    /// Cost: 1 write for a free queue, and 1 more, in the background, when the turn lasts longer than a second; behind
    /// others 2 writes and reads at the poll rate; with `until_known` 2 or 3 reads in every eighth of the lease of the
    /// first in line, and queries, at first every 4 s, then whenever it has asked for a quarter longer. The first lease
    /// of a session costs one write more.
    [[nodiscard]] boost::asio::awaitable<queue_turn> enter(enter_options options = {}) const;
    template <class... Tail>
        requires verb_tail<queue_turn, Tail...>
    [[nodiscard]] auto enter(enter_options options, Tail&&... tail) const {
        return detail::initiate<queue_turn>(get_executor(), enter_verb{target_, std::move(options)},
                                            std::forward<Tail>(tail)...);
    }
    template <class... Tail>
        requires verb_tail<queue_turn, Tail...>
    [[nodiscard]] auto enter(Tail&&... tail) const {
        return enter(enter_options{}, std::forward<Tail>(tail)...);
    }

    /// Takes a turn if the queue is free; an empty turn if anybody holds or waits. Draws no ticket in vain.
    /// Repeated tries find out, in the background, whether those before are dead, and pass them over.
    ///
    /// Errors and cancellation as `enter`, without `wait_timeout`, and in doubt already after its second request
    /// without an answer; the same holds for `enter` with a wait of zero. Diagnostics that are passed tell who has the
    /// turn, as far as that is known. Cost: 1 write, or 1 read if the queue was seen busy a moment ago; a busy queue is
    /// examined in the background, once a second at most: 1 query, 1 read.
    [[nodiscard]] boost::asio::awaitable<queue_turn> try_enter(enter_options options = {}) const;
    template <class... Tail>
        requires verb_tail<queue_turn, Tail...>
    [[nodiscard]] auto try_enter(enter_options options, Tail&&... tail) const {
        return detail::initiate<queue_turn>(get_executor(), try_verb{target_, std::move(options)},
                                            std::forward<Tail>(tail)...);
    }
    template <class... Tail>
        requires verb_tail<queue_turn, Tail...>
    [[nodiscard]] auto try_enter(Tail&&... tail) const {
        return try_enter(enter_options{}, std::forward<Tail>(tail)...);
    }

    /// How many hold or wait: the place that one who entered now would have. Cost: 1 read, and 1 query for each 100
    /// tickets when it is not free.
    boost::asio::awaitable<std::size_t> position() const;
    template <class... Tail>
        requires verb_tail<std::size_t, Tail...>
    auto position(Tail&&... tail) const {
        return detail::initiate<std::size_t>(get_executor(), position_verb{target_}, std::forward<Tail>(tail)...);
    }

    /// Who holds and who waits, without entering. Tickets of sessions that are known here to be over are left out.
    /// Cost: as `position`.
    boost::asio::awaitable<queue_info> inspect() const;
    template <class... Tail>
        requires verb_tail<queue_info, Tail...>
    auto inspect(Tail&&... tail) const {
        return detail::initiate<queue_info>(get_executor(), inspect_verb{target_}, std::forward<Tail>(tail)...);
    }

private:
    friend struct detail::enter_all_verb;
    friend queue observed(queue inner, grant_hook hook);
    struct enter_verb {
        detail::in_lives<detail::queue_target> target;
        enter_options options;
        void operator()(diagnostics* details, detail::handler_for<queue_turn> handler) &&;
    };
    struct try_verb {
        detail::in_lives<detail::queue_target> target;
        enter_options options;
        void operator()(diagnostics* details, detail::handler_for<queue_turn> handler) &&;
    };
    struct position_verb {
        detail::in_lives<detail::queue_target> target;
        void operator()(diagnostics* details, detail::handler_for<std::size_t> handler) &&;
    };
    struct inspect_verb {
        detail::in_lives<detail::queue_target> target;
        void operator()(diagnostics* details, detail::handler_for<queue_info> handler) &&;
    };

    detail::in_lives<detail::queue_target> target_;
};

/// The same queue, but what is asked for by its verbs, or with others by `enter_all`, is told to the hook, too: see
/// `grant_hook`.
queue observed(queue inner, grant_hook hook);

}  // namespace dynalease
#pragma GCC visibility pop
