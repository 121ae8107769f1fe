// The server's side: what it accepts, and what it says to everything else.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/aws/signature_verifier.hpp>

#include <catch2/catch.hpp>

#include <random>

namespace {

using namespace dynalease;
using namespace dynalease::aws;
using namespace std::chrono_literals;

const wall_time now = parse_iso8601("2026-03-01T00:02:00Z").value();
const credentials pair{"local", "local-secret"};

// A signed request that owns its strings, so that a test may spoil any of them.
struct signed_request {
    std::string body = R"({"TableName":"locks"})";
    std::vector<std::pair<std::string, std::string>> headers{{"Host", "127.0.0.1:8000"},
                                                             {"Content-Type", "application/x-amz-json-1.0"},
                                                             {"X-Amz-Target", "DynamoDB_20120810.GetItem"},
                                                             {"User-Agent", "any"}};

    explicit signed_request(const credentials& who = pair, wall_time when = now, std::string service = "dynamodb") {
        sigv4_options options;
        options.region = "eu-west-3";
        options.service = std::move(service);
        const auto made = sigv4_sign(view(), who, when, options);
        for (const auto& [name, value] : made.added) headers.emplace_back(name, value);
    }

    std::string& header(std::string_view name) {
        for (auto& [key, value] : headers) {
            if (key == name) return value;
        }
        throw std::out_of_range("no such header");
    }

    void remove(std::string_view name) {
        std::erase_if(headers, [&](const auto& header) { return header.first == name; });
    }

    request_view view() const {
        request_view out;
        for (const auto& [name, value] : headers) out.headers.push_back({name, value});
        out.body = body;
        return out;
    }
};

signature_check check(const signed_request& request, wall_time at = now) {
    return signature_verifier{pair}.check(request.view(), at);
}

void replace(std::string& text, std::string_view what, std::string_view with) {
    text.replace(text.find(what), what.size(), with);
}

}  // namespace

TEST_CASE("a request signed with the right keys passes, also in another region and with a changed User-Agent") {
    signed_request request;
    request.header("User-Agent") = "a proxy's";
    const auto result = check(request);
    CHECK(result.verdict == signature_verdict::ok);
    CHECK(result.error.empty());
}

TEST_CASE("a request signed by the client's fast path passes") {
    request_signer signer{"us-east-1"};
    const std::string body = "{}";
    const auto made = signer.sign(pair, now, {"localhost:8000", "application/x-amz-json-1.0", "DynamoDB.X", body});
    request_view request;
    request.headers = {{"Authorization", made.authorization},
                       {"host", "localhost:8000"},
                       {"content-type", "application/x-amz-json-1.0"},
                       {"x-amz-date", made.amz_date},
                       {"x-amz-target", "DynamoDB.X"}};
    request.body = body;
    CHECK(signature_verifier{pair}.check(request, now).verdict == signature_verdict::ok);
}

TEST_CASE("an unsigned request is told that the token is missing") {
    signed_request request;
    request.remove("Authorization");
    CHECK(check(request).verdict == signature_verdict::missing);
    CHECK(check(request).error == "MissingAuthenticationTokenException");
    CHECK(check(request).message == "Request is missing Authentication Token");
    request.headers.emplace_back("Authorization", "Basic bG9jYWw6bG9jYWw=");
    CHECK(check(request).verdict == signature_verdict::missing);
}

TEST_CASE("what an incomplete header lacks is named, all of it at once") {
    signed_request request;
    request.header("Authorization") = "AWS4-HMAC-SHA256 Credential=local/20260301/x/dynamodb/aws4_request";
    request.remove("X-Amz-Date");
    const auto result = check(request);
    CHECK(result.verdict == signature_verdict::incomplete);
    CHECK(result.error == "IncompleteSignatureException");
    CHECK(result.message ==
          "Authorization header requires 'Signature' parameter. Authorization header requires 'SignedHeaders' "
          "parameter. Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. "
          "Authorization=AWS4-HMAC-SHA256 Credential=local/20260301/x/dynamodb/aws4_request");
}

