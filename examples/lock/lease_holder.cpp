// Acquires, holds for some heartbeats, releases; counts its own requests and reads its own memory.
// SPDX-License-Identifier: BSL-1.0
#include "lock/lease_holder.hpp"

#include "lock/settings.hpp"
#include "support/at_once.hpp"
#include "support/local_server.hpp"
#include "support/measure.hpp"
#include "support/requests_sent.hpp"
#include "support/run_awaitable.hpp"
#include "support/stopwatch.hpp"

#include <dynalease/client.hpp>
#include <dynalease/lock.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <sstream>
#include <vector>

namespace asio = boost::asio;

namespace demo {
namespace {

constexpr std::size_t width = 64;
constexpr auto hold_time = 4 * holder_heartbeat;

void tell(const std::string& line) {
    std::cout << line << std::endl;
}

asio::awaitable<void> acquire_one(dynalease::session& session, std::vector<dynalease::lock_guard>& held,
                                  std::size_t i) {
    dynalease::lock lock{session, "lease/" + std::to_string(i)};
    held[i] = co_await lock.acquire();
    if (i > 0 && i % 1000 == 0) tell(std::to_string(i) + " leases");
}

/// Holds for some heartbeat periods, beginning midway between two heartbeats, so that whole periods are counted.
asio::awaitable<void> hold(dynalease::client& client, dynalease::session& session, holding& measured) {
    asio::steady_timer timer(client.get_executor());
    const auto beats = session.counters().heartbeats_sent;
    while (session.counters().heartbeats_sent == beats) {
        timer.expires_after(std::chrono::milliseconds(5));
        co_await timer.async_wait(asio::deferred);
    }
    timer.expires_after(holder_heartbeat / 2);
    co_await timer.async_wait(asio::deferred);

    const support::stopwatch watch;
    const auto requests = support::requests_sent(client);
    timer.expires_after(hold_time);
    co_await timer.async_wait(asio::deferred);
    measured.hold_seconds = watch.seconds();
    measured.cpu_percent = 100 * watch.cpu_seconds() / measured.hold_seconds;
    const auto periods = std::round(measured.hold_seconds / std::chrono::duration<double>(holder_heartbeat).count());
    measured.writes_per_period = static_cast<double>(support::requests_sent(client) - requests) / periods;
}

asio::awaitable<void> run(dynalease::client& client, std::size_t count) {
    dynalease::session session{client, session_options("lease-holder", holder_lease, holder_heartbeat)};
    std::vector<dynalease::lock_guard> held(count);
    holding measured;
    const auto rss = support::resident_kib();

    const support::stopwatch acquiring;
    co_await support::at_once(width, count, [&](std::size_t i) { return acquire_one(session, held, i); });
    measured.acquire_seconds = acquiring.seconds();
    measured.requests = support::requests_sent(client);
    measured.leases = session.counters().leases_held;
    tell("holding " + std::to_string(measured.leases) + " leases");

    co_await hold(client, session, measured);
    measured.rss_kib = support::resident_kib();
    measured.rss_growth_kib = measured.rss_kib - std::min(rss, measured.rss_kib);
    measured.threads = support::thread_count();

    measured.lost = session.counters().lost;
    for (const auto& guard : held) measured.lost += guard.held() ? 0 : 1;
    tell("releasing");
    dynalease::close_options patient;
    patient.timeout = std::chrono::seconds(10);
    const support::stopwatch releasing;
    const auto report = co_await session.close(patient);
    measured.lost += report.failed.size();
    measured.release_seconds = releasing.seconds();
    tell(to_line(measured));
    client.close();
}

}  // namespace

std::string to_line(const holding& m) {
    std::ostringstream line;
    line << "held " << m.leases << ' ' << m.acquire_seconds << ' ' << m.requests << ' ' << m.hold_seconds << ' '
         << m.writes_per_period << ' ' << m.cpu_percent << ' ' << m.rss_kib << ' ' << m.rss_growth_kib << ' '
         << m.threads << ' ' << m.release_seconds << ' ' << m.lost;
    return line.str();
}

std::optional<holding> parse_holding(const std::string& line) {
    std::istringstream words(line);
    std::string first;
    holding m;
    words >> first >> m.leases >> m.acquire_seconds >> m.requests >> m.hold_seconds >> m.writes_per_period >>
        m.cpu_percent >> m.rss_kib >> m.rss_growth_kib >> m.threads >> m.release_seconds >> m.lost;
    if (!words || first != "held") return {};
    return m;
}

int run_lease_holder(const std::string& endpoint, std::size_t count) {
    asio::io_context io{1};
    dynalease::client client{io.get_executor(), support::local_client_options(endpoint)};
    return support::run(io, client.get_executor(), run(client, count));
}

}  // namespace demo
