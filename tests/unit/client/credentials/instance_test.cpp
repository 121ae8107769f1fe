// An instance's keys over real HTTP, and how the sources behave when services are ill.
// SPDX-License-Identifier: BSL-1.0
#include "client/credentials/http_transport.hpp"
#include "client/credentials/sources.hpp"

#include "support/certificates.hpp"
#include "support/scripted_server.hpp"
#include "unit/client/credentials/credentials_world.hpp"

#include <dynalease/aws/providers.hpp>
#include <dynalease/runtime/environment.hpp>

namespace {

using namespace credentials_test;
using support::answer;
using support::reaction;
using support::scripted_server;

const std::string some_keys = R"({"Code":"Success","AccessKeyId":"A","SecretAccessKey":"hush","Token":"T"})";

/// Sources on the system's clock, and a server beside them.
struct real_world {
    asio::io_context io{1};
    environment world = environment::system(io.get_executor());
    testing_support::fake_config config;

    shared_source_context context(std::string ca_file = {}) {
        return std::make_shared<const detail::source_context>(detail::source_context{
            world, config.source(), std::make_shared<detail::http_transport>(world, std::move(ca_file), "", config.source()),
            detail::make_process_runner(world)});
    }

    result<aws::shared_credentials> fetch(detail::source_ptr from, scripted_server& server) {
        std::optional<result<aws::shared_credentials>> done;
        asio::co_spawn(world.executor, from->fetch(), [&](std::exception_ptr, result<aws::shared_credentials> keys) {
            done = std::move(keys);
            server.stop();
        });
        io.restart();
        io.run_for(20s);
        REQUIRE(done);
        return *std::move(done);
    }
};

std::string url_of(const scripted_server& server) {
    return "http://127.0.0.1:" + std::to_string(server.port());
}

}  // namespace

TEST_CASE("an instance is asked for a token, a role and its keys; an old token is replaced") {
    real_world w;
    bool stale = true;
    scripted_server server(w.io.get_executor(), [&](std::size_t, const std::string& request) {
        if (request.starts_with("PUT /latest/api/token ")) return reaction{answer(200, stale ? "old" : "new")};
        const bool fresh = request.find("x-aws-ec2-metadata-token: new\r\n") != std::string::npos ||
                           request.find("X-aws-ec2-metadata-token: new\r\n") != std::string::npos;
        if (!fresh) {
            stale = false;
            return reaction{answer(401, "")};
        }
        return reaction{answer(200, request.find("extended/") == std::string::npos ? "a-role" : some_keys)};
    });
    w.config.variables["AWS_EC2_METADATA_SERVICE_ENDPOINT"] = url_of(server);
    const auto keys = w.fetch(detail::instance_source(w.context()), server);
    REQUIRE(keys.has_value());
    REQUIRE(*keys);
    CHECK((*keys)->secret_access_key == "hush");
    CHECK(server.requests().size() == 5);
    CHECK_THAT(server.requests()[0],
               Catch::Contains("token-ttl-seconds: 21600") && Catch::Contains("Content-Length: 0"));
}

TEST_CASE("no instance: nothing is found, quickly; where a profile expects one it is an error") {
    for (const bool expected : {false, true}) {
        real_world w;
        scripted_server gone(w.io.get_executor(), [](std::size_t, const std::string&) { return reaction{}; });
        w.config.variables["AWS_EC2_METADATA_SERVICE_ENDPOINT"] = url_of(gone);
        gone.stop();
        auto from = expected ? detail::expected_instance_source(w.context()) : detail::instance_source(w.context());
        const auto keys = w.fetch(std::move(from), gone);
        CHECK(keys.has_value() == !expected);
        if (keys) CHECK_FALSE(*keys);
        if (!keys) CHECK_THAT(keys.error().details.message, Catch::Contains("refused"));
    }
}

