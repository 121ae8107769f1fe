// The server takes requests that are signed with its keys, just now, and no others.
// SPDX-License-Identifier: BSL-1.0
#include "unit/local/http/http_peer.hpp"

#include <catch2/catch.hpp>

namespace dynalease::local::test {

namespace {

http_answer ask(const std::string& request, server_options options = {}) {
    running_server server(std::move(options));
    return peer(server.port()).ask(request);
}

void check_refused(const http_answer& answer, const char* name) {
    CHECK(answer.status == 400);
    CHECK_THAT(answer.body, Catch::Contains("#" + std::string(name) + "\""));
    CHECK_THAT(answer.body, Catch::Contains("\"message\":\""));
}

std::string without_line(std::string request, const std::string& name) {
    const auto at = request.find(name);
    request.erase(at, request.find("\r\n", at) + 2 - at);
    return request;
}

}  // namespace

TEST_CASE("a request signed with the server's keys is answered") {
    CHECK(ask(signed_request("ListTables", "{}")).body == R"({"TableNames":[]})");
    server_options options;
    options.access_key = "AKIAOTHER";
    options.secret_key = "other+secret/";
    CHECK(ask(signed_request("ListTables", "{}", {{"AKIAOTHER", "other+secret/"}}), options).status == 200);
}

TEST_CASE("a wrong secret, a changed body and a changed operation break the signature") {
    check_refused(ask(signed_request("ListTables", "{}", {{"local", "wrong"}})), "InvalidSignatureException");
    std::string changed = signed_request("ListTables", R"({"Limit":1})");
    changed.replace(changed.find("\"Limit\":1"), 9, "\"Limit\":2");
    check_refused(ask(changed), "InvalidSignatureException");
    std::string other = signed_request("ListTables", "{}");
    other.replace(other.find("ListTables"), 10, "DescribeLimits");
    check_refused(ask(other), "InvalidSignatureException");
}

TEST_CASE("an unknown key, an unexpected token, no signature, and half of one") {
    check_refused(ask(signed_request("ListTables", "{}", {{"nobody", "local"}})), "UnrecognizedClientException");
    check_refused(ask(signed_request("ListTables", "{}", {{"local", "local", "token"}})),
                  "UnrecognizedClientException");
    check_refused(ask(without_line(signed_request("ListTables", "{}"), "Authorization")),
                  "MissingAuthenticationTokenException");
    check_refused(ask(without_line(signed_request("ListTables", "{}"), "X-Amz-Date")), "IncompleteSignatureException");
}

TEST_CASE("whoever comes with keys of his own is told how to be let in") {
    CHECK_THAT(ask(signed_request("ListTables", "{}", {{"nobody", "local"}})).body,
               Catch::Contains("--access-key") && Catch::Contains("--anyone"));
}

TEST_CASE("a host that is signed without its port is taken, and another's is not") {
    const auto with_host = [](const std::string& host) {
        std::string text = signed_request("ListTables", "{}");
        const auto at = text.find("\r\nHost: ") + 8;
        return text.replace(at, text.find("\r\n", at) - at, host);
    };
    const std::string signed_host = http_answer{0, signed_request("ListTables", "{}"), ""}.header("Host");
    REQUIRE(signed_host.find(':') == std::string::npos);
    CHECK(ask(with_host(signed_host + ":8000")).status == 200);
    check_refused(ask(with_host("other.test:8000")), "InvalidSignatureException");
}

TEST_CASE("a server listens on localhost by that name") {
    server_options options;
    options.address = "localhost";
    CHECK(ask(signed_request("ListTables", "{}"), options).status == 200);
}

TEST_CASE("a signature is good for five minutes on either side") {
    CHECK(ask(signed_request("ListTables", "{}", {{"local", "local"}, now() - std::chrono::minutes(4)})).status == 200);
    CHECK(ask(signed_request("ListTables", "{}", {{"local", "local"}, now() + std::chrono::minutes(4)})).status == 200);
    const auto late = ask(signed_request("ListTables", "{}", {{"local", "local"}, now() - std::chrono::minutes(6)}));
    check_refused(late, "InvalidSignatureException");
    CHECK_THAT(late.body, Catch::Contains("Signature expired"));
    const auto early = ask(signed_request("ListTables", "{}", {{"local", "local"}, now() + std::chrono::minutes(6)}));
    check_refused(early, "InvalidSignatureException");
    CHECK_THAT(early.body, Catch::Contains("Signature not yet current"));
}

TEST_CASE("a server for anyone checks nothing") {
    server_options options;
    options.anyone = true;
    CHECK(ask(signed_request("ListTables", "{}", {{"nobody", "wrong"}}), options).status == 200);
    CHECK(ask(without_line(signed_request("ListTables", "{}"), "Authorization"), options).status == 200);
}

}  // namespace dynalease::local::test
