// Our server in this process: the JSON of the protocol goes in and out, as it would over HTTP.
// SPDX-License-Identifier: BSL-1.0
#include "conformance/side.hpp"

#include "dynamodb/codec.hpp"
#include "local/http/request_service.hpp"

#include <chrono>
#include <optional>
#include <utility>

namespace dynalease::conformance {

namespace {

namespace asio = boost::asio;

class embedded final : public side {
public:
    asio::awaitable<result<any_response>> call(any_request request) override {
        const auto operation = request.index();
        auto got = answer(operation_name(request), codec::encode_request(request));
        if (got.status == 200) co_return codec::decode_response(operation, got.body);
        co_return codec::decode_error(got.status, got.body).failure;
    }

    asio::awaitable<reply> post(std::string_view operation, std::string body) override {
        co_return answer(operation, body);
    }

private:
    reply answer(std::string_view operation, const std::string& body) {
        const std::string target = "DynamoDB_20120810." + std::string(operation);
        aws::request_view request;
        request.headers = {{"content-type", "application/x-amz-json-1.0"}, {"x-amz-target", target}};
        request.body = body;
        const auto now = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
        auto got = requests_.answer(request, now);
        return {got.status, std::move(got.body)};
    }

    local::request_service requests_{std::make_shared<local::engine>(), std::nullopt};
};

}  // namespace

std::unique_ptr<side> embedded_side() {
    return std::make_unique<embedded>();
}

}  // namespace dynalease::conformance
