// The embedded server's side of the codec: requests in, answers out.
#include "dynamodb/codec.hpp"
#include "dynamodb/item_fields.hpp"
#include "dynamodb/shape.hpp"
#include "dynamodb/table_fields.hpp"

#include <optional>
#include <utility>

namespace dynalease::codec {

namespace {

/// An empty request of the operation; none if there is no such operation.
std::optional<any_request> blank_request(std::string_view operation) {
    std::optional<any_request> out;
    const auto attempt = [&]<std::size_t Index>(std::integral_constant<std::size_t, Index>) {
        if (operation == std::variant_alternative_t<Index, any_request>::name) out.emplace(std::in_place_index<Index>);
    };
    [&]<std::size_t... Index>(std::index_sequence<Index...>) {
        (attempt(std::integral_constant<std::size_t, Index>{}), ...);
    }(std::make_index_sequence<std::variant_size_v<any_request>>{});
    return out;
}

}  // namespace

result<any_request> decode_request(std::string_view operation, std::string_view body) {
    failure why;
    why.details.operation = operation;
    auto request = blank_request(operation);
    const shape* model = shape_of_request(operation);
    if (!request || !model) {
        why.code = errc::not_supported;
        return why;
    }
    try {
        const json_body parsed(body);
        check_types(parsed.root(), *model);
        check_limits(parsed.root(), *model);
        const json_input whole{parsed.root()};
        check_parameter_mix(whole, operation);
        std::visit([&](auto& held) { read(whole, held); }, *request);
        return *std::move(request);
    } catch (const malformed& found) {
        why.code = found.code;
        why.details.message = found.what;
        return why;
    }
}

std::string encode_response(const any_response& response) {
    json_writer out;
    std::visit([&out](const auto& held) { write(out, held); }, response);
    return std::move(out).take();
}

}  // namespace dynalease::codec
