// What a client shows of itself on its way to the service, and by which way it goes.
// SPDX-License-Identifier: BSL-1.0
#include "support/certificates.hpp"
#include "unit/client/fixture.hpp"

#include <dynalease/version.hpp>

#include <boost/asio/ssl/context.hpp>

#include <cstdlib>

using namespace client_test;

namespace {

std::string sent_by(const std::string& application) {
    fixture f;
    f.options.application = application;
    f.serve([](std::size_t, const std::string&) { return reaction{answer(200, "{}")}; });
    f.run([](client& database) -> asio::awaitable<void> { co_await read_on(database); });
    return f.server->requests().at(0);
}

}  // namespace

TEST_CASE("requests tell the library's version, and the program if it has a name") {
    const std::string library = "\r\nUser-Agent: dynalease/" + std::string(version);
    CHECK_THAT(sent_by(""), Catch::Contains(library + "\r\n"));
    CHECK_THAT(sent_by("billing"), Catch::Contains(library + " app/billing\r\n"));
    CHECK_THAT(sent_by("a b\r\nHost: evil"), Catch::Contains(library + " app/a-b--Host--evil\r\n"));
    CHECK_THAT(sent_by(std::string(80, 'x')), Catch::Contains(" app/" + std::string(50, 'x') + "\r\n"));
    ::setenv("AWS_SDK_UA_APP_ID", "from-outside", 1);
    CHECK_THAT(sent_by(""), Catch::Contains(" app/from-outside\r\n"));
    CHECK_THAT(sent_by("billing"), Catch::Contains(" app/billing\r\n"));
    ::unsetenv("AWS_SDK_UA_APP_ID");
}

TEST_CASE("a TLS context of one's own decides whom to trust, and the name is insisted on") {
    const support::authority trusted;
    for (const char* certified : {"localhost", "example.org"}) {
        fixture f;
        f.server = std::make_unique<scripted_server>(
            f.io.get_executor(), [](std::size_t, const std::string&) { return reaction{answer(200, "{}")}; },
            trusted.server_for(certified));
        f.options.endpoint = "https://localhost:" + std::to_string(f.server->port());
        f.options.attempts = 1;
        const auto own = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_client);
        own->set_verify_mode(asio::ssl::verify_peer);
        own->load_verify_file(trusted.pem_file());
        f.options.tls = own;
        const bool is_right = certified == std::string_view("localhost");
        f.run([is_right](client& database) -> asio::awaitable<void> {
            return [](client& on, bool right) -> asio::awaitable<void> {
                const auto got = co_await read_on(on);
                CHECK(got.has_value() == right);
                if (!right) CHECK(got.error().code == errc::tls_failed);
            }(database, is_right);
        });
    }
}

TEST_CASE("a proxy is asked for the service's host, and its refusal is told") {
    fixture f;
    f.server = std::make_unique<scripted_server>(f.io.get_executor(), [](std::size_t, const std::string&) {
        return reaction{"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n"};
    });
    f.options.attempts = 1;
    f.options.proxy = "http://me:hush@127.0.0.1:" + std::to_string(f.server->port());
    const auto why = f.fail(a_read());
    CHECK(why.code == errc::unreachable);
    CHECK(why.outcome == outcome::not_applied);
    CHECK_THAT(why.details.message, Catch::Contains("407 Proxy Authentication Required") && !Catch::Contains("hush"));
    CHECK_THAT(f.server->requests().at(0),
               Catch::StartsWith("CONNECT dynamodb.eu-central-1.amazonaws.com:443 HTTP/1.1\r\n") &&
                   Catch::Contains("\r\nProxy-Authorization: Basic bWU6aHVzaA==\r\n"));
}
