// Endpoints given as URLs, and regions that are none.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/aws/endpoint.hpp>

#include <catch2/catch.hpp>

namespace {

using namespace dynalease;
using namespace dynalease::aws;

result<endpoint> at(std::string url, std::string region = "eu-central-1") {
    return resolve_endpoint({std::move(region), std::move(url)});
}

}  // namespace

TEST_CASE("an override names scheme, host and port; the header carries only an unusual port") {
    struct expectation {
        const char* url;
        bool tls;
        const char* host;
        unsigned port;
        const char* header;
    };
    const expectation cases[] = {
        {"http://127.0.0.1:8000", false, "127.0.0.1", 8000, "127.0.0.1:8000"},
        {"http://127.0.0.1:80/", false, "127.0.0.1", 80, "127.0.0.1"},
        {"https://db.Example.com", true, "db.example.com", 443, "db.example.com"},
        {"HTTPS://example.com:443", true, "example.com", 443, "example.com"},
        {"https://example.com:80", true, "example.com", 80, "example.com:80"},
        {"http://[::1]:8000", false, "::1", 8000, "[::1]:8000"},
        {"http://[fd00:ec2::23]", false, "fd00:ec2::23", 80, "[fd00:ec2::23]"},
        {"http://dynamodb_local:8000", false, "dynamodb_local", 8000, "dynamodb_local:8000"},
    };
    for (const auto& expected : cases) {
        INFO(expected.url);
        const auto found = at(expected.url);
        REQUIRE(found.has_value());
        CHECK(found->tls == expected.tls);
        CHECK(found->host == expected.host);
        CHECK(found->port == expected.port);
        CHECK(found->host_header == expected.header);
        CHECK(found->signing_region == "eu-central-1");
        CHECK(at(found->url())->host_header == found->host_header);
    }
}

TEST_CASE("garbage for a URL is an invalid option that is quoted") {
    for (const char* url : {"localhost:8000",    "ftp://example.com", "http://",          "http:///",
                            "http://:8000",      "http://a b",        "http://host:",     "http://host:0",
                            "http://host:65536", "http://host:80x",   "http://host:-1",   "http://host:8000:1",
                            "http://host/path",  "http://host?x=1",   "http://host#x",    "http://[::1",
                            "http://[]",         "http://[nonsense]", "http://[::1]8000", "http://-host",
                            "http://host-",      "http://a..b",       "http://.a",        "http://a\r\nHost: b",
                            "http://host\x01",   "://host",           "http//host"}) {
        INFO(url);
        const auto found = at(url);
        REQUIRE(found.has_error());
        CHECK(found.error().code == errc::invalid_option);
        CHECK_THAT(found.error().details.message, Catch::Contains(url));
        CHECK_FALSE(found.error().details.advice.empty());
    }
}

TEST_CASE("a password in a URL is refused and not repeated") {
    for (const char* url : {"http://me:hunter2@host", "me:hunter2@host:8000", "ftp://me:hunter2@host/",
                            "HTTPS:/me:hunter2@host", "http://me:hunter2@ho st"}) {
        INFO(url);
        const auto found = at(url);
        REQUIRE(found.has_error());
        CHECK_THAT(found.error().details.message, !Catch::Contains("hunter2") && Catch::Contains("password"));
    }
}

TEST_CASE("a region that is none is refused, as it would become part of a host name") {
    for (const char* region :
         {"eu central 1", "eu-central-1.evil.com", "-eu", "eu-", "EU-CENTRAL-1", "eu/central", "a\n", "us-east-1@x",
          "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}) {
        INFO(region);
        const auto found = at("", region);
        REQUIRE(found.has_error());
        CHECK(found.error().code == errc::invalid_option);
        CHECK_THAT(found.error().details.message, Catch::Contains(region));
    }
}

TEST_CASE("region local signs for a region of AWS, also with an override") {
    CHECK(at("", "local")->host_header == "localhost:8000");
    CHECK(at("", "local")->signing_region == "us-east-1");
    CHECK(at("http://127.0.0.1:4567", "local")->signing_region == "us-east-1");
}

TEST_CASE("a region nobody has heard of lies in the standard partition") {
    CHECK(at("", "moon-1")->host == "dynamodb.moon-1.amazonaws.com");
}
