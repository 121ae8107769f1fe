// The options of transactions, and what is told of one.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/detail/braced.hpp>
#include <dynalease/item/item_ref.hpp>
#include <dynalease/named.hpp>
#include <dynalease/runtime/time.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace dynalease {

/// What a transaction does about another one, not decided yet, that holds an item it wants.
enum class wait_policy {
    fail_fast,   ///< gives up: `errc::locked`; `run` then tries again, as its options allow
    wait,        ///< waits for it, for `transactions_options::wait`; takes the items one after another
    wound_wait,  ///< the older one rolls the younger one back; the younger one waits: no circle of waiting can close
};

struct transactions_options {
    detail::braced<std::string> table{"coordination"};  ///< where transactions have their rows
    wait_policy policy = wait_policy::wound_wait;
    /// With another transaction that shows no sign of life. Then it is rolled back, which is safe at any time; one that
    /// is alive all the same runs again. What nobody looks at for so long, as under `fail_fast`, a sweep must end.
    std::chrono::milliseconds patience{5'000};
    /// For one item that another transaction holds; then `errc::locked`. Where it is less than `patience`, nobody looks
    /// for so long, and a dead one is left to a sweep.
    std::chrono::milliseconds wait{5'000};
};

/// How a transaction is carried out. What its readers see, and what it guarantees, is the same.
enum class transaction_tier {
    /// `native` where it fits, else `inline_undo`; of `run`, after five conflicts, `locked_commit`.
    automatic,
    native,  ///< one TransactWriteItems: at most 100 items, and one write to each; else `errc::too_many_items`
    /// Several writes to each item, and up to 14,000 items; what they are to become may take 34 MB in all, and for one
    /// item what fits into a row of 400 KB: else `errc::item_too_large`. 2N + 3 writes; of more than some 2,000 small
    /// updates, or 400 KB, 1 call more for each 4 MB.
    inline_undo,
    /// Of `run`: after a conflict, what the body touched is locked before it runs again, and changed by the commit:
    /// nobody ever sees what is not committed. Who waits has a turn; not under `wait_policy::fail_fast`. For others it
    /// is held while the body runs, which `patience` bounds. At most 99 items, and one write to each; else
    /// `errc::too_many_items`. N + 2 requests. Before a conflict, and without `run`, as `native`.
    locked_commit,
};
constexpr std::string_view to_string(transaction_tier value) noexcept {
    using enum transaction_tier;
    switch (value) {
        case automatic:
            return "automatic";
        case native:
            return "native";
        case inline_undo:
            return "inline_undo";
        case locked_commit:
            return "locked_commit";
    }
    return "unknown";
}

struct run_options {
    /// The caller's name for what is to happen once: 1 to 200 bytes, without "/". It is remembered for a day, and
    /// longer than any token of the service. Not given: an id is drawn, and what runs again happens again; so one that
    /// is given and has no bytes, as of a header that is missing, is refused with `errc::invalid_name`.
    detail::braced<std::optional<std::string>> id{};
    unsigned attempts = 10;  ///< of the body, at least 1; below 6 it never locks first, but as `locked_commit`
    /// For all attempts together, from `begin` on; then `errc::locked` for what others hold, or `errc::timeout`. A
    /// request that is under way then is waited for: by `client_options::timeout` later it is over.
    std::chrono::milliseconds within{30'000};
    transaction_tier tier = transaction_tier::automatic;
};

enum class transaction_state {
    unknown,      ///< there is no row of it: it has not begun, or it was over a day ago
    pending,      ///< not decided; if nobody carries it on, somebody will roll it back
    committed,    ///< for good, though some of its items may not have been given back yet
    rolled_back,  ///< nothing of it happened, or ever will
};
constexpr std::string_view to_string(transaction_state value) noexcept {
    using enum transaction_state;
    switch (value) {
        case unknown:
            return "unknown";
        case pending:
            return "pending";
        case committed:
            return "committed";
        case rolled_back:
            return "rolled_back";
    }
    return "unknown";
}

/// What stands in a transaction's row, for operators.
struct transaction_report {
    std::string id;
    transaction_state state = transaction_state::unknown;
    bool done = false;              ///< it holds no item any more
    wall_time born{};               ///< of its first attempt, by the clock of who made that
    std::string ended_by{};         ///< who rolled it back
    std::vector<item_ref> items{};  ///< that it wants to write; none once it is done
};

struct sweep_options {
    /// Transactions that stood still for so long are taken for left. It is also how long the sweep looks.
    std::chrono::milliseconds older_than{30'000};
    /// Between two pages of the scan, each up to 1 MB.
    std::chrono::milliseconds pace{100};
};

struct sweep_report {
    std::size_t seen = 0;         ///< that were not done
    std::size_t rolled_back = 0;  ///< that somebody had left before they were decided
    std::size_t finished = 0;     ///< that were decided, and held items still
    std::size_t failed = 0;       ///< that could not be brought to an end; the next sweep tries again
};

}  // namespace dynalease
#pragma GCC visibility pop
