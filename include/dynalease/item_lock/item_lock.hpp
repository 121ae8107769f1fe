// A lock kept on the application's own item: for one writer, or for many readers.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/detail/braced.hpp>
#include <dynalease/dynamodb/item.hpp>
#include <dynalease/item/item_ref.hpp>
#include <dynalease/item/key_values.hpp>
#include <dynalease/item_lock/item_guard.hpp>
#include <dynalease/runtime/time.hpp>
#include <dynalease/session.hpp>
#include <dynalease/versioned/versioned_options.hpp>

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace dynalease {

namespace detail {
class item_lock_impl;
struct acquire_all_verb;

/// All users of one item in a process share one implementation; whoever may call it keeps its session alive.
struct item_target {
    std::shared_ptr<session_impl> core;
    std::shared_ptr<item_lock_impl> front;
};
}  // namespace detail

struct item_lock_options {
    /// What the names of the lock's four attributes begin with: "_lockW", "_lockR", "_lockI", "_lockF". Not for use in
    /// an index: every lock and release would write it.
    detail::braced<std::string> prefix{"_lock"};
    /// Guarded writes raise the item's version and leave a stamp, so that optimistic saves made before them are
    /// refused. Off only where nobody uses versions: an attribute of that name is then the application's own.
    bool versioned = true;
    detail::braced<std::string> version{"version"};  ///< as in `versioned_options`
    detail::braced<std::string> stamp{"_stamp"};     ///< as in `versioned_options`
    bool stamps = true;                              ///< as in `versioned_options`
    std::int64_t first_version = 1;                  ///< of an item that has none
    std::int64_t step = 1;                           ///< what a write adds to the version; at least 1
    /// As in `versioned_options`.
    std::int64_t version_limit = std::numeric_limits<std::int64_t>::max();
    /// How many readers at once, over all processes; each takes 30 bytes of the item. 1 to 1,000.
    std::size_t most_readers = 64;
    /// The time between two looks at a locked item: first and longest; half as much again after each look that shows
    /// nothing new. 10 ms to 1 min.
    std::chrono::milliseconds poll_interval{100};
    std::chrono::milliseconds longest_poll_interval{1'000};
};

struct item_acquire_options {
    /// How long to wait for others; empty: until the session is over. A plain session, which outlives any outage, ends
    /// all waits for an item about which nothing was answered for a lease. Zero is a try that fails with an error; so
    /// is less, of a deadline that is over. `until_known` is a try for processes that end soon, which alone can tell
    /// the dead from the living: it fails when any of those in the way is seen to live (the writer, who waits to write
    /// and keeps readers out, or, for a writer, any reader), their next heartbeat and a look later, and takes the item
    /// over when the leases of all have run out. A plain session shows that it lives by what it writes into the item,
    /// at the latest when it renews its lock. What a living holder gives back meanwhile is not taken. It fails at once
    /// behind a transaction, and, of a plain session, behind sessions with a row, which it never takes over from. It
    /// rides out an outage, or a table that throttles, that is shorter than the session's own lease, and is then told
    /// of the last request. It ends with `errc::session_lost` where the session is lost meanwhile. Not for
    /// `acquire_all`.
    std::optional<std::chrono::nanoseconds> wait{};
};

/// What an item's lock looks like to somebody who does not take it.
struct item_lock_info {
    /// Somebody who stands in the item.
    struct claimant {
        std::string session{};  ///< its id; empty: what stands there is not of the library's making
        std::string owner{};    ///< its `session_options::owner`; empty where that is not known
        bool over = false;      ///< it is known to be dead or closed: what it holds is anybody's to take
        /// Its last that landed, by its own clock; the epoch: not known.
        wall_time last_heartbeat{};
    };
    std::optional<claimant> writer{};  ///< who holds the item alone
    std::vector<claimant> readers{};   ///< who reads it, an entry for each process
    std::optional<claimant> intent{};  ///< the writer that waits, and lets no further readers in
    std::string transaction{};         ///< the id of the transaction that holds the item; empty: none does
    std::int64_t fencing_token = 0;    ///< the highest that was granted, or given up; 0: never locked
    item attributes{};                 ///< the item, as it lies there

    /// Somebody holds it who is not known to be over.
    bool held() const noexcept {
        const auto holds = [](const claimant& each) { return !each.over; };
        return (writer && holds(*writer)) || std::any_of(readers.begin(), readers.end(), holds);
    }
};

namespace detail {
/// A lock that keeps an item's version as its table does.
item_lock_options kept_as(const versioned_options& table, item_lock_options how);
}  // namespace detail

/// A table of versioned items: `versioned<T>`, `versioned_items`.
template <class T>
concept table_of_versions = requires(const T& table) {
    { table.options() } -> std::same_as<const versioned_options&>;
};

/// A cheap handle; any number of them may name the same item, in one process or many.
///
/// The lock is a matter of four attributes of the item: it never creates the item and never deletes it. Optimistic
/// saves of `versioned` respect it.
///
/// What is fair: callers of one process are served in their order. Readers share the item; a writer that waits for them
/// lets no further ones in, those of the same process after a second at the latest. So never ask for the item again
/// as a reader while this very caller reads it: a writer that came in between waits for the first hold, and the
/// second would wait for that writer. Between processes there is no order, and nobody is kept out: whoever saw the
/// item go from one writer to another three times leaves an intent (beside one who takes it again and again, and is
/// nearer to the table, that may take seconds), and gets it after at most 8 more turns inside the process that has it.
/// For order, and for herds, use `queue`. Above 4 KB an item costs more than one unit for each lock request, and above
/// 100 KB it is looked at more rarely (25 read units a second): prefer the named `lock`.
class item_lock {
public:
    /// Numbers are one key when they are equal: 1, 1.0 and 1E0 name the same item.
    ///
    /// All handles of one item in a session must say the same of its attributes, whoever makes them (a promoted
    /// `update` does, too): where versions have another name than "version", take the lock from their table, as below.
    /// Of `most_readers` and the times between looks those of the handle that was made first hold.
    /// @throws dynalease::error with `errc::invalid_name` or `errc::invalid_option`; the diagnostics name the field.
    item_lock(session& session, item_ref target, item_lock_options options = {});
    /// Of an item of a versioned table: the names of the attributes, `first_version`, `step`, `version_limit` and
    /// `stamps` are the table's.
    template <table_of_versions Table>
    item_lock(session& session, const Table& table, const key_values& key, item_lock_options options = {})
        : item_lock(session, item_ref{table.options().table, key.named(table.options().key, table.options().sort_key)},
                    detail::kept_as(table.options(), std::move(options))) {}

    using executor_type = boost::asio::any_io_executor;
    executor_type get_executor() const noexcept;
    /// "<table>/<key>".
    const std::string& name() const noexcept;

    /// Waits until the item is ours alone.
    ///
    /// Errors: `errc::missing`; `errc::wait_timeout` (condition `contended`); while the service does not answer, what
    /// became of the last request (condition `unreachable` or `throttled`); `errc::session_lost`,
    /// `errc::session_closed`; `errc::cancelled`; `errc::in_doubt` when it was given up while a write had no answer:
    /// the library then resolves it in the background, so that no orphaned lock stays behind;
    /// `errc::unsupported_version` or `errc::corrupt_row` for attributes that are not ours; `errc::item_too_large` for
    /// an item without room for the lock (100 bytes); under a plain session, without an answer for a lease, what became
    /// of the last request (condition `in_doubt`, `unreachable` or `throttled`); and what the service refuses.
    /// Cancellation: all types, at once. Cost: 1 write, which brings the item; behind others 1 refused write, reads at
    /// the poll rate, 1 write; behind readers, and behind writers that take turns, 1 write more; with `until_known` 1
    /// read of the item, and 1 for each session with a row in the way, in every eighth of the shortest of their leases.
    /// The first lease of a session with a row costs one write more.
    [[nodiscard]] boost::asio::awaitable<item_guard> acquire(item_acquire_options options = {}) const;
    template <class... Tail>
        requires verb_tail<item_guard, Tail...>
    [[nodiscard]] auto acquire(item_acquire_options options, Tail&&... tail) const {
        return start(options, item_way::exclusive, std::forward<Tail>(tail)...);
    }
    template <class... Tail>
        requires verb_tail<item_guard, Tail...>
    [[nodiscard]] auto acquire(Tail&&... tail) const {
        return acquire(item_acquire_options{}, std::forward<Tail>(tail)...);
    }

    /// Waits until no writer has the item; other readers may. All readers of one process share one entry.
    ///
    /// Errors, cancellation, cost: as `acquire`; where this process reads the item already none, and 1 read when it has
    /// not looked for a second whether a writer waits.
    [[nodiscard]] boost::asio::awaitable<item_guard> acquire_shared(item_acquire_options options = {}) const;
    template <class... Tail>
        requires verb_tail<item_guard, Tail...>
    [[nodiscard]] auto acquire_shared(item_acquire_options options, Tail&&... tail) const {
        return start(options, item_way::shared, std::forward<Tail>(tail)...);
    }
    template <class... Tail>
        requires verb_tail<item_guard, Tail...>
    [[nodiscard]] auto acquire_shared(Tail&&... tail) const {
        return acquire_shared(item_acquire_options{}, std::forward<Tail>(tail)...);
    }

    /// Takes the item if it is free, or if its holders are known to be dead; an empty guard if others hold it. That a
    /// holder with a plain session is dead shows only who tries again, a lease after a try of this process.
    ///
    /// Errors and cancellation as `acquire`, without `wait_timeout`; `errc::in_doubt` also when two requests had no
    /// answer, or the write had none and others hold the item now. Diagnostics that are passed tell who holds it, as
    /// far as that is known. Cost: 1 write; when held elsewhere, at most one read more.
    [[nodiscard]] boost::asio::awaitable<item_guard> try_acquire() const;
    template <class... Tail>
        requires verb_tail<item_guard, Tail...>
    [[nodiscard]] auto try_acquire(Tail&&... tail) const {
        return start({}, item_way::try_exclusive, std::forward<Tail>(tail)...);
    }
    [[nodiscard]] boost::asio::awaitable<item_guard> try_acquire_shared() const;
    template <class... Tail>
        requires verb_tail<item_guard, Tail...>
    [[nodiscard]] auto try_acquire_shared(Tail&&... tail) const {
        return start({}, item_way::try_shared, std::forward<Tail>(tail)...);
    }

    /// Who has the item and who waits for its readers, without taking it; a closed session does as well. Errors:
    /// `errc::missing`; `errc::unsupported_version` or `errc::corrupt_row` for attributes that are not ours; the
    /// service's. Cancellation: all types. Cost: 1 read, and 1 more for each session in it that has a row, one after
    /// the other; under a plain session, which knows of no coordination table, none: nobody is known to be over then.
    [[nodiscard]] boost::asio::awaitable<item_lock_info> inspect() const;
    template <class... Tail>
        requires verb_tail<item_lock_info, Tail...>
    auto inspect(Tail&&... tail) const {
        return detail::initiate<item_lock_info>(get_executor(), inspect_verb{target_}, std::forward<Tail>(tail)...);
    }

private:
    friend struct detail::acquire_all_verb;
    friend item_lock observed(item_lock inner, grant_hook hook);
    enum class item_way { exclusive, shared, try_exclusive, try_shared };
    struct acquire_verb {
        detail::in_lives<detail::item_target> target;
        item_acquire_options options;
        item_way way;
        void operator()(diagnostics* details, detail::handler_for<item_guard> handler) &&;
    };
    struct inspect_verb {
        detail::in_lives<detail::item_target> target;
        void operator()(diagnostics* details, detail::handler_for<item_lock_info> handler) &&;
    };
    template <class... Tail>
    auto start(item_acquire_options options, item_way way, Tail&&... tail) const {
        return detail::initiate<item_guard>(get_executor(), acquire_verb{target_, options, way},
                                            std::forward<Tail>(tail)...);
    }

    detail::in_lives<detail::item_target> target_;
};

/// The same lock, but what is asked for by its verbs, or with others by `acquire_all`, is told to the hook, too: see
/// `grant_hook`.
item_lock observed(item_lock inner, grant_hook hook);

}  // namespace dynalease
#pragma GCC visibility pop
