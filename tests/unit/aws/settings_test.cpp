// The order in which code, environment and profile decide.
// SPDX-License-Identifier: BSL-1.0
#include "aws/settings.hpp"

#include "unit/aws/fake_config.hpp"

#include <catch2/catch.hpp>

namespace {

using namespace dynalease;
using namespace dynalease::aws;
using testing_support::fake_config;

settings resolved(const fake_config& config, const chosen_settings& chosen = {}) {
    const auto found = resolve_settings(chosen, config.source());
    if (found.has_error()) FAIL(found.error().details.message);
    return *found;
}

failure refused(const fake_config& config, const chosen_settings& chosen = {}) {
    const auto found = resolve_settings(chosen, config.source());
    REQUIRE(found.has_error());
    CHECK(found.error().code == errc::invalid_option);
    return found.error();
}

}  // namespace

TEST_CASE("region: code, AWS_REGION, AWS_DEFAULT_REGION, profile") {
    fake_config config;
    CHECK_THAT(refused(config).details.message, Catch::Contains("region"));
    config.files["/home/.aws/config"] = "[default]\nregion = eu-west-1\n";
    CHECK(resolved(config).endpoint.signing_region == "eu-west-1");
    config.variables["AWS_DEFAULT_REGION"] = "eu-west-2";
    CHECK(resolved(config).endpoint.signing_region == "eu-west-2");
    config.variables["AWS_REGION"] = "eu-west-3";
    CHECK(resolved(config).endpoint.signing_region == "eu-west-3");
    config.variables["AWS_REGION"] = " ";
    CHECK(resolved(config).endpoint.signing_region == "eu-west-2");
    chosen_settings chosen;
    chosen.region = "sa-east-1";
    CHECK(resolved(config, chosen).endpoint.host == "dynamodb.sa-east-1.amazonaws.com");
}

TEST_CASE("endpoint: code, the variable of DynamoDB, the common one, the service's, the profile's") {
    fake_config config;
    config.variables["AWS_REGION"] = "us-east-1";
    config.files["/home/.aws/config"] = "[default]\nendpoint_url = http://h1\n";
    CHECK(resolved(config).endpoint.host == "h1");
    config.files["/home/.aws/config"] =
        "[default]\nendpoint_url = http://h1\nservices = mine\n[services mine]\ndynamodb =\n endpoint_url = "
        "http://h2\n";
    CHECK(resolved(config).endpoint.host == "h2");
    config.variables["AWS_ENDPOINT_URL"] = "http://h3";
    CHECK(resolved(config).endpoint.host == "h3");
    config.variables["AWS_ENDPOINT_URL_DYNAMODB"] = "http://h4";
    CHECK(resolved(config).endpoint.host == "h4");
    config.variables["AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"] = "true";
    CHECK(resolved(config).endpoint.host == "dynamodb.us-east-1.amazonaws.com");
    chosen_settings chosen;
    chosen.endpoint = "http://h5";
    CHECK(resolved(config, chosen).endpoint.host == "h5");
}

TEST_CASE("an override without a region is refused, because a signature needs one") {
    fake_config config;
    chosen_settings chosen;
    chosen.endpoint = "http://127.0.0.1:8000";
    const auto why = refused(config, chosen);
    CHECK_THAT(why.details.message, Catch::Contains("region"));
    CHECK_THAT(why.details.advice, Catch::Contains("AWS_REGION"));
}

TEST_CASE("FIPS and dual stack come from variables or the profile, and are true or false") {
    fake_config config;
    config.variables["AWS_REGION"] = "us-east-1";
    config.files["/home/.aws/config"] = "[default]\nuse_dualstack_endpoint = true\n";
    CHECK(resolved(config).endpoint.host == "dynamodb.us-east-1.api.aws");
    config.variables["AWS_USE_FIPS_ENDPOINT"] = "True";
    CHECK(resolved(config).endpoint.host == "dynamodb-fips.us-east-1.api.aws");
    config.variables["AWS_USE_DUALSTACK_ENDPOINT"] = "false";
    CHECK(resolved(config).endpoint.host == "dynamodb-fips.us-east-1.amazonaws.com");
    config.variables["AWS_USE_FIPS_ENDPOINT"] = "yes";
    CHECK_THAT(refused(config).details.message, Catch::Contains("AWS_USE_FIPS_ENDPOINT is 'yes'"));
}

