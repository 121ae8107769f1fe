// Open, change, save.
// SPDX-License-Identifier: BSL-1.0
#include "payments/use_cases/intents.hpp"

#include <utility>

namespace asio = boost::asio;

namespace payments {

asio::awaitable<intent_data> create_intent(intent_repository& intents, new_intent wanted, ticket* request) {
    auto made = payment_intent::create(std::move(wanted.id), std::move(wanted.customer), wanted.amount,
                                       std::move(wanted.currency));
    co_await intents.create(made, request);
    co_return made.data();
}

asio::awaitable<intent_data> get_intent(intent_repository& intents, std::string id) {
    co_return co_await intents.get(std::move(id));
}

asio::awaitable<intent_data> change_amount(intent_repository& intents, std::string id, std::int64_t amount,
                                           ticket* request) {
    auto unit = co_await intents.open(std::move(id));
    unit->intent().change_amount(amount);
    together_with more;
    more.request = request;
    co_await unit->save(std::move(more));
    co_await unit->end();
    co_return unit->intent().data();
}

}  // namespace payments
