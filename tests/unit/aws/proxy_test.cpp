// Which proxy a service is reached through, and which hosts go without.
// SPDX-License-Identifier: BSL-1.0
#include "aws/proxy.hpp"

#include "aws/endpoint_url.hpp"
#include "unit/aws/fake_config.hpp"

#include <catch2/catch.hpp>

#include <map>

using namespace dynalease;

namespace {

using variables = std::map<std::string, std::string, std::less<>>;

/// "host:port", with the authorization behind a blank; "direct"; or what is wrong.
std::string way(const variables& set, const std::string& url = "https://dynamodb.eu-central-1.amazonaws.com",
                const std::string& chosen = "") {
    testing_support::fake_config config;
    config.variables = set;
    const auto found = aws::resolve_proxy(aws::parse_endpoint_url(url).value(), chosen, config.source());
    if (!found) return found.error().details.message;
    if (!*found) return "direct";
    const aws::proxy& proxy = **found;
    return proxy.host + ":" + std::to_string(proxy.port) +
           (proxy.authorization.empty() ? "" : " " + proxy.authorization);
}

}  // namespace

TEST_CASE("a proxy is the code's choice, else the environment's, small letters first") {
    CHECK(way({}) == "direct");
    CHECK(way({{"HTTPS_PROXY", "http://proxy.corp:3128"}}) == "proxy.corp:3128");
    CHECK(way({{"HTTPS_PROXY", "http://proxy.corp:3128/"}}) == "proxy.corp:3128");
    CHECK(way({{"HTTPS_PROXY", "proxy.corp:3128"}}) == "proxy.corp:3128");
    CHECK(way({{"HTTPS_PROXY", "http://proxy.corp"}}) == "proxy.corp:80");
    CHECK(way({{"HTTPS_PROXY", "HTTP://[fd00::1]:3128"}}) == "fd00::1:3128");
    CHECK(way({{"HTTPS_PROXY", "http://large:1"}, {"https_proxy", "http://small:2"}}) == "small:2");
    CHECK(way({{"HTTPS_PROXY", " "}}) == "direct");
    CHECK(way({{"HTTP_PROXY", "http://proxy.corp:3128"}}) == "direct");
    const std::string aws = "https://sts.amazonaws.com";
    CHECK(way({{"HTTPS_PROXY", "http://proxy.corp:3128"}}, aws, "http://other:1") == "other:1");
    CHECK(way({{"HTTPS_PROXY", "http://proxy.corp:3128"}}, aws, "none") == "direct");
    CHECK(way({{"NO_PROXY", "*"}}, aws, "http://other:1") == "other:1");
}

TEST_CASE("a proxy's user is told to it, and to nobody else") {
    CHECK(way({{"HTTPS_PROXY", "http://Aladdin:open sesame@proxy.corp:3128"}}) ==
          "proxy.corp:3128 Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
    CHECK(way({{"HTTPS_PROXY", "http://Aladdin:open%20sesame@proxy.corp:3128"}}) ==
          "proxy.corp:3128 Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
    CHECK(way({{"HTTPS_PROXY", "http://a:p%40ss@proxy.corp:1"}}) == "proxy.corp:1 Basic YTpwQHNz");
    for (const char* url : {"http://user:hush@bad host:1", "http://user:hush@proxy:0", "http://us%4er:hu%xsh@proxy:1",
                            "http://user:hush@proxy:1/path", "https://user:hush@proxy:1"}) {
        CHECK_THAT(way({{"HTTPS_PROXY", url}}), Catch::StartsWith("HTTPS_PROXY: ") && !Catch::Contains("hush"));
    }
    CHECK_THAT(way({}, "https://sts.amazonaws.com", "https://proxy:1"), Catch::StartsWith("the option `proxy`: "));
    CHECK_THAT(way({}, "https://sts.amazonaws.com", "socks5://proxy:1"), Catch::Contains("the kind \"socks5\" is not"));
}

TEST_CASE("hosts that are listed go without a proxy") {
    const auto listed = [](const std::string& names, const std::string& url) {
        return way({{"HTTPS_PROXY", "http://proxy.corp:3128"}, {"NO_PROXY", names}}, url) == "direct";
    };
    CHECK(listed("*", "https://db.example.com"));
    CHECK(listed("db.example.com", "https://db.example.com"));
    CHECK(listed("a.test, EXAMPLE.com", "https://db.example.com"));
    CHECK(listed(".example.com", "https://db.example.com"));
    CHECK(listed("*.example.com", "https://db.example.com"));
    CHECK(listed("example.com:443", "https://db.example.com"));
    CHECK(listed("10.0.0.7", "https://10.0.0.7"));
    CHECK(listed("[2001:db8::1]:8443", "https://[2001:db8::1]:8443"));
    CHECK(listed("2001:db8::1", "https://[2001:db8::1]"));
    CHECK_FALSE(listed("", "https://db.example.com"));
    CHECK_FALSE(listed("ample.com", "https://db.example.com"));
    CHECK_FALSE(listed("b.example.com", "https://db.example.com"));
    CHECK_FALSE(listed("example.com:8443", "https://db.example.com"));
    CHECK_FALSE(listed("10.0.0.70", "https://10.0.0.7"));
    CHECK_FALSE(listed(".", "https://db.example.com"));
}

TEST_CASE("what is near, and what has no TLS, is always asked directly") {
    for (const char* url : {"http://dynamodb.example.com:8000", "https://localhost:8000", "https://127.0.0.1",
                            "https://[::1]", "https://169.254.170.23", "https://[fd00:ec2::23]"}) {
        CHECK(way({{"HTTPS_PROXY", "http://proxy.corp:3128"}}, url) == "direct");
        CHECK(way({}, url, "http://proxy.corp:3128") == "direct");
    }
}
