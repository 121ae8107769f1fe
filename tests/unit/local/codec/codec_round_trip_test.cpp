// What is encoded and decoded again is the same, for every field of every operation.
// SPDX-License-Identifier: BSL-1.0
#include "local/codec/server_codec.hpp"
#include "random_filler.hpp"

#include <catch2/catch.hpp>

#include <utility>

namespace dynalease {

namespace {

template <class Variant, class Check>
void for_each_alternative(Check check) {
    [&]<std::size_t... Index>(std::index_sequence<Index...>) {
        (check(std::integral_constant<std::size_t, Index>{}), ...);
    }(std::make_index_sequence<std::variant_size_v<Variant>>{});
}

constexpr std::uint32_t seeds = 300;

}  // namespace

TEST_CASE("an item survives the way to the server and back") {
    for (std::uint32_t seed = 0; seed < 3000; ++seed) {
        test::random_values values(seed);
        put_item_request request{.table_name = "table", .new_item = values.members()};
        const auto body = codec::encode_request(request);
        INFO("seed " << seed << ", " << body);
        const auto arrived = codec::decode_request("PutItem", body);
        REQUIRE(arrived.has_value());
        REQUIRE(std::get<put_item_request>(*arrived).new_item == request.new_item);

        const get_item_response answer{.found = request.new_item, .consumed = {}};
        const auto returned =
            codec::decode_response(any_request(get_item_request{}).index(), codec::encode_response(answer));
        REQUIRE(returned.has_value());
        REQUIRE(std::get<get_item_response>(*returned).found == answer.found);
    }
}

TEST_CASE("every field of every request reaches the server") {
    for_each_alternative<any_request>([]<std::size_t Index>(std::integral_constant<std::size_t, Index>) {
        // These must make sense as a whole, which nothing random does.
        using request_type = std::variant_alternative_t<Index, any_request>;
        if constexpr (std::is_same_v<request_type, create_table_request>) return;
        if constexpr (std::is_same_v<request_type, update_table_request>) return;
        for (std::uint32_t seed = 0; seed < seeds; ++seed) {
            test::random_values values(seed);
            any_request request(std::in_place_index<Index>);
            test::random_filler(values).fill(std::get<Index>(request));
            const auto body = codec::encode_request(request);
            INFO(operation_name(request) << ", seed " << seed << ", " << body);
            const auto arrived = codec::decode_request(operation_name(request), body);
            if (!arrived) FAIL(arrived.error().details.message);
            REQUIRE(arrived->index() == Index);
            REQUIRE(codec::encode_request(*arrived) == body);
        }
    });
}

TEST_CASE("every field of every answer reaches the client") {
    for_each_alternative<any_request>([]<std::size_t Index>(std::integral_constant<std::size_t, Index>) {
        using response = typename std::variant_alternative_t<Index, any_request>::response;
        for (std::uint32_t seed = 0; seed < seeds; ++seed) {
            test::random_values values(seed);
            response answer;
            test::random_filler(values).fill(answer);
            const auto body = codec::encode_response(answer);
            INFO("seed " << seed << ", " << body);
            const auto arrived = codec::decode_response(Index, body);
            if (!arrived) FAIL(arrived.error().details.message);
            REQUIRE(std::holds_alternative<response>(*arrived));
            REQUIRE(codec::encode_response(*arrived) == body);
        }
    });
}

TEST_CASE("a cut body is never taken for a whole one") {
    for (std::uint32_t seed = 0; seed < 100; ++seed) {
        test::random_values values(seed);
        const get_item_response answer{.found = values.members(), .consumed = {}};
        const auto body = codec::encode_response(answer);
        for (std::size_t length = 0; length < body.size(); ++length) {
            INFO("seed " << seed << ", the first " << length << " bytes of " << body);
            const auto arrived = codec::decode_response(any_request(get_item_request{}).index(),
                                                        std::string_view(body).substr(0, length));
            REQUIRE(arrived.has_error());
            REQUIRE(arrived.error().code == errc::bad_response);
        }
    }
}

}  // namespace dynalease
