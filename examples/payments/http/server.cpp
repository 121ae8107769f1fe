// Connections, one coroutine each.
// SPDX-License-Identifier: BSL-1.0
#include "payments/http/server.hpp"

#include "payments/http/json.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>

#include <array>
#include <exception>
#include <iostream>
#include <utility>
#include <variant>

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;

namespace payments::web {

namespace {

constexpr auto quiet = asio::as_tuple(asio::use_awaitable);

struct refusal {
    http::status status;
    const char* code;
    const char* why;
};
/// What a peer that sends no good HTTP is told; empty: nothing, for it is gone.
const refusal* refusal_of(beast::error_code code) {
    static constexpr refusal too_large{http::status::payload_too_large, "body_too_large", "the body is too large"};
    static constexpr refusal long_head{http::status::request_header_fields_too_large, "head_too_large",
                                       "the request line and the fields are too large"};
    static constexpr refusal malformed{http::status::bad_request, "malformed_http", "that is no HTTP request"};
    if (code == http::error::body_limit) return &too_large;
    if (code == http::error::header_limit || code == http::error::buffer_overflow) return &long_head;
    if (code == http::error::end_of_stream || code == http::error::partial_message) return nullptr;
    return code.category() == http::make_error_code(http::error::bad_method).category() ? &malformed : nullptr;
}

}  // namespace

reply error_reply(http::status status, std::string_view code, std::string_view message) {
    json_text body;
    body.open('{').key("error").open('{').member("code", code).member("message", message).close('}').close('}');
    return json_reply(status, body.text());
}

server::server(asio::any_io_executor executor, std::uint16_t port, handler handle, server_limits limits)
    : executor_(executor),
      acceptor_(executor, tcp::endpoint(asio::ip::address_v4::loopback(), port)),
      handle_(std::move(handle)),
      limits_(limits),
      changed_(executor) {
    acceptor_.listen(tcp::acceptor::max_listen_connections);
}

asio::awaitable<void> server::run() {
    asio::steady_timer pause(executor_);
    while (!draining_) {
        auto [code, socket] = co_await acceptor_.async_accept(quiet);
        if (draining_) break;
        if (code) {  // out of descriptors, say: they come back
            pause.expires_after(std::chrono::milliseconds(20));
            co_await pause.async_wait(quiet);
            continue;
        }
        ++counts_.accepted;
        connections_.emplace_front(std::move(socket));
        counts_.open = connections_.size();
        const auto at = connections_.begin();
        asio::co_spawn(executor_, serve(at), [this, at](std::exception_ptr) { left(at); });
    }
}

void server::left(place at) {
    connections_.erase(at);
    counts_.open = connections_.size();
    changed_.cancel();
}

asio::awaitable<void> server::serve(place at) {
    if (connections_.size() > limits_.connections) {
        ++counts_.turned_away;
        co_await refuse(*at, http::status::service_unavailable, "too_many_connections", "try again in a moment");
        co_return;
    }
    beast::flat_buffer buffer(limits_.head + limits_.body);
    bool goes_on = true;
    while (goes_on && !draining_) {
        goes_on = co_await serve_one(*at, buffer);
        if (buffer.size() == 0) buffer.shrink_to_fit();  // a thousand idle connections hold no memory
    }
    beast::error_code ignored;
    at->stream.socket().shutdown(tcp::socket::shutdown_send, ignored);
}

/// @returns whether the connection may be used again.
asio::awaitable<bool> server::serve_one(connection& peer, beast::flat_buffer& buffer) {
    http::request_parser<http::string_body> parser;
    parser.header_limit(limits_.head);
    parser.body_limit(limits_.body);
    peer.idle = true;
    peer.stream.expires_after(limits_.idle);
    auto [code, read] = co_await http::async_read_header(peer.stream, buffer, parser, quiet);
    peer.idle = false;
    if (!code && !parser.is_done()) {
        peer.stream.expires_after(limits_.receive);
        auto [late, more] = co_await http::async_read(peer.stream, buffer, parser, quiet);
        code = late;
    }
    if (code) {
        const auto* why = refusal_of(code);
        if (why) {
            ++counts_.malformed;
            co_await refuse(peer, why->status, why->code, why->why);
        }
        co_return false;
    }

    ++counts_.requests;
    peer.stream.expires_never();
    const auto asked = parser.release();
    auto answer = co_await work_on(peer, asked);
    if (answer.stream) {
        co_await answer.stream(peer.stream);
        co_return false;
    }
    auto& message = answer.message;
    message.version(asked.version());
    message.keep_alive(asked.keep_alive() && !draining_);
    message.prepare_payload();
    if (asked.method() == http::verb::head) message.body().clear();
    peer.stream.expires_after(limits_.receive);
    auto [failed, written] = co_await http::async_write(peer.stream, message, quiet);
    co_return !failed && message.keep_alive();
}

/// What it throws is answered, too.
asio::awaitable<reply> server::guarded(const request& asked) {
    try {
        auto work = handle_(asked);
        co_return co_await std::move(work);
    } catch (const boost::system::system_error& why) {
        // It took too long, and was cancelled: nobody hears this answer.
        if (why.code() != asio::error::operation_aborted) std::cerr << "failed: " << why.what() << '\n';
    } catch (const std::exception& why) {
        std::cerr << "failed: " << why.what() << '\n';
    }
    co_return error_reply(http::status::internal_server_error, "failed", "something went wrong here");
}

/// Whatever happens to it, a request is answered, and in time.
asio::awaitable<reply> server::work_on(connection& peer, const request& asked) {
    using namespace asio::experimental::awaitable_operators;
    peer.deadline.expires_after(limits_.work);
    auto first = co_await (guarded(asked) || peer.deadline.async_wait(quiet));
    if (first.index() == 0) co_return std::get<0>(std::move(first));
    ++counts_.timed_out;
    auto late = error_reply(http::status::gateway_timeout, "timeout", "it took too long, and may happen yet");
    late.message.set(http::field::retry_after, "1");
    co_return late;
}

/// Answers, and reads on for a moment: a peer that is still sending would otherwise lose the answer to a reset.
asio::awaitable<void> server::refuse(connection& peer, http::status status, const char* code, const char* why) {
    auto answer = error_reply(status, code, why).message;
    answer.version(11);
    answer.keep_alive(false);
    if (status == http::status::service_unavailable) answer.set(http::field::retry_after, "1");
    answer.prepare_payload();
    peer.stream.expires_after(limits_.receive);
    auto [failed, written] = co_await http::async_write(peer.stream, answer, quiet);
    if (failed) co_return;
    beast::error_code ignored;
    peer.stream.socket().shutdown(tcp::socket::shutdown_send, ignored);
    peer.stream.expires_after(std::chrono::seconds(1));
    std::array<char, 4096> rest;
    std::size_t thrown_away = 0;
    while (thrown_away < 1024 * 1024) {
        auto [end, size] = co_await peer.stream.async_read_some(asio::buffer(rest), quiet);
        if (end) break;
        thrown_away += size;
    }
}

asio::awaitable<void> server::drain(std::chrono::milliseconds limit) {
    draining_ = true;
    beast::error_code ignored;
    acceptor_.close(ignored);
    for (auto& peer : connections_) {
        if (peer.idle) peer.stream.cancel();
    }
    const auto deadline = std::chrono::steady_clock::now() + limit;
    while (!connections_.empty() && std::chrono::steady_clock::now() < deadline) {
        changed_.expires_at(deadline);
        co_await changed_.async_wait(quiet);
    }
    for (auto& peer : connections_) {
        peer.deadline.cancel();
        peer.stream.close();
    }
    while (!connections_.empty()) {
        changed_.expires_after(std::chrono::seconds(1));
        co_await changed_.async_wait(quiet);
    }
}

}  // namespace payments::web
