// Which files and which profile: the location vectors, and what happens to a profile that is not there.
// SPDX-License-Identifier: BSL-1.0
#include "aws/profile.hpp"

#include "unit/aws/fake_config.hpp"
#include "unit/aws/vectors.hpp"

#include <catch2/catch.hpp>

namespace {

using namespace dynalease;
using namespace dynalease::aws;
using testing_support::fake_config;

// The cases for Windows are left out: the library's platforms are POSIX.
unsigned run_locations(const std::string& file) {
    const auto document = vectors::read_json(file);
    unsigned ran = 0;
    for (const auto& at : document["tests"].items) {
        if (at.text_of("platform") != "linux") continue;
        INFO(at["name"].text);
        fake_config config;
        config.variables = vectors::strings_of(at["environment"]);
        config.home = at.text_of("languageSpecificHome");
        const auto location = locate_profile(config.source(), "");
        CHECK(location.config_file == at.text_of("configLocation"));
        CHECK(location.credentials_file == at.text_of("credentialsLocation"));
        if (at.has("profile")) CHECK(location.name == at.text_of("profile"));
        ++ran;
    }
    return ran;
}

}  // namespace

TEST_CASE("the location vectors hold") {
    CHECK(run_locations("profile/smithy-java/config-file-location-tests.json") == 4);
    CHECK(run_locations("profile/smithy-rs/file-location-tests.json") == 4);
}

TEST_CASE("a leading tilde in a file's place is the home") {
    fake_config config;
    config.variables["AWS_CONFIG_FILE"] = "~/elsewhere";
    CHECK(locate_profile(config.source(), "").config_file == "/home/elsewhere");
}

TEST_CASE("the profile named in code goes before AWS_PROFILE") {
    fake_config config;
    config.variables["AWS_PROFILE"] = "other";
    CHECK(locate_profile(config.source(), "mine").name == "mine");
}

TEST_CASE("no files at all are as good as empty ones, unless a profile was chosen") {
    fake_config config;
    const auto none = load_profile(config.source(), "");
    REQUIRE(none.has_value());
    CHECK(none->properties.empty());

    config.files["/home/.aws/config"] = "[profile other]\nregion = eu-west-1\n";
    const auto chosen = load_profile(config.source(), "mine");
    REQUIRE(chosen.has_error());
    CHECK(chosen.error().code == errc::invalid_option);
    CHECK_THAT(chosen.error().details.message, Catch::Contains("'mine'") && Catch::Contains("/home/.aws/config"));
    CHECK(load_profile(config.source(), "other").has_value());
}

TEST_CASE("a file that cannot be read is an error, one that is not there is none") {
    const auto source = config_source::process();
    const auto absent = source.file(DYNALEASE_TEST_DATA "/profile/no-such-file");
    REQUIRE(absent.has_value());
    CHECK_FALSE(absent->has_value());
    CHECK(source.file(DYNALEASE_TEST_DATA "/profile/README.md").value().has_value());
    const auto directory = source.file(DYNALEASE_TEST_DATA "/profile");
    REQUIRE(directory.has_error());
    CHECK_THAT(directory.error().details.message, Catch::Contains("/profile"));
}
