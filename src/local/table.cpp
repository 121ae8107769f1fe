// Rows, and the order in which they expire.
#include "local/table.hpp"

#include <cmath>
#include <limits>

namespace dynalease::local {

namespace {

/// DynamoDB leaves items alone whose time lies more than five years back: it takes that for another unit.
constexpr std::int64_t five_years = std::int64_t{5} * 365 * 24 * 3600;

std::optional<std::int64_t> expiry_of(const item& attributes, const std::string& ttl_attribute) {
    if (ttl_attribute.empty()) return std::nullopt;
    const auto* value = find(attributes, ttl_attribute);
    const auto* seconds = value ? value->get_if<number>() : nullptr;
    if (!seconds) return std::nullopt;
    if (const auto whole = seconds->to_integer()) return whole;
    const double fractional = std::floor(seconds->to_double());
    constexpr double most = 1e15;
    if (!(std::abs(fractional) < most)) return std::nullopt;
    return static_cast<std::int64_t>(fractional);
}

}  // namespace

table_description table::describe() const {
    table_description result;
    result.table_name = name_;
    result.status = "ACTIVE";
    result.key = key_;
    result.item_count = static_cast<std::int64_t>(rows_.size());
    return result;
}

const row* table::find(const row_key& where) const {
    const auto found = rows_.find(where);
    return found == rows_.end() ? nullptr : &found->second;
}

void table::put(const row_key& where, item attributes, std::size_t size) {
    const auto [at, created] = rows_.try_emplace(where);
    if (!created) forget_expiry(at);
    at->second.attributes = std::move(attributes);
    at->second.size = size;
    index_expiry(at);
}

void table::erase(const row_key& where) {
    const auto at = rows_.find(where);
    if (at == rows_.end()) return;
    forget_expiry(at);
    rows_.erase(at);
}

void table::set_ttl_attribute(std::string name) {
    ttl_attribute_ = std::move(name);
    expiries_.clear();
    for (auto at = rows_.begin(); at != rows_.end(); ++at) index_expiry(at);
}

void table::expire(std::chrono::sys_seconds now) {
    const std::int64_t seconds = now.time_since_epoch().count();
    auto at = expiries_.lower_bound({seconds - five_years, {}});
    while (at != expiries_.end() && at->first < seconds) {
        rows_.erase(at->second);
        at = expiries_.erase(at);
    }
}

void table::index_expiry(rows::iterator at) {
    at->second.expiry = expiry_of(at->second.attributes, ttl_attribute_);
    if (at->second.expiry) expiries_.emplace(*at->second.expiry, at->first);
}

void table::forget_expiry(rows::iterator at) {
    if (at->second.expiry) expiries_.erase({*at->second.expiry, at->first});
}

}  // namespace dynalease::local
