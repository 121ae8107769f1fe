// Keys and tables.
// SPDX-License-Identifier: BSL-1.0
#include "payments/repositories/rows.hpp"

#include <dynalease/coordination_table.hpp>

#include <utility>

namespace asio = boost::asio;

namespace payments {

namespace {

std::string partition_of(const std::string& intent) {
    return "INTENT#" + intent;
}
std::string sort_key_of_event(std::int64_t number) {
    const auto digits = std::to_string(number);
    return "EVENT#" + std::string(digits.size() < 8 ? 8 - digits.size() : 0, '0') + digits;
}

dynalease::versioned_options rows_of_the_table() {
    return {.table = payments_table, .key = "pk", .sort_key = "sk"};
}

}  // namespace

tables::tables(dynalease::database where)
    : database(where),
      intents(where, rows_of_the_table()),
      events(where, rows_of_the_table()),
      answers(where, rows_of_the_table()),
      requests(where, rows_of_the_table()) {}

dynalease::key_values intent_key(const std::string& id) {
    return {partition_of(id), "INTENT"};
}
dynalease::key_values event_key(const std::string& intent, std::int64_t number) {
    return {partition_of(intent), sort_key_of_event(number)};
}

intent_row row_of(const intent_data& intent) {
    intent_row row;
    static_cast<intent_data&>(row) = intent;
    row.pk = partition_of(intent.id);
    row.sk = "INTENT";
    return row;
}

event_row row_of(const event& happened, const char* stage, std::int64_t due) {
    const auto& order = happened.order;
    return {.pk = partition_of(order.intent),
            .sk = sort_key_of_event(happened.number),
            .number = happened.number,
            .intent = order.intent,
            .customer = order.customer,
            .amount = order.amount,
            .currency = order.currency,
            .stage = stage,
            .due = due};
}

answer_row row_of(const charge_answer& answer) {
    return {.pk = partition_of(answer.intent),
            .sk = "ANSWER#" + answer.charge,
            .amount = answer.amount,
            .failure_code = answer.failure_code};
}

event event_of(const event_row& row) {
    return {.number = row.number,
            .order = {.intent = row.intent, .customer = row.customer, .amount = row.amount, .currency = row.currency}};
}

std::int64_t milliseconds_since_1970(const dynalease::database& of) {
    const auto wall = of.environment().clock->wall().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(wall).count();
}

asio::awaitable<void> create_tables(dynalease::database where) {
    co_await dynalease::create_table(where, coordination_table);
    dynalease::create_table_request make;
    make.table_name = payments_table;
    make.key.hash.name = "pk";
    make.key.range = dynalease::key_attribute{.name = "sk"};
    dynalease::secondary_index outbox;
    outbox.name = outbox_index;
    outbox.key.hash.name = "stage";
    outbox.key.range = dynalease::key_attribute{.name = "due", .type = dynalease::scalar_type::n};
    make.global_indexes.push_back(std::move(outbox));
    const auto made = co_await where.execute(std::move(make), as_result);
    const auto code = std::get<0>(made);
    if (code && code != dynalease::errc::table_in_use) throw dynalease::error(code, {});
}

}  // namespace payments
