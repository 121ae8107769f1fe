// Traces of OpenTelemetry: requests to a service, what they wait for, and each of their calls on DynamoDB.
//
// usage: demo_open_telemetry [HOST PORT]    sends them to the collector there (an OpenTelemetry collector or Jaeger
// listens on 4318); without arguments to one that it plays itself, and prints them.
// SPDX-License-Identifier: BSL-1.0
#include "open_telemetry/collector.hpp"
#include "open_telemetry/spans.hpp"
#include "support/json_line.hpp"
#include "support/local_server.hpp"
#include "support/run_awaitable.hpp"

#include <dynalease/dynalease.hpp>

#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace asio = boost::asio;
using telemetry::span;

namespace {

struct service {
    dynalease::client& client;
    telemetry::spans& spans;
    dynalease::session& session;
};

// ---- the service -----------------------------------------------------------------------------------------------

asio::awaitable<void> pay(dynalease::database database, const dynalease::lock_guard& guard, std::string account) {
    dynalease::transact_update change;
    change.table_name = "coordination";
    change.key = {{"pk", account}, {"sk", "balance"}};
    apply(change, dynalease::add("balance", 10));
    dynalease::transact_write_items_request write;
    write.actions.push_back(guard.fence());
    write.actions.push_back(change);
    co_await database.execute(std::move(write));
}

/// @param request the span that it is part of
asio::awaitable<void> pay_under_lock(service& with, const std::string& account, const span& request) {
    auto& spans = with.spans;
    const dynalease::lock lock{with.session, "account/" + account};
    const auto told = dynalease::observed(lock, spans.grants_within(request));
    auto guard = co_await told.acquire();
    const auto& held = spans.held(guard.name(), guard.fencing_token());
    auto paying = pay(dynalease::observed(with.client, spans.calls_within(held)), guard, account);
    co_await std::move(paying);
    co_await guard.release();
}

/// One request is a span, with one within it for each part, and the calls that are made for it within these.
asio::awaitable<void> settle(service& with, std::string account) {
    auto request = with.spans.begin("POST /settle");
    request.attributes.emplace("account", account);
    auto paying = pay_under_lock(with, account, request);
    try {
        co_await std::move(paying);
    } catch (const dynalease::error& why) {
        with.spans.end(std::move(request), why.what());
        throw;
    }
    with.spans.end(std::move(request));
}

/// Two requests for one account at a time. The calls of the session, its heartbeats and locks, are a trace of their
/// own.
asio::awaitable<std::vector<span>> serve(dynalease::client& client) {
    using namespace asio::experimental::awaitable_operators;
    co_await dynalease::create_table(client, "coordination");
    telemetry::spans spans(client.environment().clock);
    auto life = spans.begin("session");
    const auto watched = dynalease::observed(client, spans.calls_within(life));
    dynalease::session session{watched, {.table = "coordination"}};
    service with{client, spans, session};
    co_await (settle(with, "42") && settle(with, "42"));
    co_await session.close();
    spans.end(std::move(life));
    co_return spans.take();
}

// ---- what the collector has --------------------------------------------------------------------------------------

void print(const std::vector<span>& all, const std::string& parent, int depth) {
    for (const auto& each : all) {
        if (each.parent != parent) continue;
        std::cout << std::string(static_cast<std::size_t>(2 * depth), ' ') << each.name << "  "
                  << (each.end - each.begin).count() << " ms\n";
        print(all, each.id, depth + 1);
    }
}

/// Each call is part of something, and each lock was waited for and held within a request, under the same token.
bool fits(const std::vector<span>& all) {
    const auto count = [&all](std::string_view name) {
        return std::ranges::count(all, name, [](const auto& each) { return std::string_view(each.name); });
    };
    const auto has_parent = [&all](const auto& each) {
        return each.parent.empty() || std::ranges::find(all, each.parent, &span::id) != all.end();
    };
    const auto is_of = [](const auto& one, const auto& other) {
        constexpr const char* token = "dynalease.fencing_token";
        return one.parent == other.parent && one.attributes.at(token) == other.attributes.at(token);
    };
    const auto was_waited_for = [&](const auto& each) {
        return each.name != "lock.held" || std::ranges::any_of(all, [&](const auto& other) {
                   return other.name == "lock.acquire" && is_of(each, other) && other.end <= each.begin;
               });
    };
    return count("POST /settle") == 2 && count("lock.acquire") == 2 && count("lock.held") == 2 &&
           count("DynamoDB.TransactWriteItems") == 2 && std::ranges::all_of(all, has_parent) &&
           std::ranges::all_of(all, was_waited_for);
}

asio::awaitable<void> play(dynalease::client& client, bool& fit) {
    using namespace asio::experimental::awaitable_operators;
    auto ended = co_await serve(client);
    telemetry::collector own(co_await asio::this_coro::executor);
    auto sending = telemetry::send_spans("127.0.0.1", own.port(), telemetry::otlp_text("settlement", ended));
    const auto received = co_await (own.receive() && std::move(sending));
    print(received, {}, 0);
    fit = received.size() == ended.size() && fits(received);
    support::json_line line;
    line.add("demo", "open_telemetry").add("spans", received.size()).add("ok", fit).print();
}

asio::awaitable<void> send_to(dynalease::client& client, std::string host, std::string port) {
    auto ended = co_await serve(client);
    auto text = telemetry::otlp_text("settlement", ended);
    co_await telemetry::send_spans(std::move(host), std::move(port), std::move(text));
}

}  // namespace

int main(int count, char** values) {
    if (count != 1 && count != 3) {
        std::cerr << "usage: demo_open_telemetry [HOST PORT]\n";
        return 2;
    }
    support::local_server server;
    asio::io_context io{1};
    const asio::any_io_executor executor = asio::make_strand(io);
    dynalease::client client{executor, support::local_client_options(server.endpoint())};
    if (count == 3) return support::run(io, executor, send_to(client, values[1], values[2]));
    bool fit = false;
    const auto status = support::run(io, executor, play(client, fit));
    return status == 0 && fit ? 0 : 1;
}
