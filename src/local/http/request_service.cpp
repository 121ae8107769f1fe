// The protocol of the service above HTTP.
// SPDX-License-Identifier: BSL-1.0
#include "local/http/request_service.hpp"

#include "aws/text.hpp"
#include "local/codec/server_codec.hpp"
#include "local/codec/unserved.hpp"
#include "local/http/compression.hpp"

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

constexpr std::string_view json_type = "application/json";
constexpr std::string_view amazon_json_type = "application/x-amz-json-1.0";

/// The answer has the request's type. Empty: nothing that the service takes.
std::string_view json_type_of(const aws::request_view& request) {
    const std::string_view content_type = header(request, "content-type");
    const std::string_view type = aws::trim(content_type.substr(0, content_type.find(';')));
    if (aws::equal_ignoring_case(type, amazon_json_type)) return amazon_json_type;
    const bool is_nothing = type.empty() && request.body.empty();
    return is_nothing || aws::equal_ignoring_case(type, json_type) ? json_type : std::string_view{};
}

/// As it is called here; empty: one that the service does not know.
std::string_view coding_of(const aws::request_view& request) {
    constexpr std::string_view none = "identity";
    const std::string_view named = header(request, "content-encoding");
    if (named.empty()) return none;
    for (const std::string_view known : {none, std::string_view("gzip"), std::string_view("deflate")}) {
        if (aws::equal_ignoring_case(named, known)) return known;
    }
    return {};
}

/// The texts are ours and the verifier's; a header's value may be quoted in them.
std::string json_string(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        constexpr char first_printable = 0x20;
        if (c == '"' || c == '\\') result.push_back('\\');
        result.push_back(c >= 0 && c < first_printable ? ' ' : c);
    }
    return result + '"';
}

/// Of what is refused before it is looked at.
reply service_error(std::string_view name, std::string_view message) {
    return {
        400, amazon_json_type,
        "{\"__type\":\"com.amazon.coral.service#" + std::string(name) + "\",\"message\":" + json_string(message) + "}"};
}

/// What whoever comes with keys of his own has to know.
constexpr std::string_view way_in =
    " This server takes the access key that it was started with (--access-key, else local), and any key with --anyone.";

bool is_count(const any_request& request) {
    if (const auto* query = std::get_if<query_request>(&request)) return query->select == selection::count;
    const auto* scan = std::get_if<scan_request>(&request);
    return scan && scan->select == selection::count;
}

/// Of a body that is not what its Content-Encoding says.
reply broken_coding() {
    return {500, amazon_json_type, R"({"__type":"com.amazon.coral.service#InternalFailure"})"};
}

}  // namespace

request_service::request_service(std::shared_ptr<engine> store, std::optional<credentials> accepted, std::string origin,
                                 codec::wording words)
    : store_(std::move(store)), origin_(std::move(origin)), words_(words) {
    if (accepted) verifier_.emplace(*std::move(accepted));
}

/// What a browser wants to be told before it lets a page of another origin ask.
void request_service::allow_other_origin(const aws::request_view& request, reply& answer) const {
    std::string& lines = answer.more_headers;
    lines.append("Access-Control-Allow-Origin: ").append(origin_).append("\r\n");
    lines.append("Access-Control-Expose-Headers: x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,Date\r\n");
    if (request.method != "OPTIONS") return;
    lines.append("Access-Control-Max-Age: 172800\r\n");
    const auto repeat = [&](std::string_view asked, std::string_view told) {
        const std::string_view value = header(request, asked);
        if (!value.empty()) lines.append(told).append(value).append("\r\n");
    };
    repeat("access-control-request-headers", "Access-Control-Allow-Headers: ");
    repeat("access-control-request-method", "Access-Control-Allow-Methods: ");
}

