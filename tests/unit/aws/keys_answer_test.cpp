// Keys in JSON, and everything that is none.
// SPDX-License-Identifier: BSL-1.0
#include "aws/keys_answer.hpp"

#include "aws/fields.hpp"

#include <catch2/catch.hpp>

namespace {

using namespace dynalease;
using namespace dynalease::aws;

std::string problem_of(const result<credentials>& keys) {
    if (keys) return "accepted";
    CHECK(keys.error().code == errc::no_credentials);
    return keys.error().details.message;
}

}  // namespace

TEST_CASE("a service's keys, with what else it says") {
    const auto keys = parse_service_keys(
        R"({"Code":"Success","AccessKeyId":"A","SecretAccessKey":"S","Token":"T","Expiration":"2026-03-01T00:00:05Z",)"
        R"("AccountId":"123","More":{"deep":[1,true,null]}})",
        "it");
    REQUIRE(keys.has_value());
    CHECK(keys->access_key_id == "A");
    CHECK(keys->secret_access_key == "S");
    CHECK(keys->session_token == "T");
    CHECK(keys->account_id == "123");
    CHECK(keys->expiration == std::chrono::sys_days{std::chrono::year{2026} / 3 / 1} + std::chrono::seconds{5});
}

TEST_CASE("a process's keys: a version, and what may be left out") {
    const auto keys =
        parse_process_keys(R"({"Version":1,"AccessKeyId":"A","SecretAccessKey":"S","SessionToken":null})", "it");
    REQUIRE(keys.has_value());
    CHECK(keys->session_token.empty());
    CHECK_FALSE(keys->expiration);
    CHECK_THAT(problem_of(parse_process_keys(R"({"Version":2,"AccessKeyId":"A","SecretAccessKey":"S"})", "it")),
               Catch::Contains("Version"));
}

TEST_CASE("fields below a long name take no more memory than the document") {
    std::string text = R"({"AccessKeyId":"A",")" + std::string(20'000, 'x') + R"(":{)";
    for (int i = 0; i < 5000; ++i) text += "\"" + std::to_string(i) + R"(":"v",)";
    text += R"("last":"v"},"Deep":{"SecretAccessKey":"S"}})";
    const auto found = parse_json_fields(text);
    REQUIRE(found);
    CHECK(field(*found, "AccessKeyId") == "A");
    CHECK(field(*found, "Deep.SecretAccessKey") == "S");
    std::size_t kept = 0;
    for (const auto& [path, value] : *found) kept += path.size() + value.size();
    CHECK(kept < text.size());
}

TEST_CASE("an answer without usable keys says what is wrong with it, and never what is in it") {
    using Catch::Contains;
    const auto problem = [](const char* text) { return problem_of(parse_service_keys(text, "it")); };
    CHECK_THAT(problem(""), Contains("JSON"));
    CHECK_THAT(problem("hush"), Contains("JSON") && !Contains("hush"));
    CHECK_THAT(problem("[]"), Contains("AccessKeyId"));
    CHECK_THAT(problem(R"({"AccessKeyId":"A"})"), Contains("SecretAccessKey"));
    CHECK_THAT(problem(R"({"AccessKeyId":"A","SecretAccessKey":"hush hush"})"),
               Contains("blanks") && !Contains("hush"));
    CHECK_THAT(problem(R"({"AccessKeyId":"A","SecretAccessKey":"S","Token":"x\r\nEvil: 1"})"), Contains("control"));
    CHECK_THAT(problem(R"({"AccessKeyId":"A","SecretAccessKey":"S","Expiration":"soon"})"), Contains("Expiration"));
    CHECK_THAT(problem(R"({"Code":"AssumeRoleUnauthorizedAccess","Message":"EC2 cannot assume the role"})"),
               Contains("AssumeRoleUnauthorizedAccess") && Contains("cannot assume"));
    CHECK_THAT(problem_of(parse_service_keys(std::string(100'000, '['), "it")), Contains("JSON"));
    CHECK_THAT(problem_of(parse_service_keys("{\"a\":\"" + std::string(1 << 20, 'x') + "\"}", "it")), Contains("JSON"));
}
