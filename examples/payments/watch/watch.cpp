// The page, and the stream of events behind it.
// SPDX-License-Identifier: BSL-1.0
#include "payments/watch/watch.hpp"

#include "payments/watch/page.hpp"

#include <dynalease/error.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace payments::web {

namespace {

constexpr auto as_told = asio::as_tuple(asio::use_awaitable);
constexpr auto period = 500ms;

}  // namespace

bool watch::knows(const request& asked) const {
    return asked.target() == "/" || asked.target() == "/live" || asked.target() == "/relays/kill";
}

asio::awaitable<reply> watch::handle(const request& asked) {
    const bool kills = asked.target() == "/relays/kill";
    if (asked.method() != (kills ? http::verb::post : http::verb::get)) {
        auto wrong = error_reply(http::status::method_not_allowed, "method_not_allowed", "that path has other methods");
        wrong.message.set(http::field::allow, kills ? "POST" : "GET");
        co_return wrong;
    }
    if (kills) {
        if (of_.kill_a_relay()) co_return json_reply(http::status::accepted, "{}");
        co_return error_reply(http::status::not_found, "not_found", "nobody here can kill a relay");
    }
    if (asked.target() == "/") co_return text_reply(http::status::ok, "text/html; charset=utf-8", std::string(page));
    reply events;
    events.stream = [this](boost::beast::tcp_stream& peer) { return stream(peer); };
    co_return events;
}

asio::awaitable<void> watch::stream(boost::beast::tcp_stream& peer) {
    asio::steady_timer timer(executor_);
    std::string text =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n";
    while (!server_->draining()) {
        auto looking = now();
        const auto seen = co_await std::move(looking);
        if (!seen.empty()) text += "data: " + seen + "\n\n";
        peer.expires_after(5s);
        auto [failed, size] = co_await asio::async_write(peer, asio::buffer(text), as_told);
        if (failed) co_return;
        text.clear();
        timer.expires_after(period);
        co_await timer.async_wait(as_told);
    }
}

asio::awaitable<std::string> watch::now() {
    const auto begun = std::chrono::steady_clock::now();
    if (looking_ || begun - seen_at_ < period / 2) co_return seen_;
    looking_ = true;
    try {
        auto looking = of_.look.look(conflicts_per_10s());
        seen_ = co_await std::move(looking);
    } catch (const dynalease::error&) {  // what was seen before will do
    }
    looking_ = false;
    seen_at_ = begun;
    co_return seen_;
}

std::uint64_t watch::conflicts_per_10s() {
    std::uint64_t all = 0;
    for (const auto& [why, count] : of_.served.counted().refusals) {
        if (why == "conflict" || why == "busy" || why == "wrong_state") all += count;
    }
    const auto at = std::chrono::steady_clock::now();
    conflicts_.emplace_back(at, all);
    while (at - conflicts_.front().first > 10s) conflicts_.pop_front();
    return all - conflicts_.front().second;
}

}  // namespace payments::web
