// The requests of a lock. The texts are the protocol; only the attribute names are filled in by search.
// SPDX-License-Identifier: BSL-1.0
#include "lock/protocol/lock_requests.hpp"

#include "session/protocol/placeholders.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace dynalease::protocol {

namespace {

constexpr std::array placeholders{
    placeholder{"#pk", attribute::partition},  placeholder{"#v", attribute::version},
    placeholder{"#floor", attribute::floor},   placeholder{"#token", attribute::token},
    placeholder{"#holder", attribute::holder}, placeholder{"#attempt", attribute::attempt},
    placeholder{"#line", attribute::line},     placeholder{"#passed", attribute::passed},
    placeholder{"#data", attribute::data},     placeholder{"#ttl", attribute::time_to_live},
    placeholder{"#since", attribute::since},
};

update_item_request finish(update_item_request request) {
    name_attributes(request, placeholders);
    return request;
}

/// Only rows of our own schema, or none at all.
constexpr std::string_view our_schema = "(attribute_not_exists(#pk) OR #v = :v)";
/// The same for a row that must be there.
constexpr std::string_view present_in_our_schema = "#v = :v AND ";
/// What makes tokens rise and late copies fail.
constexpr std::string_view above_floor = "(attribute_not_exists(#floor) OR #floor < :t)";
/// The same for a row that we know.
constexpr std::string_view above_known_floor = "#floor >= :seen AND #floor < :t";

std::string line_at(std::size_t place) {
    return "#line[" + std::to_string(place) + "]";
}

void set_face(update_item_request& request, grant_face face) {
    request.update_expression += ", #since = :now";
    request.values.emplace(":now", face.since.time_since_epoch().count());
    if (face.data.empty()) return;
    request.update_expression += ", #data = :data";
    request.values.emplace(":data", std::move(face.data));
}

}  // namespace

update_item_request lock_requests::draft() const {
    return {.table_name = table_, .key = lock_key(name_), .current_on_refusal = true};
}

get_item_request lock_requests::look() const {
    return {.table_name = table_, .key = lock_key(name_), .consistent_read = true};
}

update_item_request lock_requests::take(const claim& mine, const take_form& form, grant_face face,
                                        std::int64_t seen_floor) const {
    auto request = draft();
    request.values = {{":v", schema_version}, {":s", self_}, {":a", mine.attempt}, {":t", mine.token}};

    std::string condition(our_schema);
    if (form.over) {
        condition += " AND #holder = :h AND #attempt = :ha";
        request.values.emplace(":h", form.over->session);
        request.values.emplace(":ha", form.over->attempt);
    } else {
        condition += " AND attribute_not_exists(#holder)";
    }

    std::string remove = " REMOVE #ttl, ";
    std::string_view pass;
    if (form.drop_head) {
        condition += " AND #floor = :f AND #line[0] = :head";
        request.values.emplace(":f", form.drop_head->floor);
        request.values.emplace(":head", form.drop_head->session);
        remove += "#passed, #line[0]";
        if (form.place) {
            condition += " AND " + line_at(*form.place) + " = :s";
            remove += ", " + line_at(*form.place);
        }
    } else {
        condition += " AND ";
        condition += seen_floor > 0 ? above_known_floor : above_floor;
        if (seen_floor > 0) request.values.emplace(":seen", seen_floor);
        if (!form.place) {
            condition += " AND attribute_not_exists(#line[0])";
            remove += "#passed, #line";
        } else if (*form.place == 0) {
            condition += " AND #line[0] = :s";
            remove += "#passed, #line[0]";
        } else {
            condition += " AND " + line_at(*form.place) + " = :s AND (attribute_not_exists(#passed) OR #passed < :kp)";
            request.values.emplace(":kp", overtaking_bound);
            pass = ", #passed = if_not_exists(#passed, :0) + :1";
            request.values.emplace(":0", 0);
            request.values.emplace(":1", 1);
            remove += line_at(*form.place);
        }
    }

    request.update_expression = "SET #v = :v, #holder = :s, #attempt = :a, #token = :t, #floor = :t";
    set_face(request, std::move(face));
    request.update_expression += pass;
    request.update_expression += remove;
    request.condition_expression = std::move(condition);
    return finish(std::move(request));
}

