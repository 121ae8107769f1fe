// The requests about the row of a run.
// SPDX-License-Identifier: BSL-1.0
#include "transaction/protocol/run_row.hpp"

#include "transaction/protocol/item_texts.hpp"
#include "transaction/protocol/plan_pages.hpp"
#include "transaction/protocol/stored_writes.hpp"

#include <utility>

namespace dynalease::protocol {

namespace {

std::vector<stored_page> pages_before_locks(const transaction_plan& plan) {
    // One that holds its items writes nothing that others would have to carry on.
    return plan.holds ? std::vector<stored_page>() : pages_of(plan);
}

}  // namespace

run_row::run_row(std::shared_ptr<const run_brief> brief)
    : brief_(std::move(brief)),
      pages_(std::make_shared<const std::vector<stored_page>>(pages_before_locks(brief_->plan))),
      page_count_(pages_->size()) {}

void run_row::take_over(const transaction_header& header) {
    pages_ = std::make_shared<const std::vector<stored_page>>();
    page_count_ = header.pages;
    aside_until_ = header.aside_until;
    aside_sort_ = header.sort;
}

// ---- the begin ---------------------------------------------------------------------------------------------

put_item_request run_row::begin() const {
    auto kept = protocol::stored(brief_->plan);
    if (!pages_->empty()) kept = {.fenced = kept.fenced, .pages = pages_->size()};
    return requests().begin(brief_->plan.born, kept, over_);
}

put_item_request run_row::withdraw(std::int64_t wall) const {
    return requests().withdraw(brief_->plan.born, over_, wall + finished_row_stays);
}

// ---- pages -------------------------------------------------------------------------------------------------

std::size_t run_row::end_of_call() const {
    return protocol::end_of_call(*pages_, pages_stored_, bytes_at_once_);
}

transact_write_items_request run_row::store_pages() const {
    const auto& first = brief_->plan.items.front().writes.front();
    auto token = token_of(first.stamp, "-p" + std::to_string(pages_stored_));
    return requests().store_pages(*pages_, pages_stored_, end_of_call(), std::move(token));
}

// ---- its end -----------------------------------------------------------------------------------------------

update_item_request run_row::roll_back() const {
    return requests().roll_back(brief_->plan.name.id);
}

put_item_request run_row::set_aside(std::int64_t wall) const {
    const auto parts = places_of(brief_->plan);
    return requests().set_aside(brief_->plan.born, parts.at(asides_), wall + copies_may_land, asides_);
}

bool run_row::note_set_aside() {
    return ++asides_ >= places_of(brief_->plan).size();
}

any_request run_row::finish(run_verdict verdict, std::int64_t wall) const {
    const auto expiry = wall + finished_row_stays;
    if (aside_until_) return requests().finish_aside(expiry, aside_sort_);
    const auto state = verdict == run_verdict::committed ? header_state::committed : header_state::rolled_back;
    if (page_count_ == 0) return requests().finish(state, expiry);
    return requests().finish_with_pages(state, expiry, page_count_);
}

}  // namespace dynalease::protocol
