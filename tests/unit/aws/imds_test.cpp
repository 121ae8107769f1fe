// Where the instance metadata service is, and the way to the keys, by the vectors.
// SPDX-License-Identifier: BSL-1.0
#include "aws/imds.hpp"

#include "unit/aws/fake_config.hpp"
#include "unit/aws/vectors.hpp"

#include <catch2/catch.hpp>

namespace {

using namespace dynalease;
using namespace dynalease::aws;
using testing_support::fake_config;

result<imds_settings> settings_of(const fake_config& config) {
    const auto profile = load_profile(config.source(), "");
    REQUIRE(profile.has_value());
    return resolve_imds(config.source(), *profile);
}

/// One fetch along the path, with answers by turns.
std::string fetch(imds_path& path, const vectors::json& answers, std::size_t& next) {
    path.begin();
    for (;;) {
        REQUIRE(next < answers.items.size());
        const auto& at = answers.items[next++];
        CHECK(path.path() == at["get"].text);
        const auto& response = at["response"];
        const auto status = static_cast<unsigned>(std::stoul(response["status"].text));
        switch (path.answered(status, response.text_of("body"))) {
            case imds_path::step::ask_again:
                continue;
            case imds_path::step::keys:
                return "credentials";
            case imds_path::step::no_role:
                return "invalid profile";
        }
    }
}

}  // namespace

TEST_CASE("the 13 vectors of the extended path hold") {
    const auto document = vectors::read_json("profile/smithy-java/imds-v21-tests.json");
    REQUIRE(document.items.size() == 13);
    for (const auto& at : document.items) {
        INFO(at["summary"].text);
        fake_config config;
        const auto& given = at["config"];
        if (given.has("envVars")) config.variables = vectors::strings_of(given["envVars"]);
        const auto role = given.text_of("ec2InstanceProfileName");
        if (!role.empty()) config.variables["AWS_EC2_INSTANCE_PROFILE_NAME"] = role;
        const auto settings = settings_of(config);
        REQUIRE(settings.has_value());
        imds_path path{settings->role};
        std::size_t next = 0;
        for (const auto& outcome : at["outcomes"].items) {
            const auto& expected = outcome["result"].text;
            if (expected == "no credentials") {
                CHECK(settings->disabled);
            } else {
                CHECK(fetch(path, at["expectations"], next) == expected);
            }
        }
        CHECK(next == at["expectations"].items.size());
    }
}

TEST_CASE("12 of the 14 endpoint vectors hold; the others choose in code, where we have no such option") {
    const auto document = vectors::read_json("profile/smithy-rs/imds-endpoint-tests.json");
    unsigned ran = 0;
    unsigned in_code = 0;
    for (const auto& at : document["tests"].items) {
        INFO(at["docs"].text);
        fake_config config;
        config.variables = vectors::strings_of(at["env"]);
        config.files = vectors::strings_of(at["fs"]);
        const bool by_variable = config.variables.contains("AWS_EC2_METADATA_SERVICE_ENDPOINT");
        if (at.has("endpoint_override") || (at.has("mode_override") && !by_variable)) {
            ++in_code;
            continue;
        }
        ++ran;
        const auto settings = settings_of(config);
        REQUIRE(settings.has_value() == at["result"].has("Ok"));
        if (settings) {
            CHECK(imds_token_request(*settings).url() == at["result"]["Ok"].text);
        } else {
            CHECK(settings.error().code == errc::invalid_option);
        }
    }
    CHECK(ran == 12);
    CHECK(in_code == 2);
}

TEST_CASE("a role that would not stay one part of the path is refused") {
    for (const char* role : {"two words", "a/b", "a?b", "a#b", "a\nX-Header: b", "a\x01", "\xc3\xa9"}) {
        INFO(role);
        fake_config config;
        config.variables["AWS_EC2_INSTANCE_PROFILE_NAME"] = role;
        const auto settings = settings_of(config);
        REQUIRE(settings.has_error());
        CHECK(settings.error().code == errc::invalid_option);
        CHECK_THAT(settings.error().details.message, Catch::Contains("AWS_EC2_INSTANCE_PROFILE_NAME"));
    }
}

TEST_CASE("the list of roles: the first line counts, and nothing that could lead elsewhere") {
    imds_path path{""};
    path.begin();
    CHECK(path.answered(200, "a-role\nanother\n") == imds_path::step::ask_again);
    CHECK_THAT(path.path(), Catch::EndsWith("/a-role"));
    for (const char* list : {"", "\n", "../../token", "a b", "x?y"}) {
        imds_path hostile{""};
        hostile.begin();
        CHECK(hostile.answered(200, list) == imds_path::step::no_role);
    }
}

TEST_CASE("how long an instance's service is tried: as the operator says, in whole seconds") {
    fake_config config;
    CHECK_FALSE(settings_of(config).value().limit);
    CHECK_FALSE(settings_of(config).value().attempts);
    config.files["/home/.aws/config"] = "[default]\nmetadata_service_timeout = 5\nmetadata_service_num_attempts = 2\n";
    CHECK(settings_of(config).value().limit == std::chrono::seconds(5));
    CHECK(settings_of(config).value().attempts == 2U);
    config.variables["AWS_METADATA_SERVICE_TIMEOUT"] = "7";
    config.variables["AWS_METADATA_SERVICE_NUM_ATTEMPTS"] = "9";
    CHECK(settings_of(config).value().limit == std::chrono::seconds(7));
    CHECK(settings_of(config).value().attempts == 9U);
    for (const char* wrong : {"0", "soon", "1.5", "3601"}) {
        config.variables["AWS_METADATA_SERVICE_TIMEOUT"] = wrong;
        const auto refused = settings_of(config);
        REQUIRE_FALSE(refused.has_value());
        CHECK_THAT(refused.error().details.message, Catch::Contains("AWS_METADATA_SERVICE_TIMEOUT"));
    }
}
