// The command line of dynalease-local.
// SPDX-License-Identifier: BSL-1.0
#include "local/arguments.hpp"

#include <catch2/catch.hpp>

#include <vector>

namespace dynalease::local::test {

namespace {

arguments parse(const std::vector<const char*>& words) {
    return parse_arguments(words);
}

}  // namespace

TEST_CASE("arguments are taken with a blank or an equals sign") {
    const auto result = parse({"--port", "8000", "--address", "::1", "--access-key=me", "--secret-key", "s=ecret",
                               "--anyone", "--latency=5"});
    CHECK(result.fault.empty());
    CHECK(result.options.port == 8000);
    CHECK(result.options.address == "::1");
    CHECK(result.options.access_key == "me");
    CHECK(result.options.secret_key == "s=ecret");
    CHECK(result.options.anyone);
    CHECK_FALSE(result.options.older_words);
    CHECK(result.options.latency == std::chrono::milliseconds(5));
    CHECK(result.has_port);
    CHECK_FALSE(result.help);
    CHECK_FALSE(result.version);
    CHECK(parse({"--file", "tables.db"}).file == "tables.db");
    CHECK(parse({"--version"}).version);
    CHECK(parse({"--older-words"}).options.older_words);
}

TEST_CASE("without arguments: no port asked for, no file, keys local and local") {
    const auto result = parse({});
    CHECK(result.fault.empty());
    CHECK_FALSE(result.has_port);
    CHECK(result.file.empty());
    CHECK(result.options.address == "127.0.0.1");
    CHECK(result.options.access_key == "local");
    CHECK(result.options.secret_key == "local");
    CHECK_FALSE(result.options.anyone);
}

TEST_CASE("a secret key may come from the environment, and one on the command line counts for more") {
    const auto secret = [](const std::vector<const char*>& words, const char* variable) {
        return parse_arguments(words, variable).options.secret_key;
    };
    CHECK(secret({}, nullptr) == "local");
    CHECK(secret({}, "s=ecret") == "s=ecret");
    CHECK(secret({"--secret-key", "other"}, "s=ecret") == "other");
    CHECK(warning_of(parse_arguments(std::vector<const char*>{"--address", "::"}, "s=ecret").options).empty());
    CHECK(secret({}, "") == "local");
}

TEST_CASE("whoever opens the server to others with keys that everybody knows is warned") {
    const auto warning = [](const std::vector<const char*>& words) { return warning_of(parse(words).options); };
    CHECK(warning({}).empty());
    CHECK(warning({"--anyone"}).empty());
    CHECK(warning({"--address", "127.0.0.2"}).empty());
    CHECK(warning({"--address", "::1", "--anyone"}).empty());
    CHECK(warning({"--address", "localhost", "--anyone"}).empty());
    CHECK_THAT(warning({"--address", "0.0.0.0"}), Catch::Contains("--secret-key"));
    CHECK_THAT(warning({"--address", "::"}), Catch::Contains("--secret-key"));
    CHECK_THAT(warning({"--address", "0.0.0.0", "--anyone", "--secret-key", "x"}), Catch::Contains("--anyone"));
    CHECK(warning({"--address", "0.0.0.0", "--secret-key", "x"}).empty());
    CHECK(parse({"--cors", "none"}).options.cors == "none");
}

TEST_CASE("misfortunes are taken as shares") {
    const auto result = parse({"--throttle", "0.25", "--fail=0.5", "--conflict=1", "--seed", "7"});
    CHECK(result.fault.empty());
    CHECK(result.options.faults.throttled == 0.25);
    CHECK(result.options.faults.failed == 0.5);
    CHECK(result.options.faults.conflicting == 1);
    CHECK(result.options.faults.seed == 7);
}

TEST_CASE("bad arguments are named") {
    CHECK_THAT(parse({"--port"}).fault, Catch::Contains("--port wants a value"));
    CHECK_THAT(parse({"--port", "65536"}).fault, Catch::Contains("--port takes a number"));
    CHECK_THAT(parse({"--port", "-1"}).fault, Catch::Contains("--port takes a number"));
    CHECK_THAT(parse({"--port", "80x"}).fault, Catch::Contains("--port takes a number"));
    CHECK_THAT(parse({"--latency", "soon"}).fault, Catch::Contains("--latency takes milliseconds"));
    CHECK_THAT(parse({"--access-key="}).fault, Catch::Contains("--access-key must not be empty"));
    CHECK_THAT(parse({"--prot", "1"}).fault, Catch::Contains("unknown argument --prot"));
    CHECK_THAT(parse({"8000"}).fault, Catch::Contains("unknown argument 8000"));
    CHECK(parse({"--help"}).help);
    CHECK_THAT(parse({"--throttle", "1.5"}).fault, Catch::Contains("--throttle takes a share from 0 to 1"));
    CHECK_THAT(parse({"--fail", "often"}).fault, Catch::Contains("--fail takes a share"));
    CHECK_THAT(parse({"--cors="}).fault, Catch::Contains("--cors must not be empty"));
    for (const char* option :
         {"--port", "--address", "--access-key", "--secret-key", "--anyone", "--cors", "--latency", "--help",
          "--version", "--file", "--throttle", "--fail", "--conflict", "--seed", "--older-words"}) {
        CHECK_THAT(std::string(help_text()), Catch::Contains(option));
    }
}

}  // namespace dynalease::local::test
