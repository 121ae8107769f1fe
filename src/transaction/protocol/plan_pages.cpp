// Dealing a plan out to pages.
// SPDX-License-Identifier: BSL-1.0
#include "transaction/protocol/plan_pages.hpp"

#include "transaction/protocol/plan_limits.hpp"
#include "transaction/protocol/stored_writes.hpp"

#include <string>
#include <utility>

namespace dynalease::protocol {

namespace {

std::size_t size_of(const attribute_value& value) {
    return item_size({{"", value}});
}

/// Adds to the last of the pages, or to a new one.
class dealer {
public:
    explicit dealer(std::vector<stored_page>& into) : pages_(into) {}

    void add(attribute_list stored_page::* list, attribute_value value) {
        const auto bytes = size_of(value);
        if (pages_.empty() || filled_ + bytes > usual_page) {
            pages_.emplace_back();
            filled_ = 0;
        }
        filled_ += bytes;
        (pages_.back().*list).push_back(std::move(value));
    }

private:
    std::vector<stored_page>& pages_;
    std::size_t filled_ = 0;
};

}  // namespace

std::vector<stored_page> pages_of(const transaction_plan& plan) {
    std::vector<stored_page> pages;
    auto all = stored(plan);
    const std::string any_table;
    const auto row = transaction_requests(any_table, plan.name).begin(plan.born, all, {}).new_item;
    const auto locks = item_size({{header_attribute::locks, binary(plan.items.size() * lock_entry_size)}});
    // What it is at the commit, by which all that is planned still stands in it.
    if (item_size(row) + locks <= largest_row) return pages;
    dealer deal(pages);
    for (auto& each : all.writes) deal.add(&stored_page::writes, std::move(each));
    for (auto& each : all.checks) deal.add(&stored_page::checks, std::move(each));
    return pages;
}

std::size_t end_of_call(const std::vector<stored_page>& pages, std::size_t from, std::size_t most) {
    std::size_t bytes = 0;
    auto end = from;
    for (; end < pages.size() && end - from < most_actions - 1; ++end) {
        bytes += size_of(pages[end].writes) + size_of(pages[end].checks) + 2'048;
        if (end > from && bytes > most) break;
    }
    return end;
}

std::vector<attribute_list> places_of(const transaction_plan& plan) {
    std::vector<stored_page> pages;
    dealer deal(pages);
    auto bare = plan.items;
    for (auto& each : bare) {
        each.seen.reset();
        for (auto& write : each.writes) write = {.kind = write.kind};
    }
    for (auto& each : stored(bare)) deal.add(&stored_page::writes, std::move(each));
    std::vector<attribute_list> parts;
    for (auto& each : pages) parts.push_back(std::move(each.writes));
    return parts;
}

}  // namespace dynalease::protocol