reply request_service::answer(const aws::request_view& request, engine::time now) {
    // A browser says where its page comes from whenever it posts: also one that took our address for its own name.
    const std::string_view origin = header(request, "origin");
    if (!origin.empty() && origin_ != "*" && origin != origin_) {
        return {403, "text/plain", "Pages of this origin may not ask here: see --cors\n"};
    }
    reply result = plain_answer(request, now);
    result.without_body = request.method == "HEAD";
    if (!origin.empty()) allow_other_origin(request, result);
    constexpr std::size_t least_compressed = 4096;
    if (result.body.size() <= least_compressed) return result;
    result.content_encoding = preferred_coding(header(request, "accept-encoding"));
    if (!result.content_encoding.empty()) result.body = compressed(result.body, result.content_encoding);
    return result;
}

reply request_service::plain_answer(const aws::request_view& request, engine::time now) {
    const bool is_read = request.method == "GET" || request.method == "HEAD";
    if (is_read && request.path == "/") {
        return {200, "text/plain", "healthy: " + std::string(header(request, "host")) + " "};
    }
    if (request.method == "OPTIONS" && !header(request, "origin").empty()) return {200, "text/plain"};
    const std::string_view type = request.method == "POST" ? json_type_of(request) : std::string_view{};
    if (type.empty()) return {404, "text/xml", "<UnknownOperationException/>\n"};
    reply result = service_answer(request, now);
    if (result.content_type == amazon_json_type) result.content_type = type;
    return result;
}

/// The signature is over the bytes as they were sent: nothing is unpacked for a stranger.
reply request_service::service_answer(const aws::request_view& request, engine::time now) {
    constexpr std::string_view service = "DynamoDB_20120810.";
    const std::string_view target = header(request, "x-amz-target");
    if (codec::is_unserved(target)) {
        return service_error("UnknownOperationException", std::string(target) + " is not supported by this server");
    }
    std::string_view operation = target;
    operation = operation.starts_with(service) ? operation.substr(service.size()) : std::string_view{};
    if (codec::is_operation(operation)) {
        if (auto refusal = refuse_unsigned(request, now)) return *std::move(refusal);
    }
    const std::string_view coding = coding_of(request);
    if (coding == "identity") return operation_answer(request, operation, request.body, now);
    if (coding.empty()) return broken_coding();
    const unpacked_body body = unpacked(request.body, coding, codec::max_body_size);
    if (body.is_too_large) return {413, "text/plain", "Request Entity Too Large\n"};
    return body.is_whole ? operation_answer(request, operation, body.text, now) : broken_coding();
}

/// @param body of the request, unpacked.
reply request_service::operation_answer(const aws::request_view& request, std::string_view operation,
                                        std::string_view body, engine::time now) {
    const auto decoded = codec::decode_request(operation, body, codec::most_values(request.body.size()), words_);
    if (!decoded) return error_reply(operation, decoded.error());
    auto result = store_->execute(*decoded, now);
    if (!result) return error_reply(operation, std::move(result).error());
    // Only the peer knows where it found us; a client that discovers endpoints stays here.
    if (auto* found = std::get_if<describe_endpoints_response>(&*result)) {
        for (service_endpoint& each : found->endpoints) each.address = header(request, "host");
    }
    if (is_count(*decoded)) return {200, amazon_json_type, codec::encode_count(std::get<page_response>(*result))};
    return {200, amazon_json_type, codec::encode_response(*result)};
}

reply request_service::error_reply(std::string_view operation, failure why) const {
    if (words_ == codec::wording::newer && why.code == errc::validation) {
        codec::count_fault(operation, why.details.message);
    }
    auto encoded = codec::encode_error(why);
    return {encoded.status, amazon_json_type, std::move(encoded.body)};
}

std::optional<reply> request_service::refuse_unsigned(const aws::request_view& request, engine::time now) {
    if (!verifier_) return std::nullopt;
    const auto check = verifier_->check(request, now);
    if (check.verdict == aws::signature_verdict::ok) return std::nullopt;
    const bool is_stranger = check.verdict == aws::signature_verdict::unknown_key;
    return service_error(check.error, is_stranger ? check.message + std::string(way_in) : check.message);
}

}  // namespace dynalease::local
