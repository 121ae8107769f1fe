// Where spans go: a collector at an address, or one that the program plays itself.
// SPDX-License-Identifier: BSL-1.0
#include "open_telemetry/collector.hpp"

#include <boost/asio/deferred.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include <chrono>
#include <stdexcept>
#include <utility>

namespace telemetry {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;

namespace {
constexpr const char* target = "/v1/traces";
constexpr std::chrono::seconds patience{5};
}  // namespace

asio::awaitable<void> send_spans(std::string host, std::string port, std::string text) {
    const auto executor = co_await asio::this_coro::executor;
    tcp::resolver resolver(executor);
    beast::tcp_stream stream(executor);
    stream.expires_after(patience);
    const auto found = co_await resolver.async_resolve(host, port, asio::deferred);
    co_await stream.async_connect(found, asio::use_awaitable);
    http::request<http::string_body> post(http::verb::post, target, 11);
    post.set(http::field::host, host);
    post.set(http::field::content_type, "application/json");
    post.body() = std::move(text);
    post.prepare_payload();
    co_await http::async_write(stream, post, asio::deferred);
    beast::flat_buffer buffer;
    http::response<http::string_body> answer;
    co_await http::async_read(stream, buffer, answer, asio::deferred);
    if (answer.result() != http::status::ok) {
        throw std::runtime_error("the collector answered " + std::to_string(answer.result_int()));
    }
}

collector::collector(const asio::any_io_executor& executor)
    : acceptor_(executor, tcp::endpoint(asio::ip::address_v4::loopback(), 0)) {}

asio::awaitable<std::vector<span>> collector::receive() {
    beast::tcp_stream stream(co_await acceptor_.async_accept(asio::deferred));
    stream.expires_after(patience);
    beast::flat_buffer buffer;
    http::request<http::string_body> asked;
    co_await http::async_read(stream, buffer, asked, asio::deferred);
    if (asked.target() != target) throw std::runtime_error("spans were sent to " + std::string(asked.target()));
    auto found = parse_otlp(asked.body());
    http::response<http::string_body> answer(http::status::ok, asked.version());
    answer.set(http::field::content_type, "application/json");
    answer.body() = "{}";
    answer.prepare_payload();
    co_await http::async_write(stream, answer, asio::deferred);
    co_return found;
}

}  // namespace telemetry
