// The client's side of the codec: requests out, answers in.
// SPDX-License-Identifier: BSL-1.0
#include "dynamodb/codec.hpp"
#include "dynamodb/item_fields.hpp"
#include "dynamodb/table_fields.hpp"

#include <array>
#include <type_traits>
#include <utility>

namespace dynalease::codec {

namespace {

/// What answers one alternative of any_request.
struct reading_of {
    std::string_view operation;
    bool is_write;
    bool is_mute;         ///< answers with no body
    std::size_t longest;  ///< of its answers
    any_response (*read)(json_input body);
};

/// Those that name up to a hundred items, of which a refused transaction may give back all.
template <class Request>
constexpr bool is_of_many = std::is_same_v<Request, batch_get_item_request> ||
                            std::is_same_v<Request, transact_get_items_request> ||
                            std::is_same_v<Request, transact_write_items_request>;

template <class Request>
any_response read_answer(json_input body) {
    typename Request::response answer;
    read(body, answer);
    return answer;
}

const reading_of& reading_for(std::size_t operation) {
    static const auto readings = []<std::size_t... Index>(std::index_sequence<Index...>) {
        return std::array{reading_of{std::variant_alternative_t<Index, any_request>::name,
                                     is_write(any_request(std::in_place_index<Index>)),
                                     std::is_empty_v<typename std::variant_alternative_t<Index, any_request>::response>,
                                     is_of_many<std::variant_alternative_t<Index, any_request>> ? max_answer_size
                                                                                                : max_small_answer_size,
                                     &read_answer<std::variant_alternative_t<Index, any_request>>}...};
    }(std::make_index_sequence<std::variant_size_v<any_request>>{});
    return readings.at(operation);
}

}  // namespace

std::string encode_request(const any_request& request) {
    json_writer out;
    std::visit([&out](const auto& held) { write(out, held); }, request);
    return std::move(out).take();
}

std::size_t longest_answer(std::size_t operation) {
    return reading_for(operation).longest;
}

result<any_response> decode_response(std::size_t operation, std::string_view body) {
    const auto& reading = reading_for(operation);
    try {
        const json_body parsed(body.empty() && reading.is_mute ? "{}" : body, reading.longest,
                               most_values(body.size()));
        return reading.read(json_input{parsed.root()});
    } catch (const malformed& why) {
        failure out(errc::bad_response, reading.is_write ? outcome::unknown : outcome::not_applied);
        out.details.operation = reading.operation;
        out.details.message = why.message();
        return out;
    }
}

}  // namespace dynalease::codec
