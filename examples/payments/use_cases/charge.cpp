// The charge, from top to bottom, under each control.
//
// What makes it happen once: the state CHARGE_REQUESTED is written before the gateway hears of it, together with an
// event, so that whoever finds the event can finish the work; and the gateway charges once for each key.
// SPDX-License-Identifier: BSL-1.0
#include "payments/use_cases/charge.hpp"

#include <utility>

namespace asio = boost::asio;

namespace payments {

asio::awaitable<intent_data> charge(intent_repository& intents, gateway& bank, std::string id, ticket* request) {
    auto unit = co_await intents.open(std::move(id));
    auto& intent = unit->intent();
    auto requested = intent.request_charge(request ? request->key : std::string{});
    if (intent.settled()) co_return intent.data();  // this request's own doing, before its process died

    together_with ahead;
    if (requested) ahead.events.push_back(*std::move(requested));

    switch (intents.control()) {
        case control::optimistic:  // no side effect in here: the relay will send the event, and the answer will come
            ahead.request = request;
            co_await unit->save(std::move(ahead));
            co_return intent.data();
        case control::pessimistic:  // should we die in between, the event tells
            if (!ahead.events.empty()) co_await unit->save(std::move(ahead));
            break;
        case control::none:  // nobody is told
            break;
    }

    const auto answer = co_await bank.charge(intent.order());
    if (!answer) {  // it may have been charged: the gateway will be asked
        co_await unit->end();
        co_return intent.data();
    }
    intent.settle(*answer);
    together_with settled;
    settled.answered = intent.data().charge->event;
    settled.received = *answer;
    settled.request = request;
    co_await unit->save(std::move(settled));
    co_await unit->end();
    co_return intent.data();
}

}  // namespace payments
