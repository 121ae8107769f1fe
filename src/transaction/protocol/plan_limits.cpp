// The limits of transactions.
// SPDX-License-Identifier: BSL-1.0
#include "transaction/protocol/plan_limits.hpp"

#include "transaction/protocol/item_texts.hpp"
#include "transaction/protocol/marking_requests.hpp"
#include "transaction/protocol/plan_pages.hpp"
#include "transaction/protocol/transaction_requests.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

namespace dynalease::protocol {

namespace {

failure refused(errc code, std::string message) {
    failure why(code);
    why.details.message = std::move(message);
    return why;
}

/// What a write is known to bring.
std::size_t bytes_of_write(const guarded_table& on, const planned_write& write) {
    if (write.kind == mark_kind::inserted) return item_size(made_item(on, write));
    using enum update_expression::clause;
    std::size_t bytes = 0;
    for (const auto clause : {set, add, delete_from}) {
        for (const auto& action : write.change.actions(clause)) {
            for (const auto& part : action) {
                if (const auto* value = std::get_if<attribute_value>(&part)) bytes += item_size({{"", *value}});
            }
        }
    }
    return bytes;
}

std::size_t bytes_of_item(const planned_item& what) {
    return std::max(what.bytes, bytes_of_write(what.on, what.writes.front()));
}

/// The longest text of a lock on the item: a second write to it tests the images of the first.
std::size_t longest_lock(const planned_item& what, const run_name& name) {
    const marking_requests requests(what.on, name);
    std::size_t longest = requests.lock_item(what.key, what.writes.front(), 1, what.seen).update_expression.size();
    item_mark held{.owner = name, .lock = {}, .write = 1};
    if (what.on.versioned) held.versions = {what.on.layout.version};
    for (std::size_t i = 1; i < what.writes.size(); ++i) {
        const auto request = requests.lock_item_again(what.key, what.writes[i], 2, held);
        longest = std::max(longest, request.update_expression.size());
    }
    return longest;
}

std::size_t images_of(const planned_item& what) {
    std::set<std::string> names;
    for (const auto& write : what.writes) {
        for (auto& each : touched_by(write.change)) names.insert(std::move(each));
    }
    // The version, the trail, and whose version it is.
    return names.size() + (what.on.versioned ? 3 : 0);
}

std::optional<failure> fault_of_item(const planned_item& what, const run_name& name) {
    if (what.writes.front().kind == mark_kind::inserted) return std::nullopt;
    const auto images = images_of(what);
    if (images <= most_images && longest_lock(what, name) <= longest_expression) return std::nullopt;
    auto why = refused(errc::too_many_members,
                       "more attributes of one item change than one request can lock: each is kept as it was");
    return about(std::move(why), what.place());
}

/// A page of one write may be larger than others; it must be a row, too.
std::optional<failure> fault_of_pages(const std::string& coordination, const transaction_plan& plan) {
    const auto pages = pages_of(plan);
    if (pages.size() > most_pages) {
        return refused(errc::item_too_large, "what the transaction writes would take " + std::to_string(pages.size()) +
                                                 " rows to keep it, of at most 99");
    }
    const transaction_requests row(coordination, plan.name);
    for (std::size_t i = 0; i < pages.size(); ++i) {
        const auto call = row.store_pages(pages, i, i + 1, {});
        const auto bytes = item_size(std::get<transact_put>(call.actions.back()).new_item);
        if (bytes <= largest_row) continue;
        return refused(errc::item_too_large, "the row that keeps what the transaction writes to one item would have " +
                                                 std::to_string(bytes) + " bytes, of at most 409,600");
    }
    return std::nullopt;
}

}  // namespace

bool fits_at_once(const transaction_plan& plan) {
    std::size_t bytes = 0;
    for (const auto& each : plan.items) {
        if (each.writes.size() != 1) return false;
        bytes += bytes_of_item(each);
    }
    for (const auto& each : plan.checks) bytes += each.bytes;
    return bytes <= most_bytes_at_once;
}

bool fits_native(const transaction_plan& plan) {
    const auto actions = plan.items.size() + plan.checks.size() + (plan.keeps_outcome ? 1 : 0);
    return actions <= most_actions && fits_at_once(plan);
}

std::optional<failure> fault_of_call(const transact_write_items_request& call) {
    for (const auto& action : call.actions) {
        const auto* write = std::get_if<transact_update>(&action);
        if (!write) continue;
        const std::string& text = write->update_expression;
        const auto assigned = static_cast<std::size_t>(std::ranges::count(text, '='));
        if (text.size() <= longest_expression && assigned <= most_operators) continue;
        auto why = refused(errc::too_many_members, "more attributes of one item change than one call takes");
        return about(std::move(why), {write->table_name, write->key});
    }
    return std::nullopt;
}

std::optional<failure> fault_of_inline(const std::string& coordination, const transaction_plan& plan) {
    if (plan.items.size() > most_items) {
        return refused(errc::too_many_items, std::to_string(plan.items.size()) + " items, of at most 14,000");
    }
    for (const auto& each : plan.items) {
        if (auto why = fault_of_item(each, plan.name)) return why;
    }
    return fault_of_pages(coordination, plan);
}

}  // namespace dynalease::protocol
