// Reading a lock's row strictly: what is not as every row of ours is, is not ours to touch.
// SPDX-License-Identifier: BSL-1.0
#include "lock/protocol/lock_row.hpp"

#include "session/protocol/claim.hpp"

#include <algorithm>

namespace dynalease::protocol {

item_key lock_key(std::string_view name) {
    return row_key(std::string(lock_prefix), name);
}

std::optional<std::size_t> lock_row::place_of(std::string_view session) const {
    const auto at = std::find(line.begin(), line.end(), session);
    if (at == line.end()) return {};
    return static_cast<std::size_t>(at - line.begin());
}

result<lock_row> parse_lock_row(const item* row) {
    lock_row parsed;
    if (!row || row->empty()) return parsed;
    if (auto why = check_schema(*row)) return *std::move(why);

    const auto floor = find_integer(*row, attribute::floor);
    if (!floor) return corrupt_row(*row, attribute::floor);
    if (*floor >= token_limit) {
        return refused_row(errc::corrupt_row, *row,
                           "attribute 'floor' is " + std::to_string(*floor) + ", which leaves no token above it");
    }
    parsed.floor = *floor;
    if (find(*row, attribute::token)) {
        const auto token = find_integer(*row, attribute::token);
        if (!token) return corrupt_row(*row, attribute::token);
        parsed.token = *token;
    }

    // Both, or neither. What is there and not as it should be does not make the lock free: the conditions see it held.
    if (find(*row, attribute::holder) || find(*row, attribute::attempt)) {
        const auto* holder = find_string(*row, attribute::holder);
        if (!holder) return corrupt_row(*row, attribute::holder);
        const auto attempt = find_integer(*row, attribute::attempt);
        if (!attempt) return corrupt_row(*row, attribute::attempt);
        parsed.holder = lock_holder{*holder, *attempt};
    }

    if (const auto* line = find(*row, attribute::line)) {
        const auto* entries = line->get_if<attribute_list>();
        if (!entries) return corrupt_row(*row, attribute::line);
        for (const auto& entry : *entries) {
            const auto* session = entry.get_if<std::string>();
            if (!session) return corrupt_row(*row, attribute::line);
            parsed.line.push_back(*session);
        }
    }
    // Read as 0, a number that is none would let a take be sent for ever that the condition refuses for ever.
    if (find(*row, attribute::passed)) {
        const auto passed = find_integer(*row, attribute::passed);
        if (!passed) return corrupt_row(*row, attribute::passed);
        parsed.passed = *passed;
    }
    parsed.since = time_in(*row, attribute::since);
    if (const auto* data = find(*row, attribute::data)) {
        if (const auto* attributes = data->get_if<attribute_map>()) parsed.data = *attributes;
    }
    return parsed;
}

}  // namespace dynalease::protocol
