// HTTP messages as all parts of the payment system speak of them.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace payments::web {

namespace http = boost::beast::http;
using request = http::request<http::string_body>;
using response = http::response<http::string_body>;

/// What a request is answered with; or, if there is a stream, what writes the answer for as long as it likes.
struct reply {
    response message{};
    std::function<boost::asio::awaitable<void>(boost::beast::tcp_stream&)> stream{};
};

inline reply text_reply(http::status status, std::string_view type, std::string body) {
    reply made;
    made.message.result(status);
    made.message.set(http::field::content_type, type);
    made.message.body() = std::move(body);
    return made;
}
inline reply json_reply(http::status status, std::string body) {
    return text_reply(status, "application/json", std::move(body));
}
/// {"error":{"code":…,"message":…}}
reply error_reply(http::status status, std::string_view code, std::string_view message);

}  // namespace payments::web
