// Another server over HTTP: our client for what it can say, a signed request of our own for what it cannot.
// SPDX-License-Identifier: BSL-1.0
#include "conformance/side.hpp"

#include "dynamodb/codec.hpp"

#include <dynalease/aws/sigv4.hpp>

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>

#include <chrono>
#include <cstdlib>
#include <utility>

namespace dynalease::conformance {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;

std::string variable(const char* name, const char* otherwise) {
    const char* value = std::getenv(name);
    return value ? value : otherwise;
}

class foreign final : public side {
public:
    foreign(const client& database, std::string url)
        : database_(database), encrypted_(url.starts_with("https:")), host_(std::move(url)) {
        host_.erase(0, host_.find("//") + 2);
        host_.erase(std::min(host_.find('/'), host_.size()));
    }

    asio::awaitable<result<any_response>> call(any_request request) override {
        any_request sent = request;
        auto got = co_await database_.implementation()->perform(std::move(sent), {});
        if (encrypted_ || got || got.error().details.attempts > 0) co_return got;
        // The client has refused it unsent: the server has to refuse it as well, in its own words.
        const auto refused = co_await post(operation_name(request), codec::encode_request(request));
        if (refused.status == 200) co_return got;
        co_return codec::decode_error(refused.status, refused.body).failure;
    }

    asio::awaitable<reply> post(std::string_view operation, std::string body) override {
        auto request = signed_request(operation, std::move(body));
        beast::tcp_stream stream(co_await asio::this_coro::executor);
        stream.expires_after(std::chrono::seconds(10));
        tcp::resolver resolver(stream.get_executor());
        const auto colon = host_.find(':');
        const auto port = colon == std::string::npos ? "80" : host_.substr(colon + 1);
        const auto where = co_await resolver.async_resolve(host_.substr(0, colon), port, asio::use_awaitable);
        co_await stream.async_connect(where, asio::use_awaitable);
        co_await http::async_write(stream, request, asio::use_awaitable);
        beast::flat_buffer buffer;
        http::response<http::string_body> response;
        co_await http::async_read(stream, buffer, response, asio::use_awaitable);
        co_return reply{response.result_int(), std::move(response.body())};
    }

private:
    http::request<http::string_body> signed_request(std::string_view operation, std::string body) {
        const std::string type = "application/x-amz-json-1.0";
        const std::string target = "DynamoDB_20120810." + std::string(operation);
        const credentials keys{variable("AWS_ACCESS_KEY_ID", "local"), variable("AWS_SECRET_ACCESS_KEY", "local")};
        const auto now = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
        const auto signature = signer_.sign(keys, now, {host_, type, target, body});
        http::request<http::string_body> out(http::verb::post, "/", 11, std::move(body));
        out.set(http::field::host, host_);
        out.set(http::field::content_type, type);
        out.set("X-Amz-Target", target);
        out.set("X-Amz-Date", {signature.amz_date.data(), signature.amz_date.size()});
        out.set(http::field::authorization, {signature.authorization.data(), signature.authorization.size()});
        out.prepare_payload();
        return out;
    }

    const client& database_;
    bool encrypted_;
    std::string host_;
    aws::request_signer signer_{variable("AWS_REGION", "us-east-1")};
};

}  // namespace

std::unique_ptr<side> foreign_side(const client& database, std::string url) {
    return std::make_unique<foreign>(database, std::move(url));
}

}  // namespace dynalease::conformance
