// Reads all intents, and asks the gateway about each.
// SPDX-License-Identifier: BSL-1.0
#include "payments/demo/books.hpp"

#include "payments/http/json.hpp"

#include <stdexcept>
#include <utility>

namespace asio = boost::asio;

namespace payments::demo {

asio::awaitable<std::vector<intent_data>> auditor::read(const std::vector<customer>& all) {
    std::vector<dynalease::key_values> keys;
    for (const auto& who : all) {
        if (!who.intent.empty()) keys.push_back(intent_key(who.intent));
    }
    auto found = co_await tables_.intents.load_many(std::move(keys));
    std::vector<intent_data> intents;
    for (const auto& one : found) {
        if (one) intents.push_back(one->value);
    }
    co_return intents;
}

asio::awaitable<books> auditor::glance(const std::vector<customer>& all) {
    auto reading = read(all);
    const auto intents = co_await std::move(reading);
    books seen;
    seen.intents = intents.size();
    for (const auto& intent : intents) {
        const payment_intent as_domain(intent);
        if (as_domain.settled()) ++seen.charges;
        if (intent.state == intent_state::CHARGE_REQUESTED) ++seen.waiting;
        if (intent.state == intent_state::CHARGED) seen.recorded += intent.amount;
    }
    auto counting = outbox_.count(stage::to_send);
    seen.outbox_left = co_await std::move(counting);
    auto counting_sent = outbox_.count(stage::sent);
    seen.outbox_left += co_await std::move(counting_sent);
    co_return seen;
}

asio::awaitable<books> auditor::close(const std::vector<customer>& all) {
    auto glancing = glance(all);
    auto seen = co_await std::move(glancing);
    auto reading = read(all);
    const auto intents = co_await std::move(reading);
    for (const auto& intent : intents) {
        auto asking = bank_.ask(charge_order{.intent = intent.id}.key());
        const auto known = co_await std::move(asking);
        if (known.is == gateway::enquiry::kind::no_answer) throw std::runtime_error("the gateway does not answer");
        const bool withdrawn = known.is == gateway::enquiry::kind::known && known.outcome.withdrawn();
        const bool says_so = intent.state == intent_state::CHARGED;
        bool lost = withdrawn != says_so || (withdrawn && known.outcome.amount != intent.amount);
        for (const auto& who : all) {
            if (who.intent == intent.id && !who.in_doubt && who.amount != intent.amount) lost = true;
        }
        if (!lost) continue;
        ++seen.lost_updates;
        if (seen.first_lost.empty()) {
            seen.first_lost = intent.id + " says " + std::string(says_so ? "CHARGED" : "not charged") + ", " +
                              std::to_string(intent.amount) + " cents; withdrawn were " +
                              std::to_string(withdrawn ? known.outcome.amount : 0);
        }
    }
    auto asking = gateway_.ask(web::client::make(web::http::verb::get, "/book", {}));
    const auto told = co_await std::move(asking);
    if (!told) throw std::runtime_error("the gateway does not answer");
    const web::json_object book(told->body());
    seen.withdrawn = book.integer("withdrawn");
    seen.double_charges = static_cast<std::size_t>(book.integer("double_charges"));
    co_return seen;
}

}  // namespace payments::demo
