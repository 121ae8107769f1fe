// Reading rows strictly: what is not as every row of ours is, is not ours to touch.
#include "protocol/rows.hpp"

#include "protocol/claim.hpp"

#include <algorithm>

namespace dynalease::protocol {

namespace {

failure refuse(errc code, const item& row, std::string message) {
    failure why(code);
    if (const auto* key = find_string(row, attribute::partition)) why.details.key = *key;
    why.details.message = std::move(message);
    return why;
}

failure corrupt(const item& row, std::string_view name) {
    return refuse(errc::corrupt_row, row, "attribute '" + std::string(name) + "' is missing or of another type");
}

/// Empty if the version is ours.
std::optional<failure> check_version(const item& row) {
    const auto version = find_integer(row, attribute::version);
    if (!version) return corrupt(row, attribute::version);
    if (*version == schema_version) return {};
    return refuse(
        errc::unsupported_version, row,
        "the row has schema " + std::to_string(*version) + "; this library writes " + std::to_string(schema_version));
}

item_key key_of(std::string prefix, std::string_view name) {
    prefix += name;
    return {{attribute::partition, std::move(prefix)}, {attribute::sort, "-"}};
}

}  // namespace

item_key session_key(std::string_view id) {
    return key_of("session#", id);
}
item_key lock_key(std::string_view name) {
    return key_of(std::string(lock_prefix), name);
}

std::optional<std::size_t> lock_row::place_of(std::string_view session) const {
    const auto at = std::find(line.begin(), line.end(), session);
    if (at == line.end()) return {};
    return static_cast<std::size_t>(at - line.begin());
}

result<session_row> parse_session_row(const item& row) {
    if (auto why = check_version(row)) return *std::move(why);
    const auto* state = find_string(row, attribute::state);
    if (!state) return corrupt(row, attribute::state);
    const auto beat = find_integer(row, attribute::beat);
    if (!beat) return corrupt(row, attribute::beat);
    const auto lease = find_integer(row, attribute::lease);
    if (!lease || *lease <= 0 || *lease > longest_lease.count()) return corrupt(row, attribute::lease);

    session_row parsed{.alive = *state == "alive", .beat = *beat, .lease = std::chrono::milliseconds(*lease)};
    if (const auto* owner = find_string(row, attribute::owner)) parsed.owner = *owner;
    if (const auto* creation = find_string(row, attribute::creation)) parsed.creation = *creation;
    if (const auto* by = find_string(row, attribute::marked_by)) parsed.marked_by = *by;
    return parsed;
}

result<lock_row> parse_lock_row(const item* row) {
    lock_row parsed;
    if (!row || row->empty()) return parsed;
    if (auto why = check_version(*row)) return *std::move(why);

    const auto floor = find_integer(*row, attribute::floor);
    if (!floor) return corrupt(*row, attribute::floor);
    if (*floor >= token_limit) {
        return refuse(errc::corrupt_row, *row,
                      "attribute 'floor' is " + std::to_string(*floor) + ", which leaves no token above it");
    }
    parsed.floor = *floor;
    if (find(*row, attribute::token)) {
        const auto token = find_integer(*row, attribute::token);
        if (!token) return corrupt(*row, attribute::token);
        parsed.token = *token;
    }

    // Both, or neither. What is there and not as it should be does not make the lock free: the conditions see it held.
    if (find(*row, attribute::holder) || find(*row, attribute::attempt)) {
        const auto* holder = find_string(*row, attribute::holder);
        if (!holder) return corrupt(*row, attribute::holder);
        const auto attempt = find_integer(*row, attribute::attempt);
        if (!attempt) return corrupt(*row, attribute::attempt);
        parsed.holder = lock_holder{*holder, *attempt};
    }

    if (const auto* line = find(*row, attribute::line)) {
        const auto* entries = line->get_if<attribute_list>();
        if (!entries) return corrupt(*row, attribute::line);
        for (const auto& entry : *entries) {
            const auto* session = entry.get_if<std::string>();
            if (!session) return corrupt(*row, attribute::line);
            parsed.line.push_back(*session);
        }
    }
    // Read as 0, a number that is none would let a take be sent for ever that the condition refuses for ever.
    if (find(*row, attribute::passed)) {
        const auto passed = find_integer(*row, attribute::passed);
        if (!passed) return corrupt(*row, attribute::passed);
        parsed.passed = *passed;
    }
    if (const auto* data = find(*row, attribute::data)) {
        if (const auto* attributes = data->get_if<attribute_map>()) parsed.data = *attributes;
    }
    return parsed;
}

}  // namespace dynalease::protocol
