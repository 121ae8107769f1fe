// POST /charges with an Idempotency-Key, and GET /charges/KEY.
// SPDX-License-Identifier: BSL-1.0
#include "payments/gateway/http_gateway.hpp"

#include "payments/domain/refused.hpp"
#include "payments/http/json.hpp"

#include <utility>

namespace asio = boost::asio;

namespace payments {

namespace {

web::request request_of(const charge_order& order, const std::string& callback) {
    web::json_text body;
    body.open('{')
        .member("intent", order.intent)
        .member("customer", order.customer)
        .member("amount", order.amount)
        .member("currency", order.currency);
    if (!callback.empty()) body.member("callback", callback);
    auto made = web::client::make(web::http::verb::post, "/charges", body.close('}').text());
    made.set("Idempotency-Key", order.key());
    return made;
}

}  // namespace

asio::awaitable<std::optional<charge_answer>> http_gateway::charge(charge_order order) {
    auto asking = line_.ask(request_of(order, {}));
    const auto told = co_await std::move(asking);
    if (!told || told->result() != web::http::status::ok) co_return std::nullopt;
    co_return web::answer_in(web::json_object(told->body()));
}

asio::awaitable<bool> http_gateway::submit(charge_order order) {
    auto asking = line_.ask(request_of(order, callback_));
    const auto told = co_await std::move(asking);
    co_return told && told->result() == web::http::status::accepted;
}

asio::awaitable<gateway::enquiry> http_gateway::ask(std::string key) {
    auto asking = line_.ask(web::client::make(web::http::verb::get, "/charges/" + key, {}));
    const auto told = co_await std::move(asking);
    enquiry found;
    if (told && told->result() == web::http::status::not_found) found.is = enquiry::kind::unknown;
    if (told && told->result() == web::http::status::ok) {
        found.is = enquiry::kind::known;
        found.outcome = web::answer_in(web::json_object(told->body()));
    }
    co_return found;
}

}  // namespace payments
