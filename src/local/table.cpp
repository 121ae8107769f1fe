// Rows, and the order in which they expire.
#include "local/table.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

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
    table_description result = settings_;
    result.item_count = static_cast<std::int64_t>(rows_.size());
    result.size_bytes = static_cast<std::int64_t>(bytes_);
    for (const table_index& each : indexes_) {
        auto& group = each.is_global() ? result.global_indexes : result.local_indexes;
        group.push_back(each.describe());
        group.back().arn = result.arn + "/index/" + each.name();
    }
    return result;
}

bool table::has_local_index() const noexcept {
    return !std::ranges::all_of(indexes_, &table_index::is_global);
}

const table_index* table::find_index(std::string_view name) const {
    const auto found = std::ranges::find(indexes_, name, &table_index::name);
    return found == indexes_.end() ? nullptr : &*found;
}

table_index* table::find_index(std::string_view name) {
    return const_cast<table_index*>(std::as_const(*this).find_index(name));
}

table_index& table::add_index(secondary_index definition, bool is_global) {
    const auto place = std::ranges::lower_bound(indexes_, definition.name, {}, &table_index::name);
    table_index& added = *indexes_.emplace(place, std::move(definition), key(), is_global);
    for (const auto& [where, held] : rows_) added.add(where, held);
    return added;
}

void table::remove_index(std::string_view name) {
    std::erase_if(indexes_, [name](const table_index& each) { return each.name() == name; });
}

void table::check_indexes(const item& whole) const {
    for (const table_index& each : indexes_) each.check(whole);
}

std::size_t table::collection_size(const row_key& of) const {
    std::size_t bytes = 0;
    auto at = rows_.lower_bound({of.slot, of.hash, {}});
    for (; at != rows_.end() && at->first.slot == of.slot && at->first.hash == of.hash; ++at) bytes += at->second.size;
    return bytes;
}

const row* table::find(const row_key& where) const {
    const auto found = rows_.find(where);
    return found == rows_.end() ? nullptr : &found->second;
}

void table::put(const row_key& where, item attributes, std::size_t size) {
    const auto [at, created] = rows_.try_emplace(where);
    if (!created) leave(at);
    at->second.attributes = std::move(attributes);
    at->second.size = size;
    enter(at);
}

void table::erase(const row_key& where) {
    const auto at = rows_.find(where);
    if (at == rows_.end()) return;
    leave(at);
    rows_.erase(at);
}

void table::set_ttl_attribute(std::string name) {
    ttl_attribute_ = std::move(name);
    expiries_.clear();
    for (auto at = rows_.begin(); at != rows_.end(); ++at) index_expiry(at);
}

void table::expire(std::chrono::sys_seconds now) {
    const std::int64_t seconds = now.time_since_epoch().count();
    for (;;) {
        const auto due = expiries_.lower_bound({seconds - five_years, {}});
        if (due == expiries_.end() || due->first >= seconds) return;
        erase(row_key(due->second));
    }
}

/// Everything that is kept beside the row itself.
void table::enter(rows::iterator at) {
    bytes_ += at->second.size;
    for (table_index& each : indexes_) each.add(at->first, at->second);
    index_expiry(at);
}

void table::leave(rows::iterator at) {
    bytes_ -= at->second.size;
    for (table_index& each : indexes_) each.remove(at->first, at->second);
    if (at->second.expiry) expiries_.erase({*at->second.expiry, at->first});
}

void table::index_expiry(rows::iterator at) {
    at->second.expiry = expiry_of(at->second.attributes, ttl_attribute_);
    if (at->second.expiry) expiries_.emplace(*at->second.expiry, at->first);
}

}  // namespace dynalease::local