TEST_CASE("an agent that answers nonsense, or hangs up, is named, and its words are not repeated") {
    for (const auto& bytes : {answer(200, "hush"), answer(200, "{}"), answer(500, "oops"), std::string("hush"),
                              answer(403, R"({"code":"Denied","message":"no role"})")}) {
        real_world w;
        scripted_server server(w.io.get_executor(),
                               [&](std::size_t, const std::string&) { return reaction{bytes, true}; });
        w.config.variables["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = url_of(server) + "/keys?a=b";
        const auto keys = w.fetch(detail::container_source(w.context()), server);
        REQUIRE(keys.has_error());
        CHECK(keys.error().code == errc::no_credentials);
        CHECK_THAT(keys.error().details.message, Catch::Contains("127.0.0.1") && !Catch::Contains("hush"));
        CHECK_THAT(server.requests().front(), Catch::StartsWith("GET /keys?a=b HTTP/1.1\r\n"));
    }
}

TEST_CASE("an agent that is ill for a moment is asked again") {
    real_world w;
    scripted_server server(w.io.get_executor(), [](std::size_t number, const std::string&) {
        return reaction{number < 2 ? answer(503, "") : answer(200, some_keys)};
    });
    w.config.variables["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = url_of(server);
    CHECK(w.fetch(detail::container_source(w.context()), server).has_value());
    CHECK(server.requests().size() == 3);
}

TEST_CASE("over TLS an agent or STS must be who it says") {
    const support::authority ours;
    for (const bool trusted : {true, false}) {
        real_world w;
        scripted_server server(
            w.io.get_executor(), [](std::size_t, const std::string&) { return reaction{answer(200, some_keys)}; },
            ours.server_for("localhost"));
        w.config.variables["AWS_CONTAINER_CREDENTIALS_FULL_URI"] =
            "https://localhost:" + std::to_string(server.port()) + "/keys";
        const auto keys = w.fetch(detail::container_source(w.context(trusted ? ours.pem_file() : "")), server);
        CHECK(keys.has_value() == trusted);
        if (!trusted) CHECK_THAT(keys.error().details.message, Catch::Contains("certificate"));
        CHECK(server.requests().size() == (trusted ? 1 : 0));
    }
}

TEST_CASE("keys that no header can hold are not sent to STS either") {
    credentials_world w;
    w.config.variables["AWS_REGION"] = "eu-central-1";
    const auto context = w.context([](const aws::web_request&) { return aws::web_answer{200, ""}; });
    const auto base = static_credentials({"A", "hush", "token\r\nX-Injected: 1"});
    const auto provider = detail::role_provider(context, base, {.arn = "arn:aws:iam::1:role/r"});
    const auto got = w.run(provider->get());
    REQUIRE(got.has_error());
    CHECK(got.error().code == errc::no_credentials);
    CHECK(w.web->asked.empty());
}

TEST_CASE("STS is asked again with its own time when our clock is why it refuses") {
    for (const bool by_hours : {true, false}) {
        credentials_world w;
        w.config.variables["AWS_REGION"] = "eu-central-1";
        std::vector<std::string> dates;
        const auto context = w.context([&](const aws::web_request& request) {
            for (const auto& [name, value] : request.headers) {
                if (name == "X-Amz-Date") dates.push_back(value);
            }
            return aws::web_answer{403,
                                   "<ErrorResponse><Error><Code>SignatureDoesNotMatch</Code><Message>Signature expired"
                                   "</Message></Error></ErrorResponse>",
                                   by_hours ? "Sun, 01 Mar 2026 03:00:00 GMT" : "Sun, 01 Mar 2026 00:03:00 GMT"};
        });
        const auto provider =
            detail::role_provider(context, static_credentials({"A", "hush"}), {.arn = "arn:aws:iam::1:role/r"});
        const auto got = w.run(provider->get());
        CHECK(got.has_error());
        if (by_hours) {
            CHECK(dates == std::vector<std::string>{"20260301T000000Z", "20260301T030000Z"});
        } else {
            CHECK(dates == std::vector<std::string>{"20260301T000000Z"});
        }
    }
}
