// Bodies of requests, answers and errors. The first byte chooses which; what could be read is read again the same
// from what we write of it.
// SPDX-License-Identifier: BSL-1.0
#include "fuzz/target.hpp"

#include "local/codec/server_codec.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>

namespace {

using namespace dynalease;

constexpr std::size_t operations = std::variant_size_v<any_request>;

constexpr auto names = []<std::size_t... Index>(std::index_sequence<Index...>) {
    return std::array{std::variant_alternative_t<Index, any_request>::name...};
}(std::make_index_sequence<operations>{});

void read_request(std::size_t operation, std::string_view body) {
    const auto first = codec::decode_request(names[operation], body);
    if (!first) return;
    const auto text = codec::encode_request(*first);
    fuzz::require(fuzz::is_utf8(text), "what is sent is text");
    const auto second = codec::decode_request(names[operation], text);
    fuzz::require(second.has_value(), "a request that was read can be read again");
    fuzz::require(codec::encode_request(*second) == text, "and is the same");
}

void read_answer(std::size_t operation, std::string_view body) {
    const auto first = codec::decode_response(operation, body);
    if (!first) return;
    const auto text = codec::encode_response(*first);
    fuzz::require(fuzz::is_utf8(text), "what is answered is text");
    const auto second = codec::decode_response(operation, text);
    fuzz::require(second.has_value(), "an answer that was read can be read again");
    fuzz::require(codec::encode_response(*second) == text, "and is the same");
}

void read_error(std::string_view body) {
    constexpr std::array statuses{400U, 413U, 500U, 503U, 302U};
    for (const auto status : statuses) {
        const auto got = codec::decode_error(status, body);
        fuzz::require(static_cast<bool>(got.failure.code), "a refusal is an error");
        if (status >= 500) fuzz::require(got.failure.outcome != outcome::applied, "and not done");
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::input in(data, size);
    const std::size_t chosen = in.byte() % (2 * operations + 1);
    if (chosen < operations) {
        read_request(chosen, in.rest());
    } else if (chosen < 2 * operations) {
        read_answer(chosen - operations, in.rest());
    } else {
        read_error(in.rest());
    }
    return 0;
}
