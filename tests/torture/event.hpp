// What the processes report to the judge: one event a line.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "torture/boot_clock.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace torture {

enum class what {
    // By a task of a worker.
    asked,      ///< began to wait for `name`
    gave_up,    ///< ended that wait without it
    granted,    ///< got it, with `token`, under `session`
    valid,      ///< somewhere between `at` and `until` its guard said that it is valid
    releasing,  ///< is about to give it back: its guard says no longer that it is valid
    told,       ///< what came of giving it back: `value` is a `giving_back`
    // By a worker.
    over,    ///< was told that `session` is lost
    closed,  ///< is about to close `session`
    gap,     ///< its event loop did not run from `at` to `until`
    // Of the fenced resource.
    read,     ///< `value` was read with `token`
    wrote,    ///< `value` was written with `token`
    refused,  ///< a read or a write with a `token` smaller than another seen before
    // Of transactions; `token` is the number of one run of a transfer of its task.
    ordered,    ///< ran a transfer, or one more attempt of it, under the id `name`
    committed,  ///< was told that the transfer `name` has happened
    failed,     ///< was told that this run of the transfer `name` has not happened
    doubted,    ///< was told that nobody knows
    summed,     ///< all accounts, read in one transaction, hold `value`
    looked_up,  ///< between `at` and `until` the state of `name` was `value`, `committed_state` or another
    settled,    ///< the same, by one who brought it to its end
    swept,      ///< ended `value` transactions of others
    // Of transactions, after the end.
    receipt,  ///< this run of the transfer `name` left its receipt, `value` times
    balance,  ///< the account `name` holds `value`, and `token` by all receipts
    stray,    ///< no transaction is open, and the item `name` has the mark of `session` still: by a late copy of a lock
    left,     ///< the item or row `name` is not free even when somebody has met it: `session` holds it
    // Of the way between a worker and the store; `who` is the worker's place.
    applied,       ///< the store took a write of `session`'s row
    acknowledged,  ///< such a write came at `at`; at `until` its answer began to leave for the worker
    fault,         ///< the request fault `name` struck
    cut,           ///< nothing went through from `at` to `until`
    // What was done to processes.
    killed,      ///< between `at` and `until`
    stopped,     ///< stood still from `at` to `until`
    outage,      ///< nobody could reach the store from `at` to `until`
    table_lost,  ///< the store came back without its table, which was made anew by `until`
    starved,     ///< the workers had next to no processor from `at` to `until`
    crashed,     ///< a worker ended although nobody had asked for it
};
/// The `value` of `looked_up` and `settled` that says so.
inline constexpr std::int64_t committed_state = 2;
/// What the caller of a release or a leave was told.
enum class giving_back : std::int64_t { done, lost, in_doubt, failed };

inline constexpr int kinds_of_event = static_cast<int>(what::crashed) + 1;

std::string_view to_string(what kind) noexcept;

struct event {
    what kind{};
    instant at{};
    instant until{};    ///< zero: not an interval
    std::string who{};  ///< a process, as "2.5": the sixth one in the third place; or a place, as "2"
    std::int64_t task = 0;
    std::string name{};  ///< of the lock or queue, and of what it guards
    std::string session{};
    std::int64_t token = 0;
    std::int64_t value = 0;

    instant end() const noexcept { return until.count() > 0 ? until : at; }
};

/// The place of a process, or of a place: "2" for "2.5" and for "2".
std::string_view place_of(std::string_view who) noexcept;

/// Words in columns; no line break at its end.
std::string to_line(const event& happened);
std::optional<event> parse_event(std::string_view line);

}  // namespace torture
