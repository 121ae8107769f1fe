// The texts of the requests about the row of a transaction.
// SPDX-License-Identifier: BSL-1.0
#include "transaction/protocol/transaction_requests.hpp"

#include "database/protocol/transact_actions.hpp"
#include "session/protocol/row.hpp"

#include <utility>

namespace dynalease::protocol {

namespace {

constexpr std::string_view pending_still = "#state = :pending AND #run = :run";

attribute_names names_of_decision() {
    return {{"#state", attribute::state}, {"#run", header_attribute::run}};
}

/// That the id has no row, or that of a run which was rolled back and is done.
template <class Put>
void demand_no_other(Put& put, const std::optional<std::string>& over) {
    if (!over) {
        put.condition_expression = "attribute_not_exists(#pk)";
        put.names.emplace("#pk", attribute::partition);
        return;
    }
    put.condition_expression = "#state = :rolled_back AND #run = :over AND attribute_exists(#done)";
    put.names = names_of_decision();
    put.names.emplace("#done", header_attribute::done);
    put.values.emplace(":rolled_back", "R");
    put.values.emplace(":over", *over);
}

}  // namespace

update_item_request transaction_requests::draft() const {
    update_item_request request{.table_name = table_,
                                .key = transaction_key(self_.id),
                                .condition_expression = std::string(pending_still),
                                .names = names_of_decision(),
                                .current_on_refusal = true};
    request.values.emplace(":pending", "P");
    request.values.emplace(":run", self_.run);
    return request;
}

get_item_request transaction_requests::look() const {
    return {.table_name = table_, .key = transaction_key(self_.id), .consistent_read = true};
}

item transaction_requests::row(std::string_view state, std::int64_t born) const {
    item row = transaction_key(self_.id);
    row.emplace(attribute::version, schema_version);
    row.emplace(attribute::state, state);
    row.emplace(header_attribute::run, self_.run);
    row.emplace(header_attribute::born, born);
    row.emplace(attribute::beat, 0);
    return row;
}

item transaction_requests::done_row(std::string_view state, std::int64_t born, std::int64_t expiry) const {
    auto made = row(state, born);
    made.emplace(header_attribute::done, true);
    made.emplace(attribute::time_to_live, expiry);
    return made;
}

put_item_request transaction_requests::begin(std::int64_t born, const stored_plan& wants,
                                             const std::optional<std::string>& over) const {
    put_item_request request{.table_name = table_, .new_item = row("P", born), .current_on_refusal = true};
    if (wants.pages > 0) {
        request.new_item.emplace(header_attribute::pages, wants.pages);
    } else {
        request.new_item.emplace(header_attribute::writes, wants.writes);
    }
    if (!wants.checks.empty()) request.new_item.emplace(header_attribute::checks, wants.checks);
    if (wants.fenced) request.new_item.emplace(header_attribute::fenced, true);
    demand_no_other(request, over);
    return request;
}

transact_put transaction_requests::outcome(std::int64_t born, const std::optional<std::string>& over,
                                           std::int64_t expiry) const {
    transact_put put{.table_name = table_, .new_item = done_row("C", born, expiry), .current_on_refusal = true};
    demand_no_other(put, over);
    return put;
}

put_item_request transaction_requests::withdraw(std::int64_t born, const std::optional<std::string>& over,
                                                std::int64_t expiry) const {
    put_item_request request{.table_name = table_, .new_item = done_row("R", born, expiry), .current_on_refusal = true};
    demand_no_other(request, over);
    return request;
}

update_item_request transaction_requests::commit(const std::vector<committed_lock>& locks) const {
    auto request = draft();
    request.update_expression = "SET #state = :committed, #locks = :locks";
    request.names.emplace("#locks", header_attribute::locks);
    request.values.emplace(":committed", "C");
    request.values.emplace(":locks", bytes_of(locks));
    return request;
}

transact_write_items_request transaction_requests::commit_checked(const std::vector<committed_lock>& locks,
                                                                  std::vector<condition_check> checks,
                                                                  std::string token) const {
    transact_write_items_request request{.actions = {detail::as_action(commit(locks))},
                                         .client_request_token = std::move(token)};
    for (auto& each : checks) request.actions.emplace_back(std::move(each));
    return request;
}

transact_update transaction_requests::commit_and_finish(std::int64_t expiry) const {
    auto request = draft();
    request.update_expression = "SET #state = :committed, #done = :true, #ttl = :ttl REMOVE #writes";
    request.names.emplace("#done", header_attribute::done);
    request.names.emplace("#ttl", attribute::time_to_live);
    request.names.emplace("#writes", header_attribute::writes);
    request.values.emplace(":committed", "C");
    request.values.emplace(":true", true);
    request.values.emplace(":ttl", expiry);
    return detail::as_action(std::move(request));
}

update_item_request transaction_requests::roll_back(std::string_view by) const {
    auto request = draft();
    request.update_expression = "SET #state = :rolled_back, #by = :by";
    request.names.emplace("#by", attribute::marked_by);
    request.values.emplace(":rolled_back", "R");
    request.values.emplace(":by", by);
    return request;
}

update_item_request transaction_requests::finish(header_state decided, std::int64_t expiry) const {
    update_item_request request{.table_name = table_,
                                .key = transaction_key(self_.id),
                                .update_expression = "SET #done = :true, #ttl = :ttl REMOVE #locks, #writes, #checks",
                                .condition_expression = "#state = :decided AND #run = :run",
                                .names = names_of_decision(),
                                .current_on_refusal = true};
    request.names.emplace("#done", header_attribute::done);
    request.names.emplace("#ttl", attribute::time_to_live);
    request.names.emplace("#locks", header_attribute::locks);
    request.names.emplace("#writes", header_attribute::writes);
    request.names.emplace("#checks", header_attribute::checks);
    request.values.emplace(":true", true);
    request.values.emplace(":ttl", expiry);
    request.values.emplace(":decided", decided == header_state::committed ? "C" : "R");
    request.values.emplace(":run", self_.run);
    return request;
}

get_item_request transaction_requests::look_at_page(std::size_t number) const {
    return {.table_name = table_, .key = page_key(self_, number), .consistent_read = true};
}

transact_write_items_request transaction_requests::store_pages(const std::vector<stored_page>& pages, std::size_t from,
                                                               std::size_t until, std::string token) const {
    transact_write_items_request request{.actions = {still_pending()}, .client_request_token = std::move(token)};
    for (auto i = from; i < until; ++i) {
        item page = page_key(self_, i + 1);
        page.emplace(attribute::version, schema_version);
        if (!pages[i].writes.empty()) page.emplace(header_attribute::writes, pages[i].writes);
        if (!pages[i].checks.empty()) page.emplace(header_attribute::checks, pages[i].checks);
        request.actions.emplace_back(transact_put{.table_name = table_, .new_item = std::move(page)});
    }
    return request;
}

transact_write_items_request transaction_requests::finish_with_pages(header_state decided, std::int64_t expiry,
                                                                     std::size_t pages) const {
    transact_write_items_request request{.actions = {detail::as_action(finish(decided, expiry))}};
    for (std::size_t i = 1; i <= pages; ++i) {
        request.actions.emplace_back(transact_delete{.table_name = table_, .key = page_key(self_, i)});
    }
    return request;
}

put_item_request transaction_requests::set_aside(std::int64_t born, const attribute_list& writes, std::int64_t until,
                                                 std::size_t part) const {
    put_item_request request{.table_name = table_,
                             .new_item = row("R", born),
                             .condition_expression = "attribute_not_exists(#pk) OR #until < :until",
                             .names = {{"#pk", attribute::partition}, {"#until", header_attribute::until}},
                             .current_on_refusal = true};
    for (auto& [name, value] : aside_key(self_, part)) request.new_item.insert_or_assign(name, value);
    request.new_item.emplace(header_attribute::writes, writes);
    request.new_item.emplace(header_attribute::until, until);
    request.values.emplace(":until", until);
    return request;
}

update_item_request transaction_requests::finish_aside(std::int64_t expiry, const std::string& sort) const {
    auto request = finish(header_state::rolled_back, expiry);
    request.key.insert_or_assign(attribute::sort, sort);
    return request;
}

condition_check transaction_requests::still_pending() const {
    condition_check check{.table_name = table_,
                          .key = transaction_key(self_.id),
                          .condition_expression = std::string(pending_still),
                          .names = names_of_decision(),
                          .current_on_refusal = true};
    check.values.emplace(":pending", "P");
    check.values.emplace(":run", self_.run);
    return check;
}

}  // namespace dynalease::protocol
