// The signature of the gateway's answers: of that body, with that secret, at that time, and nothing else.
// SPDX-License-Identifier: BSL-1.0
#include "payments/gateway/answer_signature.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <stdexcept>
#include <string>

using namespace payments;
using namespace std::chrono_literals;

namespace {

const std::string secret = "0123456789abcdef0123456789abcdef";
const std::string body = R"({"charge":"ch_1"})";
constexpr std::chrono::sys_seconds now{1'700'000'000s};
// By another program: HMAC-SHA-256 of "1700000000." and the body.
const std::string digits = "14eb0cbe597608545fbabf2f4a5405957f8171c124c323e3dbc1b982f647b50a";

}  // namespace

TEST_CASE("an answer is signed as the page of a gateway would say", "[signature]") {
    CHECK(answer_signature(secret).sign(body, now) == "t=1700000000,v1=" + digits);
}

TEST_CASE("a signature is good for its body, its secret and its time", "[signature]") {
    const answer_signature ours(secret);
    const auto good = ours.sign(body, now);
    CHECK(ours.signs(good, body, now));
    CHECK(ours.signs(good, body, now + 5min));
    CHECK(ours.signs(good, body, now - 5min));
    CHECK_FALSE(ours.signs(good, body, now + 5min + 1s));
    CHECK_FALSE(ours.signs(good, body, now - 5min - 1s));
    CHECK_FALSE(ours.signs(good, body + " ", now));
    CHECK_FALSE(answer_signature("another secret, which is as long").signs(good, body, now));
    CHECK_FALSE(ours.signs("t=1700000001" + good.substr(12), body, now));  // the time is signed, too
}

TEST_CASE("what is no signature is none", "[signature]") {
    const answer_signature ours(secret);
    const auto good = ours.sign(body, now);
    for (std::size_t i = 0; i < good.size(); ++i) {
        auto other = good;
        other[i] = other[i] == '0' ? '1' : '0';
        INFO(other);
        CHECK_FALSE(ours.signs(other, body, now));
        CHECK_FALSE(ours.signs(good.substr(0, i), body, now));
    }
    for (const std::string text :
         {"t=", "t=,v1=", "t=x", "t=99999999999999999999,v1=00", "t=-9223372036854775808", "t=9223372036854775807"}) {
        INFO(text);
        CHECK_FALSE(ours.signs(text, body, now));
    }
    CHECK_FALSE(ours.signs("t=01700000000,v1=" + digits, body, now));
    CHECK_FALSE(ours.signs(good + " ", body, now));
}

TEST_CASE("a secret that is too short to be one is refused", "[signature]") {
    CHECK_THROWS_AS(answer_signature(std::string(31, 'x')), std::invalid_argument);
    CHECK_NOTHROW(answer_signature(std::string(32, 'x')));
}
