// The options of versioned items: how a table keeps versions, and how each verb is to behave.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/detail/braced.hpp>
#include <dynalease/dynamodb/condition_expression.hpp>

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#pragma GCC visibility push(default)
namespace dynalease {

class session;

/// What `remove` leaves behind.
enum class removal {
    erase,  ///< nothing; a creation whose answer was lost may then bring the item back
    /// A row that counts as missing, until TTL removes it: a late creation finds the place taken. `clobber_remove` and
    /// an item guard's `erase` leave none.
    tombstone,
};

struct versioned_options {
    detail::braced<std::string> table;       ///< of the application; it must exist
    detail::braced<std::string> key;         ///< name of the partition key's attribute
    detail::braced<std::string> sort_key{};  ///< name of the sort key's attribute; empty: the table has none
    /// Attribute of the version, a number. Under another name than this one each write also leaves that name on the
    /// item, in "_versioned_by". Whoever goes by another name neither loads nor writes the item, under a lock or in a
    /// transaction no more than alone: `errc::bad_version`. He may remove what he has not loaded. An item of other
    /// makes that has but been changed blindly has no name yet, and may still be given one; without `stamps` the change
    /// is lost then.
    detail::braced<std::string> version{"version"};
    detail::braced<std::string> stamp{"_stamp"};  ///< attribute of the last write's stamp
    /// Leave the stamps of the last four writes on the item, about 50 bytes. Without them a write that was refused
    /// after a lost answer is always `errc::in_doubt`; only creations can still be told apart. Keep them where a proxy
    /// may send a request twice by itself: a write then meets its own copy, and only the stamp tells it from another's.
    bool stamps = true;
    detail::braced<std::string> lock_prefix{"_lock"};  ///< what the names of an item lock's attributes begin with
    std::int64_t first_version = 1;                    ///< of a created item; any integer but the least
    /// What a write adds to the version; at least 1. The same for all writers of the table, item locks included: above
    /// 1, or where steps differ, the stamps tell less after a lost answer, and more is in doubt.
    std::int64_t step = 1;
    /// No version above: 2,147,483,647 where a Java `Integer` reads along.
    std::int64_t version_limit = std::numeric_limits<std::int64_t>::max();
    dynalease::removal removal = removal::erase;
    detail::braced<std::string> time_to_live{"ttl"};  ///< the table's TTL attribute; used with tombstones alone
    /// At least 11 min, and longer than any call of yours runs. Counted from the wall clock, set right by the service's
    /// time where the client has seen it: one that is slow by as much leaves tombstones that TTL may remove at once.
    std::chrono::seconds tombstone_lifetime{3600};
    /// How long a write without an answer is sent again before it is `errc::in_doubt`.
    std::chrono::milliseconds resolve_within{10'000};
};

struct load_options {
    bool consistent = true;  ///< false: half the cost, and perhaps a second old
    /// Ask for no more than the struct has members for, and what the library needs to save them. It costs the same
    /// units, which are counted by the whole item; what is sent and parsed is less. Such a value cannot be replaced.
    bool members_only = false;
};

/// Which members a save writes.
enum class save_scope {
    /// Those that were changed since they were loaded; none: still sent, which tells that nobody wrote since. Of nested
    /// structs and maps (not of lists) no more than what was changed in them: what others have put beside it since
    /// stays, even if they raised no version.
    changed,
    whole,  ///< all of them, each whole; what the struct does not know inside of them stays as it was loaded
};

struct save_options {
    save_scope scope = save_scope::changed;
    detail::braced<condition_expression> condition{};  ///< demanded beside the version
    bool ignore_lock = false;  ///< write even if an item lock holds it; transactions are respected always
    /// Return the item as it stands, with what others wrote without raising the version; otherwise what is returned is
    /// what was loaded and what was changed. The cost is the same, but for the bytes of the answer.
    bool read_back = false;
};

struct touch_options {
    detail::braced<condition_expression> condition{};
    bool ignore_lock = false;
};

struct remove_options {
    detail::braced<condition_expression> condition{};
    bool ignore_lock = false;
};

struct blind_options {
    detail::braced<condition_expression> condition{};
    bool ignore_lock = false;
    /// Sent as a transaction of one, which may be repeated while the service knows its token: far less doubt, for twice
    /// the cost. It is not sent again after 5 minutes, whatever `resolve_within` says.
    bool exact = false;
};

struct clobber_options {
    /// Make the item if there is none. A late copy may then bring a removed item back.
    bool upsert = false;
    bool ignore_lock = false;
};

/// Ends a quarrel of optimistic writers over one item: whoever met too many conflicts takes the item's lock, which the
/// others' saves respect, and writes under it.
struct promotion {
    /// The lock is held under its lease. It must be there when the update begins.
    session* with = nullptr;
    unsigned after = 5;  ///< conflicts, at least 1; an item that is locked is waited for in this way at once
};

struct update_options {
    bool create = false;      ///< where there is no item, let the function make one from a default value with that key
    bool consistent = false;  ///< of the first load; a stale one costs one conflict
    unsigned tries = 16;      ///< saves, at least 1
    std::chrono::milliseconds wait{10'000};  ///< for all tries together, and for a lock on the item
    save_scope scope = save_scope::changed;
    bool ignore_lock = false;
    std::optional<promotion> promote{};
};

}  // namespace dynalease
#pragma GCC visibility pop
