// Never sends anything twice by itself.
// SPDX-License-Identifier: BSL-1.0
#include "torture/upstream.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>

#include <utility>

namespace torture {

namespace asio = boost::asio;
namespace http = boost::beast::http;

constexpr auto quiet = asio::as_tuple(asio::deferred);

upstream::upstream(asio::any_io_executor executor, const store_address& store)
    : executor_(std::move(executor)), store_(store) {}

asio::awaitable<std::optional<http_response>> upstream::exchange(const http_request& request) {
    if (!socket_) {
        socket_.emplace(executor_);
        auto connected = co_await socket_->async_connect(store_.endpoint, quiet);
        if (std::get<0>(connected)) {
            socket_.reset();
            co_return std::nullopt;
        }
        boost::system::error_code ignored;
        socket_->set_option(asio::ip::tcp::no_delay(true), ignored);
    }
    http_response response;
    boost::beast::flat_buffer buffer;
    auto done = co_await http::async_write(*socket_, request, quiet);
    if (!std::get<0>(done)) done = co_await http::async_read(*socket_, buffer, response, quiet);
    if (std::get<0>(done)) {
        socket_.reset();
        co_return std::nullopt;
    }
    if (!response.keep_alive()) socket_.reset();
    co_return std::move(response);
}

}  // namespace torture
