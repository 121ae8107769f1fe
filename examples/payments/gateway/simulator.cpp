// What the simulated gateway does with a request, by chance.
// SPDX-License-Identifier: BSL-1.0
#include "payments/gateway/simulator.hpp"

#include "payments/domain/refused.hpp"
#include "payments/http/json.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <charconv>
#include <chrono>
#include <utility>

namespace asio = boost::asio;

namespace payments {

namespace {

using web::http::status;
using web::http::verb;

std::vector<std::uint16_t> ports_in(const std::string& text) {
    std::vector<std::uint16_t> ports;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at < end) {
        std::uint16_t port = 0;
        const auto [rest, failure] = std::from_chars(at, end, port);
        if (failure != std::errc{} || port == 0) throw refused(problem::invalid, "\"callback\" is a list of ports");
        ports.push_back(port);
        at = rest + 1;
    }
    return ports;
}

/// A peer that is not answered. The connection stays as it is until the peer has had enough.
web::reply silence() {
    web::reply nothing;
    nothing.stream = [](boost::beast::tcp_stream& stream) -> asio::awaitable<void> {
        stream.close();
        co_return;
    };
    return nothing;
}

}  // namespace

asio::awaitable<web::reply> gateway_simulator::handle(const web::request& asked) {
    const std::string target(asked.target());
    constexpr std::string_view of_one = "/charges/";
    try {
        if (asked.method() == verb::post && target == "/charges") {
            auto charging = charge(asked);
            co_return co_await std::move(charging);
        }
        if (asked.method() == verb::get && target == "/book") co_return book();
        if (asked.method() == verb::get && target.starts_with(of_one)) {
            const auto* known = book_.find(target.substr(of_one.size()));
            if (known) co_return web::json_reply(status::ok, web::to_json(*known));
        }
    } catch (const refused& why) {
        co_return web::error_reply(status::bad_request, "invalid", why.what());
    }
    co_return web::error_reply(status::not_found, "not_found", "nothing is known of that");
}

asio::awaitable<web::reply> gateway_simulator::charge(const web::request& asked) {
    const web::json_object body(asked.body());
    const charge_order order{.intent = body.text("intent"),
                             .customer = body.text("customer"),
                             .amount = body.integer("amount"),
                             .currency = body.text("currency")};
    const std::string key(asked["Idempotency-Key"]);
    const auto callback = ports_in(body.text_or("callback", ""));
    if (happens(habits_.loses_orders)) co_return silence();

    auto working = wait(habits_.delay);
    co_await std::move(working);
    const bool known_before = book_.find(key) != nullptr;
    const auto* entry = book_.charge(order, key, happens(habits_.declines));
    if (!entry) co_return web::error_reply(status::unprocessable_entity, "key_used", "another order had that key");
    auto outcome = *entry;
    if (callback.empty()) {
        if (happens(habits_.loses_answers)) co_return silence();
        co_return web::json_reply(status::ok, web::to_json(outcome));
    }
    const bool delivers = known_before || !happens(habits_.loses_answers);
    const int copies = delivers ? (happens(habits_.repeats_answers) ? 2 : 1) : 0;
    for (int i = 0; i < copies; ++i) {
        const auto port = callback[chance_() % callback.size()];
        const auto after = happens(habits_.is_late) ? habits_.late : habits_.delay;
        asio::co_spawn(executor_, deliver(outcome, port, after), asio::detached);
    }
    if (happens(habits_.loses_answers)) co_return silence();
    co_return web::json_reply(status::accepted, "{}");
}

/// Tries for a while, as real ones do; who never answers has to ask.
asio::awaitable<void> gateway_simulator::deliver(charge_answer outcome, std::uint16_t port,
                                                 std::chrono::milliseconds after) {
    for (int tries = 0; tries < 3; ++tries) {
        auto waiting = wait(after);
        co_await std::move(waiting);
        auto letter = web::client::make(verb::post, "/gateway/answers", web::to_json(outcome));
        const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
        letter.set(answer_signature::field, signature_.sign(letter.body(), now));
        auto asking = line_to(port).ask(std::move(letter));
        const auto told = co_await std::move(asking);
        if (told && told->result() == status::ok) co_return;
    }
}

web::reply gateway_simulator::book() const {
    web::json_text body;
    body.open('{')
        .member("withdrawn", book_.money_withdrawn())
        .member("charges", static_cast<std::int64_t>(book_.entries().size()))
        .member("double_charges", static_cast<std::int64_t>(book_.double_charges()))
        .close('}');
    return web::json_reply(status::ok, body.text());
}

asio::awaitable<void> gateway_simulator::wait(std::chrono::milliseconds time) {
    asio::steady_timer timer(executor_, time);
    co_await timer.async_wait(asio::use_awaitable);
}

web::client& gateway_simulator::line_to(std::uint16_t port) {
    auto& line = lines_[port];
    if (!line) line = std::make_unique<web::client>(executor_, port, std::chrono::seconds(2));
    return *line;
}

}  // namespace payments
