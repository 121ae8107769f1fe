// What STS is asked, and what is made of its answers.
// SPDX-License-Identifier: BSL-1.0
#include "aws/sts.hpp"

#include "unit/aws/fake_config.hpp"

#include "aws/settings.hpp"

#include <catch2/catch.hpp>

namespace {

using namespace dynalease;
using namespace dynalease::aws;
using testing_support::fake_config;
using namespace std::chrono_literals;

constexpr auto some_day = wall_time{std::chrono::sys_days{std::chrono::year{2026} / 3 / 1}};

endpoint some_sts() {
    return resolve_sts("eu-central-1", fake_config{}.source(), {}).value();
}

std::string header_of(const web_request& request, const std::string& name) {
    for (const auto& header : request.headers) {
        if (header.name == name) return header.value;
    }
    return {};
}

std::string sts_of(const fake_config& config) {
    const auto profile = load_profile(config.source(), "");
    const auto found = resolve_sts("", config.source(), *profile);
    return found ? found->url() + " " + found->signing_region : found.error().details.message;
}

}  // namespace

TEST_CASE("a role is asked for with a signed form") {
    const assumed_role wanted{"arn:aws:iam::1:role/a b", "me", "id=1&2", 900s};
    const auto request = assume_role_request(some_sts(), wanted, "unused", {"AKID", "secret", "token"}, some_day);
    CHECK(request.url() == "https://sts.eu-central-1.amazonaws.com/");
    CHECK(request.method == "POST");
    CHECK(request.body ==
          "Action=AssumeRole&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fa%20b&RoleSessionName=me&"
          "DurationSeconds=900&ExternalId=id%3D1%262");
    CHECK_THAT(header_of(request, "Authorization"),
               Catch::Contains("Credential=AKID/20260301/eu-central-1/sts/aws4_request") &&
                   Catch::Contains("SignedHeaders=content-type;host;x-amz-date;x-amz-security-token"));
    CHECK(header_of(request, "X-Amz-Security-Token") == "token");
}

TEST_CASE("a role is asked for with less than it may do, with tags, and by whom") {
    assumed_role wanted{"arn", "me"};
    wanted.policy = R"({"Version":"2012-10-17"})";
    wanted.policy_arns = {"arn:aws:iam::aws:policy/ReadOnlyAccess", "b"};
    wanted.tags = {{"stage", "test"}, {"team", ""}};
    wanted.source_identity = "ann";
    const auto request = assume_role_request(some_sts(), wanted, "unused", {"AKID", "secret"}, some_day);
    CHECK(request.body ==
          "Action=AssumeRole&Version=2011-06-15&RoleArn=arn&RoleSessionName=me&"
          "Policy=%7B%22Version%22%3A%222012-10-17%22%7D&"
          "PolicyArns.member.1.arn=arn%3Aaws%3Aiam%3A%3Aaws%3Apolicy%2FReadOnlyAccess&PolicyArns.member.2.arn=b&"
          "Tags.member.1.Key=stage&Tags.member.1.Value=test&Tags.member.2.Key=team&Tags.member.2.Value=&"
          "SourceIdentity=ann");
}

TEST_CASE("a web identity vouches for itself") {
    const auto request = web_identity_request(some_sts(), {"arn", "/file"}, "dynalease-1", "a.b-c_d");
    CHECK(request.body ==
          "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=arn&RoleSessionName=dynalease-1&"
          "WebIdentityToken=a.b-c_d");
    CHECK(header_of(request, "Authorization").empty());
}

TEST_CASE("where STS is: by its own settings, region, partition") {
    fake_config config;
    CHECK_THAT(sts_of(config), Catch::Contains("no region"));
    config.variables["AWS_REGION"] = "cn-north-1";
    CHECK(sts_of(config) == "https://sts.cn-north-1.amazonaws.com.cn cn-north-1");
    config.variables["AWS_REGION"] = "us-east-1";
    config.variables["AWS_USE_FIPS_ENDPOINT"] = "true";
    CHECK(sts_of(config) == "https://sts-fips.us-east-1.amazonaws.com us-east-1");
    config.variables.erase("AWS_USE_FIPS_ENDPOINT");
    config.variables["AWS_ENDPOINT_URL_DYNAMODB"] = "http://not-this-one";
    CHECK(sts_of(config) == "https://sts.us-east-1.amazonaws.com us-east-1");
    config.variables["AWS_ENDPOINT_URL_STS"] = "http://mine:1";
    CHECK(sts_of(config) == "http://mine:1 us-east-1");
}

TEST_CASE("keys and account are read from an answer") {
    const std::string answer =
        "<AssumeRoleResponse><AssumeRoleResult><AssumedRoleUser><Arn>arn:aws:sts::123456789012:assumed-role/a/b</Arn>"
        "</AssumedRoleUser><Credentials><AccessKeyId>A</AccessKeyId><SecretAccessKey>S</SecretAccessKey><SessionToken>T"
        "</SessionToken><Expiration>2026-03-01T01:00:00Z</Expiration></Credentials></AssumeRoleResult>"
        "</AssumeRoleResponse>";
    const auto keys = parse_sts_answer({200, answer});
    REQUIRE(keys.has_value());
    CHECK(keys->access_key_id == "A");
    CHECK(keys->secret_access_key == "S");
    CHECK(keys->session_token == "T");
    CHECK(keys->account_id == "123456789012");
    CHECK(keys->expiration == some_day + 1h);
    for (std::size_t size = 0; size < answer.size(); ++size)
        CHECK(parse_sts_answer({200, answer.substr(0, size)}).has_error());
}

TEST_CASE("a refusal is told in the words of STS, and only what may pass is tried again") {
    const web_answer denied{403,
                            "<ErrorResponse><Error><Code>AccessDenied</Code><Message>not\nyou</Message></Error>"
                            "</ErrorResponse>"};
    const auto why = parse_sts_answer(denied);
    REQUIRE(why.has_error());
    CHECK(why.error().code == errc::no_credentials);
    CHECK(why.error().details.message == "STS answered 403 AccessDenied: not you");
    CHECK_FALSE(is_sts_transient(denied));
    CHECK(is_sts_transient({503, ""}));
    CHECK(is_sts_transient({400, "<ErrorResponse><Error><Code>IDPCommunicationError</Code></Error></ErrorResponse>"}));
    CHECK_FALSE(
        is_sts_transient({400, "<ErrorResponse><Error><Code>InvalidIdentityToken</Code></Error></ErrorResponse>"}));
}

TEST_CASE("what is no answer of STS is an error, however deep or long") {
    std::string deep;
    for (int i = 0; i < 100'000; ++i) deep += "<a>";
    for (const auto& body : {std::string{}, std::string{"<html>"}, std::string{"{}"}, deep, std::string(1 << 20, 'x'),
                             std::string{"<AssumeRoleResponse><AssumeRoleResult><Credentials/></AssumeRoleResult>"
                                         "</AssumeRoleResponse>"}}) {
        CHECK(parse_sts_answer({200, body}).has_error());
        CHECK(parse_sts_answer({400, body}).has_error());
    }
}