update_item_request lock_requests::join(const claim& mine) const {
    auto request = draft();
    request.update_expression = "SET #v = :v, #line = list_append(if_not_exists(#line, :empty), :me)";
    request.condition_expression = std::string(our_schema) + " AND " + std::string(above_floor) +
                                   " AND (attribute_exists(#holder) OR attribute_exists(#line[0]))"
                                   " AND attribute_not_exists(" +
                                   line_at(line_capacity - 1) +
                                   ")"
                                   " AND (attribute_not_exists(#line) OR NOT contains(#line, :s))";
    request.values = {{":v", schema_version},
                      {":t", mine.token},
                      {":s", self_},
                      {":empty", attribute_list{}},
                      {":me", attribute_list{self_}}};
    request.returned = return_values::all_new;
    return finish(std::move(request));
}

update_item_request lock_requests::hand_over(const claim& from, const claim& to, grant_face face) const {
    auto request = draft();
    request.update_expression = "SET #attempt = :b, #token = :t, #floor = :t";
    request.condition_expression =
        std::string(present_in_our_schema) + "#holder = :s AND #attempt = :a AND #floor < :t";
    request.values = {
        {":v", schema_version}, {":s", self_}, {":a", from.attempt}, {":b", to.attempt}, {":t", to.token}};
    set_face(request, std::move(face));
    request.returned = return_values::all_new;
    return finish(std::move(request));
}

update_item_request lock_requests::release(const claim& held, const std::optional<claim>& unresolved, bool rejoin,
                                           std::int64_t expiry) const {
    auto request = draft();
    request.update_expression = "SET #ttl = :expiry";
    request.condition_expression = std::string(present_in_our_schema) + "#holder = :s AND #attempt ";
    request.condition_expression += unresolved ? "IN (:a, :b)" : "= :a";
    request.values = {{":v", schema_version}, {":s", self_}, {":a", held.attempt}, {":expiry", expiry}};
    if (unresolved) {
        request.values.emplace(":b", unresolved->attempt);
    }
    if (rejoin) {
        request.update_expression += ", #line = list_append(if_not_exists(#line, :empty), :me)";
        request.values.emplace(":empty", attribute_list{});
        request.values.emplace(":me", attribute_list{self_});
    }
    request.update_expression += " REMOVE #holder, #attempt";
    request.returned = return_values::all_new;
    return finish(std::move(request));
}

update_item_request lock_requests::void_free(const claim& mine, std::int64_t expiry) const {
    auto request = draft();
    request.update_expression = "SET #v = :v, #floor = :t, #ttl = :expiry";
    request.condition_expression =
        std::string(our_schema) + " AND " + std::string(above_floor) + " AND attribute_not_exists(#holder)";
    request.values = {{":v", schema_version}, {":t", mine.token}, {":expiry", expiry}};
    request.returned = return_values::all_new;
    return finish(std::move(request));
}

update_item_request lock_requests::void_held(const claim& mine) const {
    auto request = draft();
    request.update_expression = "SET #floor = :t";
    request.condition_expression =
        std::string(our_schema) + " AND " + std::string(above_floor) + " AND attribute_exists(#holder)";
    request.values = {{":v", schema_version}, {":t", mine.token}};
    request.returned = return_values::all_new;
    return finish(std::move(request));
}

update_item_request lock_requests::leave(const claim& mine, std::size_t place) const {
    auto request = draft();
    request.update_expression = "SET #floor = :t REMOVE " + line_at(place);
    if (place == 0) request.update_expression += ", #passed";
    request.condition_expression =
        std::string(present_in_our_schema) + std::string(above_floor) + " AND " + line_at(place) + " = :s";
    request.values = {{":v", schema_version}, {":t", mine.token}, {":s", self_}};
    request.returned = return_values::all_new;
    return finish(std::move(request));
}

update_item_request lock_requests::leave_closed(std::size_t place) const {
    auto request = draft();
    request.update_expression = "REMOVE " + line_at(place);
    if (place == 0) request.update_expression += ", #passed";
    request.condition_expression = std::string(present_in_our_schema) + line_at(place) + " = :s";
    request.values = {{":v", schema_version}, {":s", self_}};
    request.returned = return_values::all_new;
    return finish(std::move(request));
}

condition_check lock_requests::fence(const claim& held) const {
    return {.table_name = table_,
            .key = lock_key(name_),
            .condition_expression = "#holder = :s AND #attempt = :a",
            .names = {{"#holder", attribute::holder}, {"#attempt", attribute::attempt}},
            .values = {{":s", self_}, {":a", held.attempt}}};
}

std::int64_t lock_row_expiry(wall_time now, std::int64_t floor, std::chrono::hours retention) {
    const auto wall = std::chrono::ceil<std::chrono::seconds>(now.time_since_epoch());
    const auto tokens = std::chrono::ceil<std::chrono::seconds>(std::chrono::milliseconds(floor));
    return (std::max(wall, tokens) + std::chrono::seconds(retention)).count();
}

}  // namespace dynalease::protocol
