// A hook that is told of each lock, turn or item that was asked for, and of each that was held: for traces and audits.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/error.hpp>
#include <dynalease/named.hpp>
#include <dynalease/runtime/time.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string_view>

#pragma GCC visibility push(default)
namespace dynalease {

/// What is over: a wait by one of the first two, what it got by one of the others.
enum class grant_event {
    granted,      ///< it was asked for, and is held from now on; a second report follows with the same id
    not_granted,  ///< it was asked for in vain
    released,     ///< given back by its guard: a release, the guard's end, or a last write under it
    handed_over,  ///< ... and passed on to the next caller of this process
    erased,       ///< given back together with the item, which is gone
    closed,       ///< ended by the session's `close`, or left to the lease by it
    lost,         ///< no longer ours without our doing
};
constexpr std::string_view to_string(grant_event value) noexcept {
    using enum grant_event;
    switch (value) {
        case granted:
            return "granted";
        case not_granted:
            return "not_granted";
        case released:
            return "released";
        case handed_over:
            return "handed_over";
        case erased:
            return "erased";
        case closed:
            return "closed";
        case lost:
            return "lost";
    }
    return "unknown";
}

/// A wait, or what was held after it. Good for as long as the hook runs.
struct grant_report {
    grant_event what;                 ///< is over
    std::uint64_t id;                 ///< of both reports of one grant, and of no other in this process
    std::string_view verb;            ///< that asked: "lock.acquire", "queue.try_enter", "acquire_all"
    std::string_view name;            ///< of the lock, queue (without its reason) or item, as its handle has it
    std::string_view table;           ///< where it is kept
    wall_time began;                  ///< the wait or the holding, by the own clock
    std::chrono::nanoseconds took{};  ///< until the wait was over, or the guard invalid: not until that was confirmed
    std::int64_t fencing_token = 0;   ///< of what was granted; a turn's is its ticket; 0: it has none
    unsigned requests = 0;            ///< of a wait: sent for it, and for others of this process meanwhile
    /// Why nothing was granted, `errc::wait_timeout` for a try that found others; or what a release was told: none
    /// where it is certain that others may have it.
    error_code code{};
    /// Of what was not granted: who has it, words, request id; else null. Who had it before what was granted is told by
    /// the session's log alone, after a wait of a lease.
    const diagnostics* fault = nullptr;

    /// It reports a wait; else what was held.
    bool of_wait() const noexcept { return what == grant_event::granted || what == grant_event::not_granted; }
};

/// Called on the database's executor when the wait or the holding is over, before whoever asked learns of it. Must not
/// block; verbs may be called in it. What it throws is told to the session's log as an error, and goes no further.
///
/// `session_options::on_grant` is told of all that is asked for under a session; `observed(lock, hook)`, of any handle,
/// gives one whose verbs tell that hook, too: the request that they are part of, say.
///
///     auto tell = [&spans, request](const dynalease::grant_report& seen) { spans.add(seen, request); };
///     auto guard = co_await dynalease::observed(lock, tell).acquire();
///
/// Each verb that asks is told once, however it ends, and each guard that it gave out once more. Of several that are
/// asked for together each has a report, and an id, of its own. What the library locks by itself is not told. Nothing
/// is told any more once the `io_context` has ended.
using grant_hook = std::function<void(const grant_report&)>;

}  // namespace dynalease
#pragma GCC visibility pop
