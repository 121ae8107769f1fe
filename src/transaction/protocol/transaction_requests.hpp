// The requests about the row of a transaction, exactly. Each may be sent again byte for byte.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "transaction/protocol/transaction_header.hpp"

#include <dynalease/dynamodb/operations.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynalease::protocol {

/// A finished row stays for a day, in seconds: longer than a late copy of what made it may live.
inline constexpr std::int64_t finished_row_stays = 24 * 3600;
/// A copy of a lock may land for eleven minutes, in seconds; and the clocks of two processes may differ.
inline constexpr std::int64_t copies_may_land = 3600;

/// What a run wants, as its row keeps it for others.
struct stored_plan {
    attribute_list writes{};
    attribute_list checks{};
    bool fenced = false;
    std::size_t pages = 0;  ///< in which writes and checks stand, in place of these two
};
/// A part of that, in a row of its own.
struct stored_page {
    attribute_list writes{};
    attribute_list checks{};
};

/// Builds requests for one run. Holds references: a short-lived helper.
class transaction_requests {
public:
    transaction_requests(const std::string& table, const run_name& self) : table_(table), self_(self) {}

    get_item_request look() const;
    /// @param over the run of this id that was rolled back, as it was seen; empty: there was none
    put_item_request begin(std::int64_t born, const stored_plan& wants, const std::optional<std::string>& over) const;
    /// A part of what it wants. @param number from 1
    get_item_request look_at_page(std::size_t number) const;
    /// Before the first lock, and only while the run is not decided. @param from the first of them, from 0 @param until
    /// the first that is not among them @param token of this body
    transact_write_items_request store_pages(const std::vector<stored_page>& pages, std::size_t from, std::size_t until,
                                             std::string token) const;
    /// The one write that decides. Only when each of these locks was seen in place.
    update_item_request commit(const std::vector<committed_lock>& locks) const;
    /// The same under conditions that hold at its very instant. @param token of this body
    transact_write_items_request commit_checked(const std::vector<committed_lock>& locks,
                                                std::vector<condition_check> checks, std::string token) const;
    /// Beside writes that leave no item held: decided and done at once. @param expiry as of `finish`
    transact_update commit_and_finish(std::int64_t expiry) const;
    /// Anybody may send it, at any time.
    update_item_request roll_back(std::string_view by) const;
    /// No item is held under this run any more. @param expiry in seconds since the epoch: a day away or more, so that
    /// no copy of `begin` outlives the row
    update_item_request finish(header_state decided, std::int64_t expiry) const;
    /// ... nor is a page of it needed. @param pages so many
    transact_write_items_request finish_with_pages(header_state decided, std::int64_t expiry, std::size_t pages) const;
    /// Beside the row, which may then be finished: where a copy of a lock may leave a mark, and until when. Only when
    /// the run is decided, and every item was seen free of it. @param until in seconds since the epoch @param part of
    /// its items, from 0
    put_item_request set_aside(std::int64_t born, const attribute_list& writes, std::int64_t until,
                               std::size_t part) const;
    /// No copy will land any more, and every item was seen free of the run. @param expiry as of `finish` @param sort
    /// the sort key of the row
    update_item_request finish_aside(std::int64_t expiry, const std::string& sort) const;
    /// Of a run that one call carries out: committed and done, beside its writes. @param over as of `begin`
    transact_put outcome(std::int64_t born, const std::optional<std::string>& over, std::int64_t expiry) const;
    /// No copy of that call is applied from now on: the id has a run that was rolled back, and is done.
    put_item_request withdraw(std::int64_t born, const std::optional<std::string>& over, std::int64_t expiry) const;
    /// Beside a write that is to happen only while this run is not decided.
    condition_check still_pending() const;

private:
    update_item_request draft() const;
    item row(std::string_view state, std::int64_t born) const;
    item done_row(std::string_view state, std::int64_t born, std::int64_t expiry) const;

    const std::string& table_;
    const run_name& self_;
};

}  // namespace dynalease::protocol
