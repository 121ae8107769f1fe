// The row of a transaction: the one place where it is decided.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "item/protocol/item_mark.hpp"

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/dynamodb/item.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynalease::protocol {

namespace header_attribute {
inline constexpr const char* run = "run";
inline constexpr const char* born = "born";
inline constexpr const char* writes = "writes";
inline constexpr const char* checks = "checks";
inline constexpr const char* fenced = "fenced";
inline constexpr const char* locks = "locks";
inline constexpr const char* done = "done";
inline constexpr const char* until = "until";
inline constexpr const char* pages = "pages";
}  // namespace header_attribute

inline constexpr std::string_view transaction_prefix = "tx#";
/// Bytes of one item in the commit map.
inline constexpr std::size_t lock_entry_size = 28;
/// Items that one transaction can hold: their locks must fit into its row.
inline constexpr std::size_t most_items = 14'000;

item_key transaction_key(std::string_view id);
/// Where a run is set aside that is over. @param part of its items, from 0: those that one row can name
item_key aside_key(const run_name& run, std::size_t part = 0);
/// Where a part stands of what a run wants. @param number from 1
item_key page_key(const run_name& run, std::size_t number);

enum class header_state { pending, committed, rolled_back };

/// An item that was held at the commit, by which lock.
struct committed_lock {
    std::int64_t write = 0;  ///< the number of the last write to it
    lock_name lock{};
    friend bool operator==(const committed_lock&, const committed_lock&) = default;
};

struct transaction_header {
    run_name name{};
    header_state state = header_state::pending;
    bool done = false;                    ///< no item is held under it any more, and none ever will be
    std::int64_t born = 0;                ///< wall clock of its first run, in milliseconds: for fairness alone
    std::int64_t beat = 0;                ///< raised while it is slow
    std::string sort = "-";               ///< the sort key of its row
    std::size_t pages = 0;                ///< rows beside it, in which the next two stand; none: they stand in it
    attribute_list writes{};              ///< what it wants written, while that is of use
    attribute_list checks{};              ///< ... and to be as it saw it at the commit
    bool fenced = false;                  ///< it depends on a guard: nobody commits it but its own process
    std::vector<committed_lock> locks{};  ///< the commit map
    std::string ended_by{};               ///< who rolled it back
    /// Of a run that is set aside: copies of its locks may land until then, in seconds since the epoch.
    std::optional<std::int64_t> aside_until{};

    friend bool operator==(const transaction_header&, const transaction_header&) = default;
};

/// Empty: there is no such row. Fails with `errc::unsupported_version` or `errc::corrupt_row`; the row is then to be
/// left alone, and so is every item that it holds.
result<std::optional<transaction_header>> parse_transaction_header(const item* row);

binary bytes_of(const std::vector<committed_lock>& locks);

}  // namespace dynalease::protocol
