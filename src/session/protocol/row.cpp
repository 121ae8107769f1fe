// Reading rows strictly: what is not as every row of ours is, is not ours to touch.
// SPDX-License-Identifier: BSL-1.0
#include "session/protocol/row.hpp"

namespace dynalease::protocol {

failure refused_row(errc code, const item& row, std::string message) {
    failure why(code);
    if (const auto* key = find_string(row, attribute::partition)) why.details.key = *key;
    why.details.message = std::move(message);
    return why;
}

failure corrupt_row(const item& row, std::string_view name) {
    return refused_row(errc::corrupt_row, row, "attribute '" + std::string(name) + "' is missing or of another type");
}

std::optional<failure> check_schema(const item& row) {
    const auto version = find_integer(row, attribute::version);
    if (!version) return corrupt_row(row, attribute::version);
    if (*version == schema_version) return {};
    return refused_row(
        errc::unsupported_version, row,
        "the row has schema " + std::to_string(*version) + "; this library writes " + std::to_string(schema_version));
}

item_key row_key(std::string prefix, std::string_view name) {
    prefix += name;
    return {{attribute::partition, std::move(prefix)}, {attribute::sort, "-"}};
}

item_key session_key(std::string_view id) {
    return row_key("session#", id);
}
wall_time time_in(const item& row, std::string_view attribute) {
    return wall_time(std::chrono::milliseconds(find_integer(row, attribute).value_or(0)));
}

result<session_row> parse_session_row(const item& row) {
    if (auto why = check_schema(row)) return *std::move(why);
    const auto* state = find_string(row, attribute::state);
    if (!state) return corrupt_row(row, attribute::state);
    const auto beat = find_integer(row, attribute::beat);
    if (!beat) return corrupt_row(row, attribute::beat);
    const auto lease = find_integer(row, attribute::lease);
    if (!lease || *lease <= 0 || *lease > longest_lease.count()) return corrupt_row(row, attribute::lease);

    session_row parsed{.alive = *state == "alive", .beat = *beat, .lease = std::chrono::milliseconds(*lease)};
    if (const auto* owner = find_string(row, attribute::owner)) parsed.owner = *owner;
    if (const auto* creation = find_string(row, attribute::creation)) parsed.creation = *creation;
    if (const auto* by = find_string(row, attribute::marked_by)) parsed.marked_by = *by;
    parsed.beat_time = time_in(row, attribute::beat_time);
    return parsed;
}

}  // namespace dynalease::protocol
