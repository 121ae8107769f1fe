// What happened to the items of a world in which transactions run, as the store and the callers' own hands know it:
// nothing of it is the library's word.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/runtime/time.hpp>
#include <dynalease/transaction/transaction_operations.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace dynalease::simulation::transfers {

/// An item as it is committed. Every wish that changes it appends its own number to the entries, so that they tell who
/// wrote, in order.
struct item_state {
    bool there = false;
    std::int64_t balance = 0;
    std::vector<std::int64_t> entries{};
    std::optional<std::int64_t> version{};

    /// What a reader is shown of it.
    bool shows_as(const item_state& other) const {
        return there == other.there && balance == other.balance && entries == other.entries;
    }
    friend bool operator==(const item_state&, const item_state&) = default;
};

enum class deed {
    add,     ///< to what is there
    put,     ///< whether there is one or not: balance and entries begin anew
    insert,  ///< where there is none
    erase,   ///< where there is one
};

/// What a committed transaction does to one item.
struct effect {
    std::size_t item = 0;
    deed what = deed::add;
    std::int64_t amount = 0;               ///< that its balance gets
    std::optional<std::size_t> absorbs{};  ///< ... and the balance of this item, which is erased
};

/// What somebody wants to happen once. Whoever asks for it again under the same id wants the same.
struct wished {
    std::int64_t number = 0;
    std::vector<effect> effects{};
};

/// One call for a wish begins.
struct called {
    std::int64_t call = 0;
    std::int64_t number = 0;
};

struct seen_item {
    std::size_t item = 0;
    item_state value{};  ///< but for its version
};

/// What a body demands of an item that it does not read: that it is there, and has at least this balance.
struct demanded_item {
    std::size_t item = 0;
    std::int64_t least = 0;
};

/// The body of a call has run to its end, once more; the commit begins.
struct attempted {
    std::int64_t attempt = 0;
    std::int64_t call = 0;
    std::string id{};
    std::vector<seen_item> read{};
    std::vector<demanded_item> demanded{};
    std::optional<std::int64_t> guarded{};  ///< it requires the lock, as it was granted under this token
};

/// The store says that the lock which calls require is held under another token, or by nobody.
struct lock_passed {
    std::optional<std::int64_t> token{};
};

/// A plain versioned write, which is no transaction, may happen from now on.
struct plain_wished {
    std::int64_t number = 0;
    std::size_t item = 0;
};

/// The store has carried out a write, by which an attempt was committed, or another one.
struct stored {
    std::optional<std::int64_t> committed{};                    ///< the attempt
    bool leaves_row = true;                                     ///< ... that tells of it
    bool repeated = false;                                      ///< by the network, which tells how the copy fared
    std::vector<std::pair<std::size_t, item_state>> changed{};  ///< items that are committed otherwise than before
};

enum class answer { done, refused, doubt };

/// What the caller was told.
struct told {
    std::int64_t call = 0;
    answer what{};
    std::vector<seen_item> read{};  ///< by the attempt that is done
};

/// It was told what the body had thrown, for what it had read.
struct refused_by_body {
    std::int64_t call = 0;
    std::vector<seen_item> read{};
};

struct told_plain {
    std::int64_t number = 0;
    answer what{};
};

/// What somebody was told of a transaction by its id.
struct told_of {
    std::string id{};
    transaction_state what{};
    bool committed_before = false;  ///< when the question began
    bool drawn = false;             ///< the id: it belongs to one attempt
};

/// A reader beside transactions was shown this.
struct shown {
    seen_item what{};
    std::uint64_t since = 0;  ///< the item's state when the reader asked
    isolation level{};
};

/// A reader beside transactions was shown these, as of one moment.
struct shown_together {
    std::int64_t number = 0;
    std::vector<seen_item> read{};
    std::uint64_t since = 0;  ///< so many events had happened when the reader asked
};

/// Every row was swept, and nobody has met an item since.
struct combed {
    std::size_t marks = 0;  ///< that are there still, but for those of which no row can tell
};

/// All is over, and what was left was swept up.
struct swept {
    std::size_t marks = 0;
    std::size_t open_rows = 0;
};

struct event {
    time_point at{};  ///< true time
    std::variant<wished, called, attempted, plain_wished, stored, told, told_plain, told_of, shown, shown_together,
                 combed, swept, lock_passed, refused_by_body>
        what;
};

using history = std::vector<event>;

/// For a world that is told.
std::string text_of(const event& happened);

}  // namespace dynalease::simulation::transfers
