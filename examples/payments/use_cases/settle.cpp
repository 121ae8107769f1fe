// The consumer of the gateway's answers, with its inbox.
// SPDX-License-Identifier: BSL-1.0
#include "payments/use_cases/settle.hpp"

#include "payments/domain/refused.hpp"

#include <exception>
#include <utility>

namespace asio = boost::asio;

namespace payments {

namespace {

asio::awaitable<bool> settle_once(intent_repository& intents, charge_answer answer) {
    auto unit = co_await intents.open(answer.intent);
    auto& intent = unit->intent();
    const bool waited_for = intent.settle(answer);
    if (waited_for) {
        together_with more;
        more.answered = intent.data().charge->event;
        more.received = std::move(answer);
        co_await unit->save(std::move(more));
    }
    co_await unit->end();
    co_return waited_for;
}

}  // namespace

asio::awaitable<bool> settle(intent_repository& intents, charge_answer answer) {
    constexpr unsigned tries = 5;
    for (unsigned made = 1;; ++made) {
        try {
            auto work = settle_once(intents, answer);
            co_return co_await std::move(work);
        } catch (const refused& why) {
            if (why.what_is_wrong() == problem::already_received) co_return false;
            // Another's write in between: the gateway's answer is as true as before, so it is done again.
            if (why.what_is_wrong() != problem::conflict || made == tries) throw;
        }
    }
}

}  // namespace payments
