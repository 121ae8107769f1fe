// Reading of the row of a transaction.
// SPDX-License-Identifier: BSL-1.0
#include "transaction/protocol/transaction_header.hpp"

#include "session/protocol/row.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::protocol {

namespace {

constexpr std::size_t number_size = 4;
/// What one call removes, beside the row.
constexpr std::int64_t most_pages_of_row = 99;

std::optional<header_state> state_in(const item& row) {
    const auto* text = find_string(row, attribute::state);
    if (!text) return std::nullopt;
    if (*text == "P") return header_state::pending;
    if (*text == "C") return header_state::committed;
    if (*text == "R") return header_state::rolled_back;
    return std::nullopt;
}

/// No stamp is all zeros: those stand for none.
void append(binary& out, const std::optional<item_stamp>& stamp) {
    const auto bytes = stamp.value_or(item_stamp{});
    out.insert(out.end(), bytes.begin(), bytes.end());
}

std::optional<std::vector<committed_lock>> locks_in(const attribute_value& value) {
    const auto* bytes = value.get_if<binary>();
    if (!bytes || bytes->size() % lock_entry_size != 0) return std::nullopt;
    std::vector<committed_lock> locks(bytes->size() / lock_entry_size);
    auto at = bytes->begin();
    const auto take_stamp = [&] {
        item_stamp stamp{};
        std::copy_n(at, stamp.size(), stamp.begin());
        at += static_cast<std::ptrdiff_t>(stamp.size());
        return stamp;
    };
    for (auto& each : locks) {
        for (std::size_t i = 0; i < number_size; ++i)
            each.write = each.write << 8 | std::to_integer<std::int64_t>(*at++);
        each.lock.stamp = take_stamp();
        const auto before = take_stamp();
        if (before != item_stamp{}) each.lock.before = before;
    }
    return locks;
}

}  // namespace

item_key transaction_key(std::string_view id) {
    return row_key(std::string(transaction_prefix), id);
}

item_key aside_key(const run_name& run, std::size_t part) {
    auto key = transaction_key(run.id);
    key.insert_or_assign(attribute::sort, part == 0 ? run.run : run.run + "." + std::to_string(part));
    return key;
}

item_key page_key(const run_name& run, std::size_t number) {
    auto key = transaction_key(run.id);
    key.insert_or_assign(attribute::sort, run.run + "#" + std::to_string(number));
    return key;
}

binary bytes_of(const std::vector<committed_lock>& locks) {
    binary out;
    out.reserve(locks.size() * lock_entry_size);
    for (const auto& each : locks) {
        for (std::size_t i = number_size; i-- > 0;) out.push_back(static_cast<std::byte>(each.write >> (8 * i)));
        append(out, each.lock.stamp);
        append(out, each.lock.before);
    }
    return out;
}

result<std::optional<transaction_header>> parse_transaction_header(const item* row) {
    if (!row) return std::optional<transaction_header>{};
    if (auto why = check_schema(*row)) return *std::move(why);
    transaction_header header;
    const auto* key = find_string(*row, attribute::partition);
    if (!key || !key->starts_with(transaction_prefix)) return corrupt_row(*row, attribute::partition);
    const auto* run = find_string(*row, header_attribute::run);
    if (!run || run->empty()) return corrupt_row(*row, header_attribute::run);
    header.name = {key->substr(transaction_prefix.size()), *run};
    if (const auto* sort = find_string(*row, attribute::sort)) header.sort = *sort;
    if (row->contains(header_attribute::pages)) {
        const auto pages = find_integer(*row, header_attribute::pages);
        if (!pages || *pages < 1 || *pages > most_pages_of_row) return corrupt_row(*row, header_attribute::pages);
        header.pages = static_cast<std::size_t>(*pages);
    }
    const auto state = state_in(*row);
    if (!state) return corrupt_row(*row, attribute::state);
    header.state = *state;
    header.done = row->contains(header_attribute::done);
    const auto born = find_integer(*row, header_attribute::born);
    if (!born) return corrupt_row(*row, header_attribute::born);
    header.born = *born;
    const auto beat = find_integer(*row, attribute::beat);
    if (!beat) return corrupt_row(*row, attribute::beat);
    header.beat = *beat;
    for (const auto& [name, into] :
         {std::pair{header_attribute::writes, &header.writes}, {header_attribute::checks, &header.checks}}) {
        const auto* value = find(*row, name);
        if (!value) continue;
        const auto* list = value->get_if<attribute_list>();
        if (!list) return corrupt_row(*row, name);
        *into = *list;
    }
    header.fenced = row->contains(header_attribute::fenced);
    if (const auto* locks = find(*row, header_attribute::locks)) {
        auto parsed = locks_in(*locks);
        if (!parsed) return corrupt_row(*row, header_attribute::locks);
        header.locks = *std::move(parsed);
    } else if (header.state == header_state::committed && !header.done) {
        return corrupt_row(*row, header_attribute::locks);
    }
    if (const auto* by = find_string(*row, attribute::marked_by)) header.ended_by = *by;
    if (row->contains(header_attribute::until)) {
        header.aside_until = find_integer(*row, header_attribute::until);
        if (!header.aside_until) return corrupt_row(*row, header_attribute::until);
    }
    return std::optional(std::move(header));
}

}  // namespace dynalease::protocol
