// Health and figures.
// SPDX-License-Identifier: BSL-1.0
#include "payments/http/operations.hpp"

#include "payments/relay/outbox.hpp"

#include <dynalease/metrics.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace asio = boost::asio;

namespace payments::web {

bool operations::knows(const request& asked) const {
    return asked.target() == "/health" || asked.target() == "/metrics";
}

asio::awaitable<reply> operations::handle(const request& asked) {
    if (asked.method() != http::verb::get) {
        auto wrong = error_reply(http::status::method_not_allowed, "method_not_allowed", "that path has other methods");
        wrong.message.set(http::field::allow, "GET");
        co_return wrong;
    }
    if (asked.target() == "/health") co_return health();
    // Where the library's counters are kept.
    auto text = co_await asio::co_spawn(of_.client.get_executor(), metrics(), asio::use_awaitable);
    co_return text_reply(http::status::ok, dynalease::metrics::content_type, std::move(text));
}

reply operations::health() const {
    if (server_->draining()) return error_reply(http::status::service_unavailable, "draining", "it is about to end");
    if (of_.session.state() == dynalease::session_state::lost) {
        return error_reply(http::status::service_unavailable, "session_lost", "its lease ran out; start it again");
    }
    return json_reply(http::status::ok, R"({"status":"ok"})");
}

asio::awaitable<std::string> operations::metrics() const {
    dynalease::metrics page;
    page.add(of_.client.counters());
    page.add(of_.session.counters());
    const auto& seen = server_->counts();
    const auto plain = [](auto count) { return static_cast<double>(count); };
    page.counter("payments_connections_total", "Connections that were accepted.", plain(seen.accepted));
    page.counter("payments_connections_refused_total", "Connections for which there was no room.",
                 plain(seen.turned_away));
    page.counter("payments_malformed_requests_total", "What was no HTTP, or too large.", plain(seen.malformed));
    page.counter("payments_timeouts_total", "Requests that took too long.", plain(seen.timed_out));
    page.gauge("payments_connections_open", "Connections that are open.", plain(seen.open));
    for (const auto& [which, count] : of_.served.counted().answers) {
        page.counter("payments_requests_total", "Answers by route and status.", plain(count),
                     {{"route", which.first}, {"status", std::to_string(which.second)}});
    }
    for (const auto& [why, count] : of_.served.counted().refusals) {
        page.counter("payments_refusals_total", "Refused requests by reason.", plain(count), {{"reason", why}});
    }
    const outbox events(of_.rows);
    auto counting = events.count(stage::to_send);
    page.gauge("payments_outbox_backlog", "Events that wait to be sent.", plain(co_await std::move(counting)));
    co_return page.text();
}

}  // namespace payments::web
