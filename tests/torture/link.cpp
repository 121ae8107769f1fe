// One coroutine per connection; a request meets one fault at most.
// SPDX-License-Identifier: BSL-1.0
#include "torture/link.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>

#include <algorithm>
#include <sstream>
#include <utility>

namespace torture {

namespace asio = boost::asio;
namespace http = boost::beast::http;

namespace {

constexpr auto quiet_token = asio::as_tuple(asio::deferred);

http_response error_answer(unsigned status, std::string body) {
    http_response response(static_cast<http::status>(status), 11);
    response.set(http::field::content_type, "application/x-amz-json-1.0");
    response.body() = std::move(body);
    response.prepare_payload();
    return response;
}

http_response server_error() {
    return error_answer(500, R"({"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError"})");
}

http_response too_busy() {
    return error_answer(400, R"({"__type":"com.amazonaws.dynamodb.v20120810#ThrottlingException","message":"slow"})");
}

std::string bytes_of(const http_response& response) {
    std::ostringstream text;
    text << response;
    return text.str();
}

}  // namespace

link::link(asio::any_io_executor executor, const store_address& store, witness& tell, std::string place,
           weather conditions)
    : executor_(std::move(executor)),
      store_(store),
      tell_(tell),
      place_(std::move(place)),
      weather_(std::move(conditions)),
      acceptor_(executor_),
      endpoint_(asio::ip::address_v4::loopback(), 0),
      opened_(executor_, asio::steady_timer::time_point::max()) {
    listen();
}

std::string link::endpoint() const {
    return "http://127.0.0.1:" + std::to_string(endpoint_.port());
}

void link::set(passage now) {
    passage_ = now;
    if (now == passage::open) opened_.cancel();
}

void link::refuse() {
    ++generation_;
    acceptor_.close();
}

void link::listen() {
    acceptor_ = tcp::acceptor(executor_, endpoint_);
    endpoint_ = acceptor_.local_endpoint();
    asio::co_spawn(executor_, accept(++generation_), asio::detached);
}

asio::awaitable<void> link::accept(std::uint64_t generation) {
    while (generation == generation_) {
        auto accepted = co_await acceptor_.async_accept(quiet_token);
        if (std::get<0>(accepted)) continue;
        asio::co_spawn(executor_, serve(std::get<1>(std::move(accepted))), asio::detached);
    }
}

asio::awaitable<void> link::serve(tcp::socket client) {
    boost::system::error_code ignored;
    client.set_option(tcp::no_delay(true), ignored);
    upstream store(executor_, store_);
    boost::beast::flat_buffer buffer;
    for (bool usable = true; usable;) {
        http_request request;
        auto received = co_await http::async_read(client, buffer, request, quiet_token);
        if (std::get<0>(received)) co_return;
        usable = co_await exchange(client, store, std::move(request));
    }
}

asio::awaitable<bool> link::exchange(tcp::socket& client, upstream& store, http_request request) {
    const auto received = boot_time();
    const auto facts = facts_of(request);
    const auto struck = weather_.next(facts.kind);
    if (struck.fault != request_fault::none) {
        tell_.report({.kind = what::fault, .who = place_, .name = std::string(to_string(struck.fault))});
    }
    if (passage_ == passage::nothing_passes) {
        co_await until_open();
        co_return false;
    }
    if (struck.fault == request_fault::lose_request) {
        co_await hang_up(client, struck);
        co_return false;
    }
    if (struck.fault == request_fault::error_before || struck.fault == request_fault::throttle) {
        auto refusal = struck.fault == request_fault::throttle ? too_busy() : server_error();
        const bool usable = co_await answer(client, std::move(refusal), struck);
        co_return usable;
    }
    if (struck.fault == request_fault::hold_request) co_await pause(struck.delay);
    const auto repeat = [&] { asio::co_spawn(executor_, send_again(request, struck.delay), asio::detached); };
    const bool repeats = struck.fault == request_fault::repeat;
    if (repeats && !facts.several) repeat();

    auto response = co_await store.exchange(request);
    if (!response) co_return false;
    // On no copy landing of a call for several items that was refused before rests what is told of that refusal.
    if (repeats && facts.several && response->result_int() == 200) repeat();
    tell_applied(facts, *response);
    if (passage_ != passage::open) {
        co_await until_open();
        co_return false;
    }
    if (struck.fault == request_fault::lose_answer) {
        co_await hang_up(client, struck);
        co_return false;
    }
    if (struck.fault == request_fault::error_after) *response = server_error();
    // A refusal may prove any heartbeat that was sent before it.
    const bool whole = struck.fault != request_fault::cut_answer;
    const auto leaves = boot_time();
    if (whole && !facts.session.empty() && response->result_int() < 500) {
        const auto proves = response->result_int() == 200 ? received : leaves;
        tell_.report(
            {.kind = what::acknowledged, .at = proves, .until = leaves, .who = place_, .session = facts.session});
    }
    const bool usable = co_await answer(client, *std::move(response), struck);
    co_return usable;
}

asio::awaitable<bool> link::answer(tcp::socket& client, http_response response, strike struck) {
    const auto bytes = bytes_of(response);
    auto whole = asio::buffer(bytes);
    if (struck.fault == request_fault::cut_answer) {
        co_await asio::async_write(client, asio::buffer(whole, bytes.size() / 2), quiet_token);
        co_await hang_up(client, struck);
        co_return false;
    }
    constexpr std::size_t drops = 8;
    const bool dripping = struck.fault == request_fault::slow_answer;
    const auto step = dripping ? bytes.size() / drops + 1 : bytes.size();
    for (std::size_t at = 0; at < bytes.size(); at += step) {
        auto written = co_await asio::async_write(client, asio::buffer(whole + at, step), quiet_token);
        if (std::get<0>(written)) co_return false;
        if (dripping) co_await pause(struck.delay / drops);
    }
    co_return response.keep_alive();
}

asio::awaitable<void> link::send_again(http_request request, std::chrono::milliseconds later) {
    upstream store(executor_, store_);
    const auto facts = facts_of(request);
    co_await pause(later);
    const auto response = co_await store.exchange(request);
    if (response) tell_applied(facts, *response);
}

/// Cuts the connection, or leaves the client alone with it until the client does.
asio::awaitable<void> link::hang_up(tcp::socket& client, strike struck) {
    if (struck.delay.count() > 0) co_await client.async_wait(tcp::socket::wait_read, quiet_token);
}

asio::awaitable<void> link::pause(std::chrono::milliseconds time) {
    asio::steady_timer timer(executor_, time);
    co_await timer.async_wait(quiet_token);
}

asio::awaitable<void> link::until_open() {
    while (passage_ != passage::open) co_await opened_.async_wait(quiet_token);
}

void link::tell_applied(const request_facts& facts, const http_response& response) {
    if (facts.session.empty() || response.result_int() != 200) return;
    tell_.report({.kind = what::applied, .who = place_, .session = facts.session});
}

}  // namespace torture
