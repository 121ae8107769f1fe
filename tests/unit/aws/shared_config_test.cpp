// The grammar of the shared files, by the cross-SDK vectors.
// SPDX-License-Identifier: BSL-1.0
#include "aws/shared_config.hpp"

#include "unit/aws/vectors.hpp"

#include <catch2/catch.hpp>

namespace {

using namespace dynalease;
using namespace dynalease::aws;

result<shared_config> parse(const vectors::json& input) {
    const std::string config = input.text_of("configFile");
    const std::string credentials = input.text_of("credentialsFile");
    return parse_shared_config({config, "config"}, {credentials, "credentials"});
}

// The parsed sections in the form of the vectors: a nested property is an object.
void check_sections(const config_sections& parsed, const vectors::json& expected) {
    REQUIRE(parsed.size() == expected.members.size());
    for (const auto& [name, properties] : expected.members) {
        INFO(name);
        const auto found = parsed.find(name);
        REQUIRE(found != parsed.end());
        REQUIRE(found->second.size() == properties.members.size());
        for (const auto& [key, value] : properties.members) {
            const auto property = found->second.find(key);
            REQUIRE(property != found->second.end());
            CHECK(property->second.value == value.text);
            CHECK(property->second.nested == vectors::strings_of(value));
        }
    }
}

}  // namespace

TEST_CASE("all 118 shared parser vectors hold") {
    const auto document = vectors::read_json("profile/smithy-java/config-file-parser-tests.json");
    const auto& cases = document["tests"];
    REQUIRE(cases.items.size() == 118);
    for (const auto& at : cases.items) {
        INFO(at["name"].text);
        const auto parsed = parse(at["input"]);
        const auto& output = at["output"];
        if (output.has("errorContaining")) {
            REQUIRE(parsed.has_error());
            CHECK(parsed.error().code == errc::invalid_option);
            CHECK_THAT(parsed.error().details.message, Catch::Contains(output["errorContaining"].text));
            continue;
        }
        REQUIRE(parsed.has_value());
        if (output.has("profiles")) check_sections(parsed->profiles, output["profiles"]);
        if (output.has("ssoSessions")) check_sections(parsed->sso_sessions, output["ssoSessions"]);
    }
}

TEST_CASE("the 65 older parser vectors hold but for their form of sub-properties and wording of errors") {
    const auto document = vectors::read_json("profile/smithy-rs/profile-parser-tests.json");
    const auto& cases = document["tests"];
    REQUIRE(cases.items.size() == 65);
    unsigned superseded = 0;
    for (const auto& at : cases.items) {
        INFO(at["name"].text);
        const auto parsed = parse(at["input"]);
        const auto& output = at["output"];
        REQUIRE(parsed.has_error() == output.has("errorContaining"));
        if (parsed.has_error()) continue;
        // They keep sub-properties as one text that starts with a line end; the 118 have the same inputs as objects.
        if (at["input"].text_of("configFile").find("s3 =") != std::string::npos) {
            ++superseded;
            continue;
        }
        const auto& config = output["config"];
        check_sections(parsed->profiles, config["profiles"]);
        if (config.has("sso_sessions")) check_sections(parsed->sso_sessions, config["sso_sessions"]);
    }
    CHECK(superseded == 4);
}

TEST_CASE("an error names file and line") {
    const auto parsed = parse_shared_config({"[default]\nregion = x\n", "/home/.aws/config"},
                                            {"# keys\n[default]\nkey\n", "/home/.aws/credentials"});
    REQUIRE(parsed.has_error());
    CHECK(parsed.error().details.message == "/home/.aws/credentials, line 3: Expected an '=' sign defining a property");
}

TEST_CASE("service sections keep their nested endpoints") {
    const auto parsed =
        parse_shared_config({"[services mine]\ndynamodb =\n  endpoint_url = http://127.0.0.1:8000\n", "config"}, {});
    REQUIRE(parsed.has_value());
    CHECK(parsed->services.at("mine").at("dynamodb").nested.at("endpoint_url") == "http://127.0.0.1:8000");
}

TEST_CASE("every prefix of a file is either parsed or refused with a line of it") {
    const std::string text =
        "[default]\r\nregion = eu-central-1 ; home\n[profile a]\ns3 =\n  max = 3\n\nrole_arn = x\n  more\n[services "
        "s]\n";
    for (std::size_t size = 0; size <= text.size(); ++size) {
        const auto parsed = parse_shared_config({std::string_view{text}.substr(0, size), "f"}, {});
        if (parsed.has_error()) CHECK_THAT(parsed.error().details.message, Catch::StartsWith("f, line "));
    }
}