TEST_CASE("a malformed credential or date is incomplete") {
    signed_request request;
    SECTION("credential") {
        replace(request.header("Authorization"), "/aws4_request", "");
    }
    SECTION("terminator") {
        replace(request.header("Authorization"), "/aws4_request", "/aws5_request");
    }
    SECTION("date") {
        request.header("X-Amz-Date") = "yesterday";
    }
    SECTION("algorithm") {
        replace(request.header("Authorization"), "AWS4-HMAC-SHA256", "AWS4-HMAC-SHA1");
    }
    CHECK(check(request).verdict == signature_verdict::incomplete);
}

TEST_CASE("an unknown key or session token is not recognized") {
    CHECK(check(signed_request{{"other", "local-secret"}}).error == "UnrecognizedClientException");
    CHECK(check(signed_request{{"other", "local-secret"}}).message ==
          "The security token included in the request is invalid.");
    CHECK(check(signed_request{{"local", "local-secret", "token"}}).verdict == signature_verdict::unknown_key);
}

TEST_CASE("a verifier with a session token wants just that token") {
    const credentials temporary{"local", "local-secret", "token"};
    signature_verifier verifier{temporary};
    CHECK(verifier.check(signed_request{temporary}.view(), now).verdict == signature_verdict::ok);
    CHECK(verifier.check(signed_request{}.view(), now).verdict == signature_verdict::unknown_key);
}

TEST_CASE("a wrong secret, a changed body or a changed signed header is a wrong signature") {
    signed_request request;
    SECTION("secret") {
        request = signed_request{{"local", "wrong"}};
    }
    SECTION("body") {
        request.body += ' ';
    }
    SECTION("host") {
        request.header("Host") = "127.0.0.1:8001";
    }
    SECTION("operation") {
        request.header("X-Amz-Target") = "DynamoDB_20120810.DeleteTable";
    }
    SECTION("second header of a signed name") {
        request.headers.emplace_back("x-amz-target", "another");
    }
    SECTION("signed header gone") {
        request.remove("Content-Type");
    }
    SECTION("service") {
        request = signed_request{pair, now, "sts"};
    }
    SECTION("another second") {
        request.header("X-Amz-Date") = "20260301T000201Z";
    }
    SECTION("another day") {
        request.header("X-Amz-Date") = "20260228T235900Z";
    }
    SECTION("host not signed") {
        replace(request.header("Authorization"), "host;", "");
    }
    SECTION("date not signed") {
        replace(request.header("Authorization"), "x-amz-date;", "");
    }
    const auto result = check(request);
    CHECK(result.verdict == signature_verdict::wrong_signature);
    CHECK(result.error == "InvalidSignatureException");
}

TEST_CASE("any spoilt character of the signature is refused") {
    std::mt19937 chance(7);
    for (int round = 0; round < 200; ++round) {
        signed_request request;
        std::string& text = request.header("Authorization");
        char& digit = text[text.size() - 1 - chance() % 64];
        digit = digit == 'f' ? '0' : 'f';
        REQUIRE(check(request).verdict == signature_verdict::wrong_signature);
    }
}

TEST_CASE("the window is five minutes to each side, bounds included") {
    const signed_request request;
    CHECK(check(request, now + 5min).verdict == signature_verdict::ok);
    CHECK(check(request, now - 5min).verdict == signature_verdict::ok);

    const auto late = check(request, now + 5min + 1s);
    CHECK(late.verdict == signature_verdict::expired);
    CHECK(late.error == "InvalidSignatureException");
    CHECK(late.message ==
          "Signature expired: 20260301T000200Z is now earlier than 20260301T000201Z (20260301T000701Z - 5 min.)");

    const auto early = check(request, now - 5min - 1s);
    CHECK(early.verdict == signature_verdict::not_yet_current);
    CHECK(
        early.message ==
        "Signature not yet current: 20260301T000200Z is still later than 20260301T000159Z (20260228T235659Z + 5 min.)");
}
