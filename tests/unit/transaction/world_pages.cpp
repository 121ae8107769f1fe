// Pages in the world of transactions, and one who reads them.
// SPDX-License-Identifier: BSL-1.0
#include "transaction_world.hpp"
#include "world_plans.hpp"

#include "transaction/protocol/stored_writes.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

namespace dynalease::protocol::test {

/// As if each item were as much as one call stores.
void transaction_world::member::deal_out() {
    std::vector<stored_page> pages;
    for (const auto& each : brief_->plan.items) pages.push_back({.writes = stored(std::vector{each})});
    struct dealt : run_row {
        dealt(const run_row& made, std::vector<stored_page> into) : run_row(made) {
            page_count_ = into.size();
            pages_ = std::make_shared<const std::vector<stored_page>>(std::move(into));
            bytes_at_once_ = 1;
        }
    };
    row_ = dealt(row_, std::move(pages));
}

/// What a run wants, as far as it stands there; empty: some page is missing.
std::optional<attribute_list> transaction_world::wanted_in(const transaction_header& header) const {
    auto all = header.writes;
    for (std::size_t i = 1; i <= header.pages; ++i) {
        const auto* page = store_.find(coordination, page_key(header.name, i));
        if (!page) return std::nullopt;
        std::ranges::copy(*page->at(header_attribute::writes).get_if<attribute_list>(), std::back_inserter(all));
    }
    return all;
}

/// A page is there for as long as its run is not done, and no longer.
std::string transaction_world::check_pages() const {
    if (!setting_->pages) return {};
    const auto& name = plans_->front().name;
    const auto header = header_of(0);
    const bool open = header && header->name == name && !header->done;
    for (std::size_t i = 1; i <= names.size() && !open; ++i) {
        if (store_.find(coordination, page_key(name, i))) return "a page is there that nobody will remove";
    }
    return {};
}

bool transaction_world::stores_unseen(std::size_t owner, const errand& wanted) {
    if (!rules_->store_unseen || processes_[owner].machine.now() != coordinator::phase::storing) return false;
    const auto slot = wanted.slot;
    send(nobody, wanted);
    answer({owner, slot, 0, {}}, {.kind = dynalease::detail::answer::applied});
    return true;
}

/// What it was told of the pages; what it wants, everybody here knows.
void transaction_world::take_over(transaction_header header) {
    const bool complete =
        rules_->trust_gaps ? wanted_in(header).has_value() : header.pages == 0 || !header.writes.empty();
    taking_.reset();
    if (header.done) return;
    auto plan = setting_->holds[0] ? holding_plan_of(*setting_, 0, 1) : plan_of(*setting_, 0, 1);
    plan.holds = false;
    // What the row does not keep.
    std::erase_if(plan.checks, [](const planned_check& each) { return each.fence.has_value(); });
    if (!complete) plan.items.clear();
    if (rules_->resume_fenced) header.fenced = false;
    processes_.push_back(
        {0, member(coordinator::resumed(coordination, std::move(plan), rivalry{.patience = {}}, header))});
    if (setting_->sweeps) processes_.back().machine.stop(errc::cancelled);
}

}  // namespace dynalease::protocol::test
