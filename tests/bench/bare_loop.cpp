// Bench support: the bare Beast loop.
// SPDX-License-Identifier: BSL-1.0
#include "bare_loop.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include <deque>
#include <stdexcept>

namespace bench {

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using tcp = asio::basic_stream_socket<asio::ip::tcp, asio::io_context::executor_type>;
using message = http::request<http::string_body>;

message parse(const std::string& text) {
    http::request_parser<http::string_body> parser;
    parser.eager(true);
    boost::system::error_code error;
    parser.put(asio::buffer(text), error);
    if (error || !parser.is_done()) throw std::runtime_error("bare loop: no whole request");
    return parser.release();
}

class loop {
public:
    loop(asio::io_context& io, const message& request, std::size_t& left)
        : socket_(io), request_(request), left_(left) {}

    void start(std::uint16_t port) {
        socket_.connect({asio::ip::address_v4::loopback(), port});
        socket_.set_option(asio::ip::tcp::no_delay(true));
        next();
    }

private:
    void next() {
        if (left_ == 0) return;
        --left_;
        http::async_write(socket_, request_, [this](boost::system::error_code error, std::size_t) {
            if (error) throw boost::system::system_error(error);
            read();
        });
    }
    void read() {
        response_ = {};
        http::async_read(socket_, buffer_, response_, [this](boost::system::error_code error, std::size_t) {
            if (error) throw boost::system::system_error(error);
            next();
        });
    }

    tcp socket_;
    message request_;
    std::size_t& left_;
    boost::beast::flat_buffer buffer_;
    http::response<http::string_body> response_;
};

}  // namespace

void bare_loop(std::uint16_t port, const std::string& request, std::size_t width, std::size_t count) {
    asio::io_context io{1};
    const auto prepared = parse(request);
    std::deque<loop> loops;
    for (std::size_t i = 0; i < width; ++i) loops.emplace_back(io, prepared, count).start(port);
    io.run();
}

}  // namespace bench
