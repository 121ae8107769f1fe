// The requests of a session.
// SPDX-License-Identifier: BSL-1.0
#include "session/protocol/session_requests.hpp"

#include "session/protocol/lease_times.hpp"

namespace dynalease::protocol {

namespace {

std::int64_t row_expiry(wall_time now) {
    return std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch() + session_row_retention).count();
}

update_item_request update_of(const std::string& table, std::string_view id) {
    return {.table_name = table, .key = session_key(id), .current_on_refusal = true};
}

}  // namespace

put_item_request create_session(const std::string& table, std::string_view id, std::chrono::milliseconds lease,
                                std::string_view owner, std::string_view creation, wall_time now) {
    put_item_request request{.table_name = table, .new_item = session_key(id)};
    request.new_item.emplace(attribute::version, schema_version);
    request.new_item.emplace(attribute::state, "alive");
    request.new_item.emplace(attribute::beat, 1);
    request.new_item.emplace(attribute::beat_time, now.time_since_epoch().count());
    request.new_item.emplace(attribute::lease, lease.count());
    request.new_item.emplace(attribute::owner, owner);
    request.new_item.emplace(attribute::creation, creation);
    request.condition_expression = "attribute_not_exists(#pk)";
    request.names = {{"#pk", attribute::partition}};
    request.current_on_refusal = true;
    return request;
}

update_item_request beat_session(const std::string& table, std::string_view id, std::int64_t number, wall_time now) {
    auto request = update_of(table, id);
    request.update_expression = "SET #beat = :n, #time = :now";
    request.condition_expression = "#state = :alive AND #beat < :n";
    request.names = {{"#beat", attribute::beat}, {"#state", attribute::state}, {"#time", attribute::beat_time}};
    request.values = {{":alive", "alive"}, {":n", number}, {":now", now.time_since_epoch().count()}};
    request.returned = return_values::updated_old;
    return request;
}

update_item_request close_session(const std::string& table, std::string_view id, wall_time now) {
    auto request = update_of(table, id);
    request.update_expression = "SET #state = :closed, #ttl = :expiry";
    request.condition_expression = "#state = :alive";
    request.names = {{"#state", attribute::state}, {"#ttl", attribute::time_to_live}};
    request.values = {{":alive", "alive"}, {":closed", "closed"}, {":expiry", row_expiry(now)}};
    return request;
}

get_item_request look_at_session(const std::string& table, std::string_view id) {
    return {.table_name = table, .key = session_key(id), .consistent_read = true};
}

update_item_request mark_session_dead(const std::string& table, std::string_view id, std::int64_t beat_seen,
                                      std::string_view by, wall_time now) {
    auto request = update_of(table, id);
    request.update_expression = "SET #state = :dead, #by = :me, #ttl = :expiry";
    request.condition_expression = "#state = :alive AND #beat = :seen";
    request.names = {{"#beat", attribute::beat},
                     {"#by", attribute::marked_by},
                     {"#state", attribute::state},
                     {"#ttl", attribute::time_to_live}};
    request.values = {
        {":alive", "alive"}, {":dead", "dead"}, {":expiry", row_expiry(now)}, {":me", by}, {":seen", beat_seen}};
    return request;
}

update_item_request revoke_session(const std::string& table, std::string_view id, std::string_view by) {
    auto request = update_of(table, id);
    request.update_expression = "SET #beat = :last, #by = :by";
    request.condition_expression = "#state = :alive";
    request.names = {{"#beat", attribute::beat}, {"#by", attribute::marked_by}, {"#state", attribute::state}};
    request.values = {{":alive", "alive"}, {":by", by}, {":last", last_beat}};
    return request;
}

}  // namespace dynalease::protocol
