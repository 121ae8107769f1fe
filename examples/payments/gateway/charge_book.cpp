// Charging once for each key.
// SPDX-License-Identifier: BSL-1.0
#include "payments/gateway/charge_book.hpp"

#include <set>

namespace payments {

const charge_answer* charge_book::charge(const charge_order& order, const std::string& key, bool declined) {
    auto [at, made] = entries_.try_emplace(key);
    auto& entry = at->second;
    if (!made) return entry.intent == order.intent && entry.amount == order.amount ? &entry : nullptr;
    entry.intent = order.intent;
    entry.amount = order.amount;
    entry.charge = "ch_" + std::to_string(entries_.size()) + "_" + order.intent;
    if (declined) {
        entry.failure_code = "card_declined";
        entry.failure_message = "the customer's bank refuses";
    }
    return &entry;
}

const charge_answer* charge_book::find(const std::string& key) const {
    const auto at = entries_.find(key);
    return at == entries_.end() ? nullptr : &at->second;
}

std::int64_t charge_book::money_withdrawn() const {
    std::int64_t sum = 0;
    for (const auto& [key, entry] : entries_) {
        if (entry.withdrawn()) sum += entry.amount;
    }
    return sum;
}

std::size_t charge_book::double_charges() const {
    std::set<std::string> charged;
    std::size_t more = 0;
    for (const auto& [key, entry] : entries_) {
        if (entry.withdrawn() && !charged.insert(entry.intent).second) ++more;
    }
    return more;
}

}  // namespace payments
