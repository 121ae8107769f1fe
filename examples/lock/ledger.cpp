// The fenced resource in plain DynamoDB requests: nothing here knows of locks.
// SPDX-License-Identifier: BSL-1.0
#include "lock/ledger.hpp"

#include "lock/settings.hpp"

#include <algorithm>
#include <utility>

namespace asio = boost::asio;

namespace demo {
namespace {

dynalease::item_key key_of(std::string_view name) {
    dynalease::item_key key;
    key.emplace("pk", "account#" + std::string(name));
    key.emplace("sk", "-");
    return key;
}

account account_from(std::string name, const dynalease::item& stored) {
    return {std::move(name), dynalease::find_integer(stored, "balance").value(),
            dynalease::find_integer(stored, "writes").value()};
}

dynalease::transact_update fenced_write(const posting& side) {
    dynalease::transact_update update;
    update.table_name = table;
    update.key = key_of(side.after.name);
    update.update_expression = "SET #balance = :balance, #writes = :writes, #token = :token";
    update.condition_expression = "#token <= :token";
    update.names = {{"#balance", "balance"}, {"#writes", "writes"}, {"#token", "token"}};
    update.values.emplace(":balance", side.after.balance);
    update.values.emplace(":writes", side.after.writes);
    update.values.emplace(":token", side.fencing_token);
    return update;
}

bool refused(const dynalease::failure& why) {
    return std::any_of(why.reasons.begin(), why.reasons.end(),
                       [](const auto& reason) { return reason.code == "ConditionalCheckFailed"; });
}

}  // namespace

asio::awaitable<void> ledger::open_accounts() const {
    for (const auto name : accounts) {
        dynalease::put_item_request put;
        put.table_name = table;
        put.new_item = key_of(name);
        put.new_item.emplace("balance", opening_balance);
        put.new_item.emplace("writes", 0);
        put.new_item.emplace("token", 0);
        co_await database_.execute(std::move(put));
    }
}

asio::awaitable<account> ledger::read(std::string name) const {
    dynalease::get_item_request get;
    get.table_name = table;
    get.key = key_of(name);
    get.consistent_read = true;
    const auto answer = co_await database_.execute(std::move(get));
    co_return account_from(std::move(name), answer.found.value());
}

asio::awaitable<bool> ledger::write(posting payer, posting payee, std::string transfer_id) const {
    dynalease::transact_write_items_request request;
    request.actions.emplace_back(fenced_write(payer));
    request.actions.emplace_back(fenced_write(payee));
    request.client_request_token = std::move(transfer_id);
    const auto done = co_await database_.call(std::move(request));
    if (!done && !refused(done.error())) throw dynalease::error(done.error().code, done.error().details);
    co_return done.has_value();
}

asio::awaitable<std::vector<account>> ledger::snapshot() const {
    dynalease::transact_get_items_request request;
    for (const auto name : accounts) {
        dynalease::transact_get get;
        get.table_name = table;
        get.key = key_of(name);
        request.gets.push_back(std::move(get));
    }
    const auto answer = co_await database_.execute(std::move(request));
    std::vector<account> all;
    for (std::size_t i = 0; i < accounts.size(); ++i) {
        all.push_back(account_from(std::string(accounts[i]), answer.items.at(i).value()));
    }
    co_return all;
}

}  // namespace demo
