// A server on a thread of its own, and a peer that writes and reads plain bytes.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/aws/credentials.hpp>
#include <dynalease/aws/sigv4.hpp>
#include <dynalease/local/server.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace dynalease::local::test {

class running_server {
public:
    explicit running_server(server_options options = {})
        : server_(context_.get_executor(), std::move(options)), thread_([this] { context_.run(); }) {}
    ~running_server() {
        boost::asio::post(context_, [this] { server_.stop(); });
        thread_.join();
    }
    running_server(const running_server&) = delete;
    running_server& operator=(const running_server&) = delete;

    std::uint16_t port() const { return server_.port(); }
    void stop() {
        boost::asio::post(context_, [this] { server_.stop(); });
    }

private:
    boost::asio::io_context context_{1};
    server server_;
    std::thread thread_;
};

struct http_answer {
    unsigned status = 0;
    std::string head;
    std::string body;

    std::string header(std::string_view name) const {
        const auto at = head.find("\r\n" + std::string(name) + ": ");
        if (at == std::string::npos) return {};
        const auto begin = at + name.size() + 4;
        return head.substr(begin, head.find("\r\n", begin) - begin);
    }
};

class peer {
public:
    explicit peer(std::uint16_t port) : socket_(context_) {
        socket_.connect({boost::asio::ip::address_v4::loopback(), port});
    }

    void send(std::string_view bytes) {
        boost::system::error_code ignored;  // the server may close while it is being sent too much
        boost::asio::write(socket_, boost::asio::buffer(bytes.data(), bytes.size()), ignored);
    }

    /// An answer that has no body, whatever its head says.
    http_answer receive_head() {
        http_answer answer;
        const auto size = boost::asio::read_until(socket_, boost::asio::dynamic_buffer(unread_), "\r\n\r\n");
        answer.head = unread_.substr(0, size);
        unread_.erase(0, size);
        answer.status = static_cast<unsigned>(std::stoi(answer.head.substr(9, 3)));
        return answer;
    }

    http_answer receive() {
        http_answer answer = receive_head();
        const auto length = static_cast<std::size_t>(std::stoul(answer.header("Content-Length")));
        if (unread_.size() < length) {
            boost::asio::read(socket_, boost::asio::dynamic_buffer(unread_),
                              boost::asio::transfer_exactly(length - unread_.size()));
        }
        answer.body = unread_.substr(0, length);
        unread_.erase(0, length);
        return answer;
    }

    /// Whether the server closes the connection without another byte.
    bool is_closed() {
        char byte = 0;
        boost::system::error_code code;
        socket_.read_some(boost::asio::buffer(&byte, 1), code);
        return code == boost::asio::error::eof || code == boost::asio::error::connection_reset;
    }

    http_answer ask(std::string_view bytes) {
        send(bytes);
        return receive();
    }

private:
    boost::asio::io_context context_;
    boost::asio::ip::tcp::socket socket_;
    std::string unread_;
};

inline wall_time now() {
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

struct signing {
    credentials who{"local", "local"};
    wall_time when = now();
};

/// A whole HTTP request, signed as the client signs.
inline std::string signed_request(std::string_view operation, std::string body, const signing& how = {}) {
    const std::string target = "DynamoDB_20120810." + std::string(operation);
    aws::request_signer signer("us-east-1");
    const auto headers = signer.sign(how.who, how.when, {"localhost", "application/x-amz-json-1.0", target, body});
    std::string text =
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-amz-json-1.0\r\nX-Amz-Target: " + target +
        "\r\nX-Amz-Date: " + std::string(headers.amz_date) + "\r\nAuthorization: " + std::string(headers.authorization);
    if (!how.who.session_token.empty()) text += "\r\nX-Amz-Security-Token: " + how.who.session_token;
    return text + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

inline constexpr const char* create_things =
    R"({"TableName":"things","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],)"
    R"("KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST"})";

}  // namespace dynalease::local::test
