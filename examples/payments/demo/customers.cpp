// What a careful client does: one key per wish, and the same request again until it is answered.
// SPDX-License-Identifier: BSL-1.0
#include "payments/demo/customers.hpp"

#include "payments/http/json.hpp"
#include "support/at_once.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <utility>

namespace asio = boost::asio;

namespace payments::demo {

namespace {

using web::http::verb;

constexpr std::int64_t first_amount = 10'000;
constexpr std::int64_t second_amount = 20'000;
constexpr unsigned patience = 60;

bool passes(int status, const std::string& body) {
    if (status == 409) return body.find("wrong_state") == body.npos;
    return status >= 500;
}

}  // namespace

customers::customers(asio::any_io_executor executor, const std::vector<std::uint16_t>& servers, std::uint64_t seed,
                     std::chrono::milliseconds rest)
    : executor_(std::move(executor)), chance_(seed), rest_(rest) {
    for (const auto port : servers) {
        servers_.push_back(std::make_unique<web::client>(executor_, port, std::chrono::seconds(4)));
    }
}

asio::awaitable<void> customers::come(std::size_t count, std::size_t at_once) {
    all_.resize(count);
    co_await support::at_once(at_once, count, [this](std::size_t which) { return be(which); });
}

asio::awaitable<void> customers::be(std::size_t which) {
    using namespace asio::experimental::awaitable_operators;
    auto& who = all_[which];
    auto resting = wait(static_cast<std::uint64_t>(rest_.count()));
    co_await std::move(resting);
    web::json_text wish;
    wish.open('{')
        .member("customer", "customer-" + std::to_string(which))
        .member("amount", first_amount)
        .member("currency", "USD")
        .close('}');
    auto making = insist(verb::post, "/payment_intents", wish.text(), "make-" + std::to_string(which));
    const auto made = co_await std::move(making);
    if (made.status == 201) {
        const auto begin = made.body.find("pi_");
        who.intent = made.body.substr(begin, made.body.find('"', begin) - begin);
        who.amount = first_amount;
        co_await (pay(who, which) && change_mind(who, which));
    }
    ++gone_;
}

asio::awaitable<void> customers::pay(customer& who, std::size_t which) {
    const auto target = "/payment_intents/" + who.intent + "/charge";
    auto paying = insist(verb::post, target, {}, "pay-" + std::to_string(which));
    const auto paid = co_await std::move(paying);
    who.charged = paid.status == 200 || paid.status == 202 || paid.status == 409;
}

asio::awaitable<void> customers::change_mind(customer& who, std::size_t which) {
    auto thinking = wait(chance_() % 20);
    co_await std::move(thinking);
    auto changing = insist(verb::patch, "/payment_intents/" + who.intent,
                           "{\"amount\":" + std::to_string(second_amount) + "}", "change-" + std::to_string(which));
    const auto changed = co_await std::move(changing);
    if (changed.status == 200) who.amount = second_amount;
    who.in_doubt = changed.status == 0;
}

asio::awaitable<customers::told> customers::insist(verb method, std::string target, std::string body, std::string key) {
    told last;
    for (unsigned tries = 0; tries < patience; ++tries) {
        auto wanted = web::client::make(method, target, body);
        wanted.set("Idempotency-Key", key);
        auto asking = servers_[chance_() % servers_.size()]->ask(std::move(wanted));
        const auto answer = co_await std::move(asking);
        ++counted_.requests;
        if (answer) {
            last.body = answer->body();
            last.status = static_cast<int>(answer->result_int());
            if (!passes(last.status, last.body)) co_return last;
        }
        ++counted_.tried_again;
        auto waiting = wait(50 + chance_() % 200);
        co_await std::move(waiting);
    }
    last.status = 0;
    co_return last;
}

asio::awaitable<void> customers::wait(std::uint64_t milliseconds) {
    asio::steady_timer timer(executor_, std::chrono::milliseconds(milliseconds));
    co_await timer.async_wait(asio::use_awaitable);
}

}  // namespace payments::demo
