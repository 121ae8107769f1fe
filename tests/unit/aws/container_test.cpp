// Where a container's keys are, by the vectors, and what must not be asked for them.
// SPDX-License-Identifier: BSL-1.0
#include "aws/container.hpp"

#include "unit/aws/fake_config.hpp"
#include "unit/aws/vectors.hpp"

#include <catch2/catch.hpp>

namespace {

using namespace dynalease;
using namespace dynalease::aws;
using testing_support::fake_config;

std::string header_of(const web_request& request, const std::string& name) {
    for (const auto& header : request.headers) {
        if (header.name == name) return header.value;
    }
    return {};
}

}  // namespace

TEST_CASE("the 11 container URI vectors hold") {
    const auto document = vectors::read_json("profile/smithy-rs/ecs-tests.json");
    REQUIRE(document["tests"].items.size() == 11);
    for (const auto& at : document["tests"].items) {
        INFO(at["docs"].text);
        fake_config config;
        config.variables = vectors::strings_of(at["env"]);
        const auto request = container_request(config.source());
        if (config.variables.empty()) {
            CHECK((request.has_value() && !request->has_value()));
        } else if (at["result"].has("Ok")) {
            REQUIRE(request.has_value());
            CHECK((*request)->url() == at["result"]["Ok"].text);
        } else {
            REQUIRE(request.has_error());
            CHECK(request.error().code == errc::no_credentials);
        }
    }
}

TEST_CASE("the 13 vectors of hosts and tokens hold") {
    const auto document = vectors::read_json("profile/aws-sdk-php/ecs-uri-token-resolution.json");
    REQUIRE(document.items.size() == 13);
    for (const auto& at : document.items) {
        INFO(at["description"].text);
        fake_config config;
        config.variables = vectors::strings_of(at["env"]);
        if (const auto* token = at.find("token_file"); token != nullptr && token->has("content")) {
            config.files[config.variables["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"]] = token->text_of("content");
        }
        const auto request = container_request(config.source());
        const auto& expected = at["expect"];
        REQUIRE(request.has_value() == (expected["type"].text == "success"));
        if (!request) continue;
        CHECK((*request)->method == "GET");
        CHECK((*request)->url() == expected["request"]["uri"].text);
        CHECK(header_of(**request, "Authorization") == expected["request"]["headers"].text_of("Authorization"));
    }
}

TEST_CASE("a token is read anew each time, without the line end of its file, and must be one line") {
    fake_config config;
    config.variables = {{"AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://169.254.170.23/v1/credentials"},
                        {"AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "/token"},
                        {"AWS_CONTAINER_AUTHORIZATION_TOKEN", "not this one"}};
    config.files["/token"] = "first\n";
    CHECK(header_of(**container_request(config.source()), "Authorization") == "first");
    config.files["/token"] = "second";
    CHECK(header_of(**container_request(config.source()), "Authorization") == "second");
    config.files["/token"] = "hush\r\nX-Evil: 1";
    const auto refused = container_request(config.source());
    REQUIRE(refused.has_error());
    CHECK_THAT(refused.error().details.message, Catch::Contains("/token") && !Catch::Contains("hush"));
}

TEST_CASE("no host that only looks like this machine is asked over plain HTTP") {
    for (const char* host : {"127.evil.com", "127.0.0.1.evil.com", "localhost.evil.com", "128.0.0.1", "127.0.0",
                             "127.0.0.256", "127.1", "[::2]", "169.254.170.24", "user@127.0.0.1", "0x7f.0.0.1"}) {
        INFO(host);
        fake_config config;
        config.variables["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = "http://" + std::string{host} + "/keys";
        const auto refused = container_request(config.source());
        REQUIRE(refused.has_error());
        CHECK(refused.error().code == errc::no_credentials);
    }
}
