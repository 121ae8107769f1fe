// What is written about a run, from its begin until nobody asks for it any more: its row, and rows beside it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "transaction/protocol/plan_limits.hpp"
#include "transaction/protocol/run_brief.hpp"
#include "transaction/protocol/transaction_header.hpp"
#include "transaction/protocol/transaction_requests.hpp"

#include <dynalease/dynamodb/operations.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::protocol {

class run_row {
public:
    explicit run_row(std::shared_ptr<const run_brief> brief);

    /// Another process has begun it. @param header as it was read
    void take_over(const transaction_header& header);

    // ---- the begin ----
    put_item_request begin() const;
    put_item_request withdraw(std::int64_t wall) const;
    /// The run of this id that was rolled back before, over which this one begins; empty: there is none (any more).
    void begins_over(std::optional<std::string> run) { over_ = std::move(run); }
    bool begins_over_another() const noexcept { return over_.has_value(); }

    // ---- pages: what it wants, where the row cannot keep it ----
    /// Each of them is stored.
    bool is_stored() const noexcept { return pages_stored_ == pages_->size(); }
    transact_write_items_request store_pages() const;
    /// That was done.
    void stored() { pages_stored_ = end_of_call(); }
    std::size_t pages_stored() const noexcept { return pages_stored_; }

    // ---- its end ----
    update_item_request roll_back() const;
    /// Where a copy of a lock may land: part by part.
    put_item_request set_aside(std::int64_t wall) const;
    /// A part of that was done. @returns whether it was the last
    bool note_set_aside();
    /// It was set aside before, and nothing lands any more.
    bool may_finish(std::int64_t wall) const noexcept { return !aside_until_ || wall >= *aside_until_; }
    any_request finish(run_verdict verdict, std::int64_t wall) const;

protected:
    std::shared_ptr<const run_brief> brief_;
    std::shared_ptr<const std::vector<stored_page>> pages_;  ///< what this process stores
    std::size_t page_count_ = 0;                             ///< rows beside its own, by whomever
    std::size_t bytes_at_once_ = most_bytes_at_once;         ///< of pages, in one call

private:
    transaction_requests requests() const { return {brief_->coordination, brief_->plan.name}; }
    std::size_t end_of_call() const;

    std::size_t pages_stored_ = 0;
    std::optional<std::string> over_{};
    std::optional<std::int64_t> aside_until_{};  ///< it was set aside, and copies may land until then
    std::string aside_sort_;                     ///< ... in the row of this sort key
    std::size_t asides_ = 0;                     ///< rows that tell of it, so far
};

}  // namespace dynalease::protocol
