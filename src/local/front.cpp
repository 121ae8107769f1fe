// The protocol of the service above HTTP.
#include "local/front.hpp"

#include "aws/text.hpp"
#include "dynamodb/codec.hpp"
#include "local/compression.hpp"

#include <utility>
#include <variant>

namespace dynalease::local {

namespace {

std::string_view header(const aws::request_view& request, std::string_view name) {
    for (const auto& each : request.headers) {
        if (aws::equal_ignoring_case(each.name, name)) return each.value;
    }
    return {};
}

bool is_json(std::string_view content_type) {
    const std::string_view type = content_type.substr(0, content_type.find(';'));
    return aws::equal_ignoring_case(type, "application/x-amz-json-1.0") ||
           aws::equal_ignoring_case(type, "application/json");
}

/// The texts are ours and the verifier's; a header's value may be quoted in them.
std::string quoted(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        constexpr char first_printable = 0x20;
        if (c == '"' || c == '\\') result.push_back('\\');
        result.push_back(c >= 0 && c < first_printable ? ' ' : c);
    }
    return result + '"';
}

reply error_reply(const failure& why) {
    auto encoded = codec::encode_error(why);
    return {encoded.status, "application/x-amz-json-1.0", std::move(encoded.body)};
}

}  // namespace

front::front(std::shared_ptr<engine> store, std::optional<credentials> accepted) : store_(std::move(store)) {
    if (accepted) verifier_.emplace(*std::move(accepted));
}

reply front::answer(const aws::request_view& request, engine::time now) {
    reply result = plain_answer(request, now);
    constexpr std::size_t least_compressed = 4096;
    if (result.body.size() <= least_compressed) return result;
    result.content_encoding = preferred_coding(header(request, "accept-encoding"));
    if (!result.content_encoding.empty()) result.body = compressed(result.body, result.content_encoding);
    return result;
}

reply front::plain_answer(const aws::request_view& request, engine::time now) {
    if (request.method == "GET" && request.path == "/") return {200, "text/plain", "healthy: dynalease-local\n"};
    if (request.method != "POST" || !is_json(header(request, "content-type"))) {
        return {404, "text/xml", "<UnknownOperationException/>\n"};
    }
    constexpr std::string_view service = "DynamoDB_20120810.";
    const std::string_view target = header(request, "x-amz-target");
    if (!target.starts_with(service)) return error_reply(failure(errc::not_supported));
    if (auto refusal = refuse_unsigned(request, now)) return *std::move(refusal);
    const auto decoded = codec::decode_request(target.substr(service.size()), request.body);
    if (!decoded) return error_reply(decoded.error());
    auto result = store_->execute(*decoded, now);
    if (!result) return error_reply(result.error());
    // Only the peer knows where it found us; a client that discovers endpoints stays here.
    if (auto* found = std::get_if<describe_endpoints_response>(&*result)) {
        for (service_endpoint& each : found->endpoints) each.address = header(request, "host");
    }
    return {200, "application/x-amz-json-1.0", codec::encode_response(*result)};
}

std::optional<reply> front::refuse_unsigned(const aws::request_view& request, engine::time now) {
    if (!verifier_) return std::nullopt;
    const auto check = verifier_->check(request, now);
    if (check.verdict == aws::signature_verdict::ok) return std::nullopt;
    return reply{
        400, "application/x-amz-json-1.0",
        "{\"__type\":\"com.amazon.coral.service#" + check.error + "\",\"message\":" + quoted(check.message) + "}"};
}

}  // namespace dynalease::local
