// The fast path must say the same as the general signer, for any credentials, day and body.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/aws/sigv4.hpp>

#include <catch2/catch.hpp>

#include <array>
#include <random>

namespace {

using namespace dynalease;
using namespace dynalease::aws;
using namespace std::chrono_literals;

std::string random_text(std::mt19937& chance, std::size_t longest) {
    std::string out(chance() % (longest + 1), ' ');
    for (char& c : out) c = static_cast<char>('!' + chance() % 94);
    return out;
}

std::string general(const credentials& who, wall_time now, const request_signer::request& what,
                    const std::string& region) {
    request_view request;
    request.headers = {{"Host", what.host}, {"X-Amz-Target", what.target}, {"Content-Type", what.content_type}};
    request.body = what.body;
    sigv4_options options;
    options.region = region;
    return sigv4_sign(request, who, now, options).added.back().value;
}

}  // namespace

TEST_CASE("the fast path equals the general signer while keys, tokens, days and bodies change") {
    std::mt19937 chance(1);
    request_signer signer{"eu-central-1"};
    std::array<credentials, 3> keys;
    for (auto& who : keys) who = {"AKID" + std::to_string(chance()), random_text(chance, 90), random_text(chance, 400)};
    keys[0].session_token.clear();
    for (int round = 0; round < 2000; ++round) {
        const credentials& who = keys[chance() % keys.size()];
        const wall_time now{std::chrono::milliseconds{static_cast<std::int64_t>(chance()) * 400}};
        const std::string target = "DynamoDB_20120810." + random_text(chance, 20);
        const std::string body = random_text(chance, 1500);
        const request_signer::request what{"127.0.0.1:8000", "application/x-amz-json-1.0", target, body};
        const auto made = signer.sign(who, now, what);
        REQUIRE(std::string{made.authorization} == general(who, now, what, "eu-central-1"));
        REQUIRE(made.amz_date == amz_timestamp{now}.text());
    }
}

TEST_CASE("a rotated secret under the same key id is noticed") {
    request_signer signer{"us-east-1"};
    const wall_time now = parse_iso8601("2026-03-01T00:00:05Z").value();
    const request_signer::request what{"localhost:8000", "application/x-amz-json-1.0", "DynamoDB_20120810.GetItem",
                                       "{}"};
    const std::string before{signer.sign({"AKID", "one"}, now, what).authorization};
    const std::string after{signer.sign({"AKID", "two"}, now, what).authorization};
    CHECK(before != after);
    CHECK(after == general({"AKID", "two"}, now, what, "us-east-1"));
}
