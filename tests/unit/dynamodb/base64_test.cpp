// Base64: the vectors of RFC 4648, and that each binary has one text only.
// SPDX-License-Identifier: BSL-1.0
#include "dynamodb/base64.hpp"
#include "random_values.hpp"

#include <catch2/catch.hpp>

namespace dynalease {

namespace {

binary bytes_of(std::string_view text) {
    binary out;
    for (const char c : text) out.push_back(static_cast<std::byte>(c));
    return out;
}

}  // namespace

TEST_CASE("base64 follows RFC 4648") {
    const auto [plain, encoded] = GENERATE(table<std::string_view, std::string_view>({{"", ""},
                                                                                      {"f", "Zg=="},
                                                                                      {"fo", "Zm8="},
                                                                                      {"foo", "Zm9v"},
                                                                                      {"foob", "Zm9vYg=="},
                                                                                      {"fooba", "Zm9vYmE="},
                                                                                      {"foobar", "Zm9vYmFy"}}));
    CHECK(encode_base64(bytes_of(plain)) == encoded);
    CHECK(decode_base64(encoded) == bytes_of(plain));
}

TEST_CASE("base64 takes no other text") {
    const auto text = GENERATE("Z", "Zg", "Zg=", "Zh==", "Zm9=", "====", "=", "Z===", "Zg==Zg==", "Zm9v\n", "Zm 9",
                               "Zm-_", "Zm9v====");
    INFO(text);
    CHECK(!decode_base64(text));
}

TEST_CASE("any bytes survive base64") {
    for (std::uint32_t seed = 0; seed < 1000; ++seed) {
        const auto bytes = test::random_values(seed).bytes();
        REQUIRE(decode_base64(encode_base64(bytes)) == bytes);
    }
}

}  // namespace dynalease
