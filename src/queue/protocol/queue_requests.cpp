// The requests of a queue. The texts are the protocol; only the attribute names are filled in by search.
// SPDX-License-Identifier: BSL-1.0
#include "queue/protocol/queue_requests.hpp"

#include "session/protocol/placeholders.hpp"

#include <array>
#include <utility>

namespace dynalease::protocol {

namespace {

constexpr std::array placeholders{
    placeholder{"#pk", attribute::partition},     placeholder{"#v", attribute::version},
    placeholder{"#tail", attribute::tail},        placeholder{"#passed", attribute::passed},
    placeholder{"#last", attribute::last},        placeholder{"#pace", attribute::pace},
    placeholder{"#ttl", attribute::time_to_live}, placeholder{"#skipped_passed", attribute::skipped_passed},
};

update_item_request finish(update_item_request request) {
    name_attributes(request, placeholders);
    return request;
}

/// Numbers that were never issued: those up to the last of the places, by the rank of the first, and ...
std::int64_t skipped_up_to(const std::vector<place>& over) {
    return over.back().ticket - (over.front().rank + static_cast<std::int64_t>(over.size()) - 1);
}

/// ... those that the places cover.
std::int64_t skipped_within(const std::vector<place>& over) {
    std::int64_t skipped = 0;
    for (const auto& each : over) skipped += each.ticket - each.from;
    return skipped;
}

constexpr std::string_view ours_or_none = "(attribute_not_exists(#pk) OR #v = :v)";
/// In a table that was restored, a number of ours may not have been issued yet.
constexpr std::string_view issued = ">= :x";

}  // namespace

update_item_request queue_requests::update_head() const {
    return {.table_name = table_,
            .key = queue_head_key(queue_),
            .values = {{":v", schema_version}},
            .returned = return_values::all_new,
            .current_on_refusal = true};
}

update_item_request queue_requests::take(std::string_view attempt, wall_time now) const {
    auto request = update_head();
    request.update_expression =
        "SET #tail = if_not_exists(#tail, :floor) + :one, #passed = if_not_exists(#passed, :floor), #last = :attempt, "
        "#v = :v REMOVE #ttl";
    request.condition_expression = std::string(ours_or_none) +
                                   " AND (attribute_not_exists(#last) OR #last <> :attempt)"
                                   " AND (attribute_not_exists(#tail) OR #tail < :most)";
    request.values.emplace(":attempt", attempt);
    request.values.emplace(":floor", now.time_since_epoch().count());
    request.values.emplace(":most", last_ticket_ever);
    request.values.emplace(":one", 1);
    return finish(std::move(request));
}

update_item_request queue_requests::take_if_free(std::string_view attempt, wall_time now) const {
    auto request = take(attempt, now);
    request.condition_expression += " AND (attribute_not_exists(#tail) OR #tail = #passed)";
    return request;
}

put_item_request queue_requests::put_ticket(const place& mine, std::string condition) const {
    put_item_request request{.table_name = table_, .new_item = ticket_key(queue_, mine.ticket)};
    request.new_item.emplace(attribute::version, schema_version);
    request.new_item.emplace(attribute::from, mine.from);
    request.condition_expression = std::move(condition);
    request.names = {{"#pk", attribute::partition}};
    request.current_on_refusal = true;
    return request;
}

put_item_request queue_requests::enter(const place& mine, std::string_view attempt, const ticket_face& face) const {
    auto request = put_ticket(mine, "attribute_not_exists(#pk)");
    request.new_item.emplace(attribute::session, self_);
    request.new_item.emplace(attribute::attempt, attempt);
    request.new_item.emplace(attribute::owner, face.owner);
    request.new_item.emplace(attribute::since, face.since.time_since_epoch().count());
    if (!face.data.empty()) request.new_item.emplace(attribute::data, face.data);
    return request;
}

put_item_request queue_requests::bury(std::int64_t ticket) const {
    auto request = put_ticket({.ticket = ticket, .from = ticket}, "attribute_not_exists(#pk)");
    request.new_item.emplace(attribute::void_ticket, true);
    request.new_item.emplace(attribute::marked_by, self_);
    return request;
}

put_item_request queue_requests::cancel(const place& mine, std::string_view attempt) const {
    auto request = cancel_written(mine, attempt);
    request.condition_expression = "attribute_not_exists(#pk) OR (" + request.condition_expression + ")";
    request.names.emplace("#pk", attribute::partition);
    return request;
}

put_item_request queue_requests::cancel_written(const place& mine, std::string_view attempt) const {
    auto request = put_ticket(mine, "#v = :v AND #session = :self AND #attempt = :attempt");
    request.new_item.emplace(attribute::void_ticket, true);
    request.new_item.emplace(attribute::marked_by, self_);
    request.names = {{"#v", attribute::version}, {"#session", attribute::session}, {"#attempt", attribute::attempt}};
    request.values = {{":v", schema_version}, {":self", self_}, {":attempt", attempt}};
    return request;
}

update_item_request queue_requests::move_passed(const std::vector<place>& over, std::string_view tail_is) const {
    auto request = update_head();
    request.update_expression = "SET #passed = :x";
    request.condition_expression = "#v = :v AND #passed BETWEEN :f AND :e AND #tail ";
    request.condition_expression += tail_is;
    request.values.emplace(":f", over.front().from - 1);
    request.values.emplace(":e", over.front().ticket - 1);
    request.values.emplace(":x", over.back().ticket);
    // Counted anew where that is possible: rows of before a restore may have been counted, which cover other numbers.
    const bool anew = over.front().rank > 0;
    const auto skipped = anew ? skipped_up_to(over) : skipped_within(over);
    if (skipped > 0) {
        request.update_expression += ", #skipped_passed = ";
        if (!anew) {
            request.update_expression += "if_not_exists(#skipped_passed, :none) + ";
            request.values.emplace(":none", 0);
        }
        request.update_expression += ":skipped";
        request.values.emplace(":skipped", skipped);
    }
    return request;
}

update_item_request queue_requests::end_turn(const std::vector<place>& over, std::chrono::milliseconds pace,
                                             std::string_view tail_is) const {
    auto request = move_passed(over, tail_is);
    request.update_expression += ", #pace = :pace";
    request.values.emplace(":pace", pace.count());
    return request;
}

update_item_request queue_requests::pass(const std::vector<place>& over) const {
    return finish(move_passed(over, issued));
}

update_item_request queue_requests::leave(const std::vector<place>& over, std::chrono::milliseconds pace) const {
    return finish(end_turn(over, pace, issued));
}

update_item_request queue_requests::leave_idle(const std::vector<place>& over, std::chrono::milliseconds pace,
                                               std::int64_t expiry) const {
    auto request = end_turn(over, pace, "= :x");
    request.update_expression += ", #ttl = :expiry";
    request.values.emplace(":expiry", expiry);
    return finish(std::move(request));
}

update_item_request queue_requests::rest(std::int64_t tail, std::int64_t expiry) const {
    auto request = update_head();
    request.update_expression = "SET #ttl = :expiry";
    request.condition_expression = "#v = :v AND #passed = :x AND #tail = :x";
    request.values.emplace(":x", tail);
    request.values.emplace(":expiry", expiry);
    return finish(std::move(request));
}

get_item_request queue_requests::look() const {
    return {.table_name = table_, .key = queue_head_key(queue_), .consistent_read = true};
}

query_request queue_requests::ahead(std::int64_t first, std::int64_t last, std::int32_t rows) const {
    query_request request{.table_name = table_, .key_condition_expression = "#pk = :pk AND #sk BETWEEN :low AND :high"};
    request.names = {{"#pk", attribute::partition}, {"#sk", attribute::sort}};
    request.values = {{":pk", std::string(queue_prefix) + queue_.entity},
                      {":low", ticket_sort_key(queue_, first)},
                      {":high", ticket_sort_key(queue_, last)}};
    request.limit = rows;
    request.consistent_read = true;
    return request;
}

query_request queue_requests::left_behind(std::int64_t passed) const {
    auto request = ahead(0, passed);
    request.limit = static_cast<std::int32_t>(batch_limit);
    return request;
}

batch_write_item_request queue_requests::forget(const std::vector<std::int64_t>& tickets) const {
    batch_write_item_request request;
    auto& writes = request.tables[table_];
    for (const auto ticket : tickets) writes.emplace_back(batch_delete{ticket_key(queue_, ticket)});
    return request;
}

condition_check queue_requests::fence(const place& mine) const {
    return {.table_name = table_,
            .key = queue_head_key(queue_),
            .condition_expression = "#passed BETWEEN :f AND :e AND #tail >= :t",
            .names = {{"#passed", attribute::passed}, {"#tail", attribute::tail}},
            .values = {{":f", mine.from - 1}, {":e", mine.ticket - 1}, {":t", mine.ticket}}};
}

}  // namespace dynalease::protocol
