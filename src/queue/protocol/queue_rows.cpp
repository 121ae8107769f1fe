// Reading and naming the rows of a queue.
// SPDX-License-Identifier: BSL-1.0
#include "queue/protocol/queue_rows.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace dynalease::protocol {

namespace {

item_key key_in(const queue_name& queue, std::string sort_key) {
    return {{attribute::partition, std::string(queue_prefix) + queue.entity}, {attribute::sort, std::move(sort_key)}};
}

failure refuse_queue_row(errc code, const item& row, std::string message) {
    failure why(code);
    for (const auto* part : {attribute::partition, attribute::sort}) {
        const auto* text = find_string(row, part);
        if (text) why.details.key += (why.details.key.empty() ? "" : "/") + *text;
    }
    why.details.message = std::move(message);
    return why;
}

failure corrupt_queue_row(const item& row, std::string_view name) {
    auto message = "attribute '" + std::string(name) + "' is missing, of another type, or out of bounds";
    return refuse_queue_row(errc::corrupt_row, row, std::move(message));
}

std::optional<failure> check_queue_version(const item& row) {
    const auto version = find_integer(row, attribute::version);
    if (!version) {
        return refuse_queue_row(errc::corrupt_row, row, "a row without a schema number stands where a queue's would");
    }
    if (*version == schema_version) return {};
    return refuse_queue_row(
        errc::unsupported_version, row,
        "the row has schema " + std::to_string(*version) + "; this library writes " + std::to_string(schema_version));
}

/// A count that may be missing. Empty: what stands there is none, or is more than `most`.
std::optional<std::int64_t> count_in(const item& row, const char* name, std::int64_t most) {
    if (find(row, name) == nullptr) return 0;
    const auto count = find_integer(row, name);
    return count && *count >= 0 && *count <= most ? count : std::nullopt;
}

/// The number that a sort key ends with.
std::optional<std::int64_t> ticket_of(std::string_view sort_key) {
    if (sort_key.size() <= ticket_digits) return {};
    const auto digits = sort_key.substr(sort_key.size() - ticket_digits);
    std::int64_t ticket = 0;
    const auto* const end = digits.data() + digits.size();
    const auto [stop, problem] = std::from_chars(digits.data(), end, ticket);
    if (problem != std::errc() || stop != end || ticket < 0) return {};
    return ticket;
}

}  // namespace

std::string words_of_queue(const queue_name& queue) {
    return queue.reason.empty() ? queue.entity : queue.entity + " (" + queue.reason + ")";
}

item_key queue_head_key(const queue_name& queue) {
    return key_in(queue, queue.reason + "/");
}

std::string ticket_sort_key(const queue_name& queue, std::int64_t ticket) {
    const auto digits = std::to_string(ticket);
    return queue.reason + "/" + std::string(ticket_digits - digits.size(), '0') + digits;
}

item_key ticket_key(const queue_name& queue, std::int64_t ticket) {
    return key_in(queue, ticket_sort_key(queue, ticket));
}

result<queue_head> parse_queue_head(const item& row) {
    if (auto why = check_queue_version(row)) return *std::move(why);
    const auto tail = find_integer(row, attribute::tail);
    if (!tail || *tail > last_ticket_ever) return corrupt_queue_row(row, attribute::tail);
    const auto passed = find_integer(row, attribute::passed);
    if (!passed || *passed < 0 || *passed > *tail) return corrupt_queue_row(row, attribute::passed);

    // No more numbers were skipped than there are, so that no arithmetic with them goes beyond 64 bits.
    const auto skipped = count_in(row, attribute::skipped, *tail);
    if (!skipped) return corrupt_queue_row(row, attribute::skipped);
    const auto skipped_passed = count_in(row, attribute::skipped_passed, *passed);
    if (!skipped_passed) return corrupt_queue_row(row, attribute::skipped_passed);

    queue_head parsed{.tail = *tail, .passed = *passed, .skipped = *skipped, .skipped_passed = *skipped_passed};
    if (const auto* last = find_string(row, attribute::last)) parsed.last = *last;
    // A mere estimate: one that no queue can have is none.
    const auto pace = find_integer(row, attribute::pace).value_or(0);
    if (pace > 0 && pace <= longest_lease.count()) parsed.pace = std::chrono::milliseconds(pace);
    return parsed;
}

result<ticket_row> parse_ticket_row(const item& row) {
    if (auto why = check_queue_version(row)) return *std::move(why);
    const auto* sort_key = find_string(row, attribute::sort);
    const auto ticket = sort_key ? ticket_of(*sort_key) : std::nullopt;
    if (!ticket) return corrupt_queue_row(row, attribute::sort);
    const auto from = find_integer(row, attribute::from);
    if (!from || *from < 0 || *from > *ticket) return corrupt_queue_row(row, attribute::from);

    ticket_row parsed{.ticket = *ticket, .from = *from};
    const auto* marked = find(row, attribute::void_ticket);
    parsed.is_void = marked != nullptr;
    const auto* session = find_string(row, parsed.is_void ? attribute::marked_by : attribute::session);
    if (!session) return corrupt_queue_row(row, parsed.is_void ? attribute::marked_by : attribute::session);
    parsed.session = *session;
    if (parsed.is_void) return parsed;

    const auto* attempt = find_string(row, attribute::attempt);
    if (!attempt) return corrupt_queue_row(row, attribute::attempt);
    parsed.attempt = *attempt;
    if (const auto* owner = find_string(row, attribute::owner)) parsed.owner = *owner;
    parsed.since = time_in(row, attribute::since);
    if (const auto* data = find(row, attribute::data)) {
        if (const auto* attributes = data->get_if<attribute_map>()) parsed.data = *attributes;
    }
    return parsed;
}

}  // namespace dynalease::protocol
