// Reads, and writes what it has changed over whatever stands there by then.
// SPDX-License-Identifier: BSL-1.0
#include "payments/repositories/unguarded_repository.hpp"

#include "payments/domain/refused.hpp"

#include <dynalease/dynamodb/expression.hpp>

#include <utility>

namespace asio = boost::asio;

namespace payments {

namespace {

class unguarded_unit final : public unit_of_work {
public:
    unguarded_unit(const tables& where, intent_data found)
        : unit_of_work(payment_intent(found)), tables_(where), before_(std::move(found)) {}

    /// No transaction, so neither events nor an answer go with it.
    asio::awaitable<void> save(together_with) override {
        const auto& now = intent().data();
        const auto members = dynalease::to_members(now).present;
        dynalease::update_expression change;
        for (const auto& [name, value] : dynalease::to_members(before_).present) {
            if (const auto& next = members.at(name); next != value) change += dynalease::set(name, next);
        }
        if (now.charge && !before_.charge) change += dynalease::set("charge", members.at("charge"));
        before_ = now;
        if (!change.empty()) co_await tables_.intents.blind(intent_key(now.id), std::move(change));
    }
    asio::awaitable<void> end() override { co_return; }

private:
    const tables& tables_;
    intent_data before_;
};

}  // namespace

asio::awaitable<void> unguarded_repository::create(payment_intent made, ticket*) {
    const auto row = row_of(made.data());
    co_await tables_.intents.create(row);
}

asio::awaitable<intent_data> unguarded_repository::get(std::string id) {
    auto found = co_await tables_.intents.load(intent_key(id));
    if (!found) throw refused(problem::not_found, "there is no payment intent " + id);
    co_return found->value;
}

asio::awaitable<std::unique_ptr<unit_of_work>> unguarded_repository::open(std::string id) {
    auto reading = get(std::move(id));
    auto found = co_await std::move(reading);
    co_return std::make_unique<unguarded_unit>(tables_, std::move(found));
}

}  // namespace payments
