// The embedded server's side of the codec: requests in, answers out.
// SPDX-License-Identifier: BSL-1.0
#include "local/codec/server_codec.hpp"

#include "dynamodb/item_fields.hpp"
#include "dynamodb/table_fields.hpp"
#include "local/codec/legacy_parameters.hpp"
#include "local/codec/request_reader.hpp"
#include "local/codec/resource_arn.hpp"
#include "local/codec/shape.hpp"

#include <optional>
#include <utility>

namespace dynalease::codec {

namespace {

struct counted_page {
    const page_response& page;
};
void fields(auto& visitor, const counted_page& counted) {
    count_fields(visitor, counted.page);
}

/// An empty request of the operation.
any_request blank_request(std::string_view operation) {
    any_request out;
    const auto attempt = [&]<std::size_t Index>(std::integral_constant<std::size_t, Index>) {
        if (operation == std::variant_alternative_t<Index, any_request>::name) out.emplace<Index>();
    };
    [&]<std::size_t... Index>(std::index_sequence<Index...>) {
        (attempt(std::integral_constant<std::size_t, Index>{}), ...);
    }(std::make_index_sequence<std::variant_size_v<any_request>>{});
    return out;
}

result<any_request> read_request(std::string_view operation, const json_body& parsed, wording words) {
    try {
        const shape& model = *shape_of_request(operation);
        check_types(parsed.root(), model);
        const json_input whole{parsed.root()};
        check_resource_arn(whole, operation);
        check_limits(parsed.root(), model, words);
        check_parameter_mix(whole, operation);
        any_request request = blank_request(operation);
        std::visit([&](auto& held) { read_request(whole, held); }, request);
        return request;
    } catch (const malformed& found) {
        failure why(found.code);
        why.details.operation = operation;
        why.details.message = found.what;
        return why;
    }
}

}  // namespace

bool is_operation(std::string_view name) noexcept {
    return shape_of_request(name) != nullptr;
}

result<any_request> decode_request(std::string_view operation, std::string_view body, std::size_t most, wording words) {
    const bool is_known = is_operation(operation);
    if (!is_known && body.empty()) return failure(errc::not_supported);
    failure why(errc::not_supported);
    why.details.operation = operation;
    try {
        // What nobody has signed is only looked at for whether it is JSON at all.
        constexpr std::size_t most_of_a_stranger = 64 * 1024;
        const json_body parsed(body, max_body_size, is_known ? most : most_of_a_stranger);
        if (is_known) return read_request(operation, parsed, words);
    } catch (const malformed& found) {
        if (found.code == errc::bad_response) {
            // The service has no words for what is no JSON.
            why.code = found.code;
        } else if (is_known) {
            why.code = found.code;
            why.details.message = found.what;
        }
    }
    return why;
}

std::string encode_response(const any_response& response) {
    // Two operations answer with no body at all.
    if (std::holds_alternative<tag_resource_response>(response)) return {};
    if (std::holds_alternative<untag_resource_response>(response)) return {};
    json_writer out;
    std::visit([&out](const auto& held) { write(out, held); }, response);
    return std::move(out).take();
}

std::string encode_count(const page_response& page) {
    json_writer out;
    write(out, counted_page{page});
    return std::move(out).take();
}

}  // namespace dynalease::codec
