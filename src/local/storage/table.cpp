// Rows, and the order in which they expire.
// SPDX-License-Identifier: BSL-1.0
#include "local/storage/table.hpp"

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

std::size_t table::collection_gigabytes(const row_key& of) const {
    constexpr std::size_t gigabyte = 1024 * 1024 * 1024;
    if (bytes_ < gigabyte) return 0;  // nor has a part of it: there is no need to add up a multitude
    std::size_t bytes = 0;
    auto at = rows_.lower_bound({of.slot, of.hash, {}});
    for (; at != rows_.end() && at->first.slot == of.slot && at->first.hash == of.hash; ++at) bytes += at->second.size;
    return bytes / gigabyte;
}

const row* table::find(const row_key& where) const {
    const auto found = rows_.find(where);
    return found == rows_.end() ? nullptr : &found->second;
}

/// The present row, and everything that is kept beside it.
void table::find_stale(const row_key& where, change& of) {
    of.stale_ = rows_.find(where);
    if (of.stale_ == rows_.end()) return;
    const row& held = of.stale_->second;
    for (table_index& each : indexes_) of.stale_entries_.push_back(each.find(where, held));
    if (held.expiry) of.stale_expiry_ = expiries_.find({*held.expiry, where});
}

table::change table::put(const row_key& where, item attributes, std::size_t size) {
    change result(*this);
    find_stale(where, result);
    rows made;
    row& held = made.emplace(where, row{std::move(attributes), size, {}}).first->second;
    held.expiry = expiry_of(held.attributes, ttl_attribute_);
    // The row keeps its address when its node moves.
    item_change of(nullptr, &held.attributes, size);
    for (const table_index& each : indexes_) result.fresh_entries_.push_back(each.entry_of(where, held, of));
    if (held.expiry) {
        std::set<std::pair<std::int64_t, row_key>> expiry{{*held.expiry, where}};
        result.fresh_expiry_ = expiry.extract(expiry.begin());
    }
    result.fresh_ = made.extract(made.begin());
    return result;
}

table::change table::erase(const row_key& where) {
    change result(*this);
    find_stale(where, result);
    return result;
}

void table::change::commit() noexcept {
    table& of = *table_;
    if (stale_ != of.rows_.end()) {
        of.bytes_ -= stale_->second.size;
        for (std::size_t i = 0; i < stale_entries_.size(); ++i) of.indexes_[i].erase(stale_entries_[i]);
        if (stale_expiry_ != of.expiries_.end()) of.expiries_.erase(stale_expiry_);
        of.rows_.erase(stale_);
    }
    if (!fresh_) return;
    of.bytes_ += fresh_.mapped().size;
    of.rows_.insert(std::move(fresh_));
    for (std::size_t i = 0; i < fresh_entries_.size(); ++i) of.indexes_[i].insert(std::move(fresh_entries_[i]));
    if (fresh_expiry_) of.expiries_.insert(std::move(fresh_expiry_));
}

void table::set_ttl_attribute(std::string name) {
    ttl_attribute_ = std::move(name);
    expiries_.clear();
    for (auto at = rows_.begin(); at != rows_.end(); ++at) index_expiry(at);
}

std::vector<row_key> table::expire(std::chrono::sys_seconds now) {
    const std::int64_t seconds = now.time_since_epoch().count();
    std::vector<row_key> gone;
    for (;;) {
        const auto due = expiries_.lower_bound({seconds - five_years, {}});
        if (due == expiries_.end() || due->first >= seconds) return gone;
        gone.push_back(due->second);
        erase(gone.back()).commit();
    }
}

void table::index_expiry(rows::iterator at) {
    at->second.expiry = expiry_of(at->second.attributes, ttl_attribute_);
    if (at->second.expiry) expiries_.emplace(*at->second.expiry, at->first);
}

}  // namespace dynalease::local