TEST_CASE("attempts: code, AWS_MAX_ATTEMPTS, max_attempts, 4") {
    fake_config config;
    config.variables["AWS_REGION"] = "us-east-1";
    CHECK(resolved(config).attempts == 4);
    config.files["/home/.aws/config"] = "[default]\nmax_attempts = 2\n";
    CHECK(resolved(config).attempts == 2);
    config.variables["AWS_MAX_ATTEMPTS"] = "7";
    CHECK(resolved(config).attempts == 7);
    chosen_settings chosen;
    chosen.attempts = 1;
    CHECK(resolved(config, chosen).attempts == 1);
    for (const char* wrong : {"0", "-1", "many", "3x"}) {
        config.variables["AWS_MAX_ATTEMPTS"] = wrong;
        CHECK_THAT(refused(config).details.message, Catch::Contains("AWS_MAX_ATTEMPTS"));
    }
}

TEST_CASE("authorities: code, AWS_CA_BUNDLE, ca_bundle, the system's") {
    fake_config config;
    config.variables["AWS_REGION"] = "us-east-1";
    CHECK(resolved(config).ca_file.empty());
    config.files["/home/.aws/config"] = "[default]\nca_bundle = /etc/a.pem\n";
    CHECK(resolved(config).ca_file == "/etc/a.pem");
    config.variables["AWS_CA_BUNDLE"] = "/etc/b.pem";
    CHECK(resolved(config).ca_file == "/etc/b.pem");
    chosen_settings chosen;
    chosen.ca_file = "/etc/c.pem";
    CHECK(resolved(config, chosen).ca_file == "/etc/c.pem");
}

TEST_CASE("the program's name: code, AWS_SDK_UA_APP_ID, sdk_ua_app_id, none") {
    fake_config config;
    config.variables["AWS_REGION"] = "us-east-1";
    CHECK(resolved(config).application.empty());
    config.files["/home/.aws/config"] = "[default]\nsdk_ua_app_id = a\n";
    CHECK(resolved(config).application == "a");
    config.variables["AWS_SDK_UA_APP_ID"] = "b";
    CHECK(resolved(config).application == "b");
    chosen_settings chosen;
    chosen.application = "c";
    CHECK(resolved(config, chosen).application == "c");
}

TEST_CASE("a profile that is chosen but missing, or malformed, is an error here too") {
    fake_config config;
    config.variables["AWS_REGION"] = "us-east-1";
    chosen_settings chosen;
    chosen.profile = "nowhere";
    CHECK_THAT(refused(config, chosen).details.message, Catch::Contains("'nowhere'"));
    config.files["/home/.aws/config"] = "region = x\n";
    CHECK_THAT(refused(config).details.message, Catch::Contains("/home/.aws/config, line 1"));
}

TEST_CASE("an account has a host of its own only for who asks for it, and by an account that is known") {
    fake_config config;
    config.variables["AWS_REGION"] = "us-east-1";
    config.variables["AWS_ACCOUNT_ID"] = "111122223333";
    CHECK(resolved(config).endpoint.host == "dynamodb.us-east-1.amazonaws.com");
    config.variables["AWS_ACCOUNT_ID_ENDPOINT_MODE"] = "preferred";
    CHECK(resolved(config).endpoint.host == "111122223333.ddb.us-east-1.amazonaws.com");
    CHECK(resolved(config).endpoint.signing_region == "us-east-1");
    chosen_settings keys;
    keys.account_id = "444455556666";
    CHECK(resolved(config, keys).endpoint.host == "444455556666.ddb.us-east-1.amazonaws.com");
    config.variables.erase("AWS_ACCOUNT_ID");
    CHECK(resolved(config).endpoint.host == "dynamodb.us-east-1.amazonaws.com");
    config.files["/home/.aws/config"] = "[default]\naws_account_id = 777788889999\n";
    CHECK(resolved(config).endpoint.host == "777788889999.ddb.us-east-1.amazonaws.com");
    config.files.clear();
    config.variables["AWS_ACCOUNT_ID_ENDPOINT_MODE"] = "required";
    CHECK_THAT(refused(config).details.advice, Catch::Contains("AWS_ACCOUNT_ID"));
    config.variables["AWS_ACCOUNT_ID_ENDPOINT_MODE"] = "sometimes";
    CHECK_THAT(refused(config).details.message, Catch::Contains("sometimes"));
}
