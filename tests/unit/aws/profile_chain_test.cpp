// From a profile to the plan of its keys: the role chain vectors, and the rules beside them.
// SPDX-License-Identifier: BSL-1.0
#include "aws/profile_chain.hpp"

#include "unit/aws/vectors.hpp"

#include <catch2/catch.hpp>

#include <variant>

namespace {

using namespace dynalease;
using namespace dynalease::aws;

shared_config config_of(const vectors::json& profiles) {
    shared_config out;
    for (const auto& [name, properties] : profiles.members) {
        auto& section = out.profiles[name];
        for (const auto& [key, value] : properties.members) section[key] = {value.text};
    }
    return out;
}

void check_first(const key_plan& plan, const vectors::json& expected) {
    if (const auto* keys = expected.find("AccessKey")) {
        const auto& found = std::get<credentials>(plan.first);
        CHECK(found.access_key_id == keys->text_of("access_key_id"));
        CHECK(found.secret_access_key == keys->text_of("secret_access_key"));
        CHECK(found.account_id == keys->text_of("account_id"));
    } else if (const auto* token = expected.find("WebIdentityToken")) {
        const auto& found = std::get<web_identity>(plan.first);
        CHECK(found.role_arn == token->text_of("role_arn"));
        CHECK(found.token_file == token->text_of("web_identity_token_file"));
        CHECK(found.session_name == token->text_of("role_session_name"));
    } else {
        CHECK(expected["NamedSource"].text == "Ec2InstanceMetadata");
        CHECK(std::get<named_source>(plan.first) == named_source::instance);
    }
}

void check_plan(const key_plan& plan, const vectors::json& chain) {
    check_first(plan, chain.items.front());
    REQUIRE(plan.roles.size() + 1 == chain.items.size());
    for (std::size_t i = 0; i < plan.roles.size(); ++i) {
        const auto& expected = chain.items[i + 1]["AssumeRole"];
        CHECK(plan.roles[i].arn == expected.text_of("role_arn"));
        CHECK(plan.roles[i].session_name == expected.text_of("role_session_name"));
        CHECK(plan.roles[i].external_id == expected.text_of("external_id"));
    }
}

result<std::optional<key_plan>> plan_of(const std::string& lines) {
    const auto files = parse_shared_config({"[default]\n" + lines, "config"}, {});
    return plan_profile(files.value(), "default");
}

std::string problem_of(const std::string& lines) {
    const auto plan = plan_of(lines);
    if (plan) return "accepted";
    CHECK(plan.error().code == errc::no_credentials);
    CHECK_FALSE(plan.error().details.advice.empty());
    return plan.error().details.message;
}

}  // namespace

TEST_CASE("the role chain vectors hold, but that single sign-on is an error of its own") {
    const auto document = vectors::read_json("profile/smithy-rs/assume-role-tests.json");
    unsigned plans = 0;
    unsigned errors = 0;
    unsigned nothing = 0;
    unsigned sign_on = 0;
    for (const auto& at : document.items) {
        INFO(at["docs"].text);
        const auto& input = at["input"];
        const auto plan = plan_profile(config_of(input["profiles"]), input["selected_profile"].text);
        const auto* chain = at["output"].find("ProfileChain");
        if (at["docs"].text.find("SSO") != std::string::npos) {
            REQUIRE(plan.has_error());
            CHECK_THAT(plan.error().details.message, Catch::Contains("sso_"));
            CHECK_THAT(plan.error().details.advice, Catch::Contains("credential_process"));
            ++sign_on;
        } else if (chain != nullptr) {
            REQUIRE(plan.has_value());
            REQUIRE(plan->has_value());
            check_plan(**plan, *chain);
            ++plans;
        } else if (plan.has_error()) {
            CHECK(plan.error().code == errc::no_credentials);
            ++errors;
        } else {
            // Theirs is an error that lets the chain go on; ours says so without one.
            CHECK_FALSE(plan->has_value());
            ++nothing;
        }
    }
    CHECK(plans == 11);
    CHECK(errors == 9);
    CHECK(nothing == 2);
    CHECK(sign_on == 6);
}

TEST_CASE("a profile without a word of keys is not a source") {
    const auto plan = plan_of("region = eu-central-1\n");
    REQUIRE(plan.has_value());
    CHECK_FALSE(plan->has_value());
}

TEST_CASE("what a profile asks for and this library does not do is said by name") {
    using Catch::Contains;
    CHECK_THAT(problem_of("sso_session = s\n"), Contains("sso_session") && Contains("'default'"));
    CHECK_THAT(problem_of("login_session = x\n"), Contains("login_session"));
    CHECK_THAT(problem_of("role_arn = r\nsource_profile = default\nmfa_serial = m\n"), Contains("mfa_serial"));
    CHECK_THAT(problem_of("role_arn = r\ncredential_source = Moon\n"), Contains("Moon"));
    CHECK_THAT(problem_of("role_arn = r\nsource_profile = x\nduration_seconds = long\n"), Contains("duration_seconds"));
    CHECK_THAT(problem_of("aws_secret_access_key = hush\n"), Contains("aws_access_key_id") && !Contains("hush"));
    const auto sign_on = plan_of("sso_start_url = https://x\n");
    CHECK_THAT(sign_on.error().details.advice, Contains("credential_process"));
}

TEST_CASE("a process may stand beside single sign-on, which is how its keys are had") {
    const auto plan = plan_of("sso_session = s\ncredential_process = print keys\naws_account_id = 12\n");
    const auto& process = std::get<external_process>(plan.value()->first);
    CHECK(process.command == "print keys");
    CHECK(process.account_id == "12");
}

TEST_CASE("a role may last as long as it says") {
    const auto plan = plan_of("role_arn = r\ncredential_source = Environment\nduration_seconds = 900\n");
    CHECK(plan.value()->roles.front().duration == std::chrono::seconds{900});
}
