// A database whose requests are told to a hook: for latencies, traces and audits.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/database.hpp>

#include <chrono>
#include <functional>
#include <string_view>

#pragma GCC visibility push(default)
namespace dynalease {

/// What became of one call, with all its retries. Good for as long as the hook runs.
struct call_report {
    std::string_view operation;          ///< "UpdateItem"
    std::string_view table;              ///< empty: of several, or of none
    dynalease::lane lane;                ///< a session's heartbeat, or anything else
    wall_time began;                     ///< by the own clock
    std::chrono::nanoseconds took{};     ///< until it was answered, given up or cancelled
    dynalease::outcome result;           ///< what it did to the table
    const diagnostics* fault = nullptr;  ///< of a call that failed: attempts, request id, words; null: it did not
    error_code code{};                   ///< why it failed
};

/// Called on the database's executor when a call is over, before its caller learns of it; must not block. What
/// it throws is dropped.
using call_hook = std::function<void(const call_report&)>;

/// The same database, but each call on it is told to the hook: requests of your own, and those of sessions, locks,
/// queues and all else that is made on what this returns. A refused condition is no failure of the service: it is told
/// with `errc::condition_failed`. Whoever closes the database closes the one that was given. Cost: none but the hook's;
/// and in a line of this process (of `versioned::update`, of `transactions::run` after a conflict) only those stand
/// whose calls are on one and the same handle or its copies: observe once, not for each call.
///
///     dynalease::client client{executor};
///     auto tell = [&](const dynalease::call_report& call) { latency.observe(call.took); };
///     auto database = dynalease::observed(client, tell);
///     dynalease::session session{database, options};
database observed(const database& inner, call_hook hook);

}  // namespace dynalease
#pragma GCC visibility pop
