// What operators and developers get wrong: each has a named error that says what to do, within its deadline.
// SPDX-License-Identifier: BSL-1.0
#include "unit/client/fixture.hpp"

#include <cstdlib>

using namespace client_test;

namespace {

/// What a call says that may take 400 ms.
failure fail_with(reaction what, bool write = false) {
    fixture f;
    f.options.timeout = 400ms;
    f.options.attempt_timeout = 50ms;
    f.serve([&](std::size_t, const std::string&) { return what; });
    const auto begin = std::chrono::steady_clock::now();
    auto why = write ? f.fail(a_write()) : f.fail(a_read());
    CHECK(std::chrono::steady_clock::now() - begin < 400ms + 1s);  // a busy machine's second
    return why;
}

}  // namespace

TEST_CASE("a refusal of the service: its error, what is known, and advice; a write is not applied") {
    struct row {
        reaction what;
        errc error;
        const char* advice;
    };
    const row rows[] = {
        {refusal("InvalidSignatureException"), errc::invalid_signature, "AWS_SECRET_ACCESS_KEY"},
        {refusal("UnrecognizedClientException"), errc::unknown_access_key, "AWS_ACCESS_KEY_ID"},
        {refusal("ExpiredTokenException"), errc::expired_credentials, "renew"},
        {refusal("AccessDeniedException"), errc::access_denied, "permission"},
        {refusal("ResourceNotFoundException"), errc::table_not_found, "create_table"},
        {refusal("ValidationException"), errc::validation, ""},
        {refusal("ConditionalCheckFailedException"), errc::condition_failed, ""},
    };
    for (const auto& one : rows) {
        const auto why = fail_with(one.what, true);
        INFO(why.details.to_string());
        CHECK(why.code == one.error);
        CHECK(why.outcome == outcome::not_applied);
        CHECK(why.details.operation == "UpdateItem");
        CHECK(why.details.table == "locks");
        CHECK(why.details.key == "account/42");
        CHECK_THAT(why.details.request_id, Catch::StartsWith("R"));
        CHECK(why.details.message == "no");
        CHECK(why.details.attempts >= 1);
        CHECK_THAT(why.details.advice, Catch::Contains(one.advice));
        CHECK_THAT(why.details.to_string(), !Catch::Contains("private") && !Catch::Contains("a-secret-key"));
    }
}

TEST_CASE("another server behind the endpoint is a bad response that names the endpoint") {
    const std::string page = "<!DOCTYPE html><html><body>It works!</body></html>";
    for (const auto& what :
         {reaction{answer(200, page, "Content-Type: text/html\r\n")},
          reaction{answer(404, page, "Content-Type: text/html\r\n")}, reaction{answer(200, "{\"Attributes\":{\"a\":")},
          reaction{answer(200, "")}, reaction{"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{}", true},
          reaction{"220 smtp.example.org ESMTP\r\n"}}) {
        INFO(what.bytes);
        const auto why = fail_with(what);
        CHECK(why.code == errc::bad_response);
        CHECK(why.outcome == outcome::not_applied);
        CHECK_THAT(why.details.advice, Catch::Contains("http://127.0.0.1:"));
        CHECK_FALSE(why.details.message.empty());
    }
}

TEST_CASE("an answer beyond all that the service sends is told as that, and not asked for again") {
    const auto check = [](const auto& request, const std::string& size, const std::string& limit) {
        fixture f;
        f.serve([&](std::size_t, const std::string&) {
            return reaction{"HTTP/1.1 200 OK\r\nContent-Length: " + size + "\r\n\r\n"};
        });
        const auto why = f.fail(request);
        CHECK(why.code == errc::bad_response);
        CHECK_THAT(why.details.message, Catch::Contains("more than " + limit) && Catch::Contains("fewer items"));
        CHECK(f.server->requests().size() == 1);
    };
    check(a_read(), "33554433", "32 MiB");
    batch_get_item_request batch;
    batch.tables["locks"].keys = {{{"pk", "account/42"}}};
    check(batch, "134217729", "128 MiB");
}

TEST_CASE("an answer of many items may be large, on a connection that served a small request before") {
    fixture f;
    f.options.timeout = 30s;
    f.options.attempt_timeout = 15s;  // for a sanitizer on a busy machine
    const std::string text(1024 * 1024, 'x');
    std::string items;
    for (int i = 0; i < 33; ++i) items += (i == 0 ? R"({"a":{"S":")" : R"(,{"a":{"S":")") + text + R"("}})";
    f.serve([&](std::size_t number, const std::string&) {
        return reaction{answer(200, number == 0 ? "{}" : R"({"Responses":{"locks":[)" + items + "]}}")};
    });
    f.run([](client& database) -> asio::awaitable<void> {
        const auto small = co_await read_on(database);
        CHECK(small.has_value());
        batch_get_item_request batch;
        batch.tables["locks"].keys = {{{"pk", "account/42"}}};
        const auto large = co_await database.call(std::move(batch));
        REQUIRE(large.has_value());
        CHECK(large->items.at("locks").size() == 33);
    });
    CHECK(f.server->connections() == 1);
}

TEST_CASE("a write that got such an answer may have happened") {
    const auto why = fail_with({answer(200, "<html>")}, true);
    CHECK(why.code == errc::in_doubt);
    CHECK(why.outcome == outcome::unknown);
    CHECK_THAT(why.details.message, Catch::Contains("at last: the answer is not one of DynamoDB"));
    CHECK_THAT(why.details.advice, Catch::Contains("read the item") && Catch::Contains("http://127.0.0.1:"));
}

TEST_CASE("a server that never answers: a read times out, a write is in doubt, both at the deadline of the call") {
    for (const bool write : {false, true}) {
        const auto why = fail_with({}, write);
        CHECK(why.code == (write ? errc::in_doubt : errc::timeout));
        CHECK(why.outcome == (write ? outcome::unknown : outcome::not_applied));
        CHECK_FALSE(why.details.advice.empty());
        CHECK_THAT(why.details.message, Catch::Contains("no answer within the deadline"));
        CHECK_THAT(why.details.message, !Catch::Contains("nothing was written"));
    }
}

TEST_CASE("nobody listens at the endpoint") {
    fixture f;
    f.serve({});
    f.server->stop();
    f.server.reset();
    for (const bool write : {false, true}) {
        const auto why = write ? f.fail(a_write()) : f.fail(a_read());
        CHECK(why.code == errc::unreachable);
        CHECK(why.outcome == outcome::not_applied);
        CHECK_THAT(why.details.advice, Catch::Contains(f.options.endpoint));
        CHECK_THAT(why.details.message, Catch::Contains("refused"));
        CHECK(why.details.attempts == 4);
    }
}

TEST_CASE("a server that resets each connection at once is not pressed: each counts as an attempt") {
    fixture f;
    asio::ip::tcp::acceptor acceptor(f.io, {asio::ip::address_v4::loopback(), 0});
    f.options.endpoint = "http://127.0.0.1:" + std::to_string(acceptor.local_endpoint().port());
    int connections = 0;
    std::function<void()> accept_next = [&] {
        acceptor.async_accept([&](error_code closed, asio::ip::tcp::socket socket) {
            if (closed) return;
            ++connections;
            socket.set_option(asio::socket_base::linger(true, 0));
            accept_next();
        });
    };
    accept_next();
    failure why;
    f.run([&](client& database) -> asio::awaitable<void> {
        return [](client& on, asio::ip::tcp::acceptor& listening, failure& into) -> asio::awaitable<void> {
            auto answer = co_await write_on(on);
            if (!answer) into = std::move(answer).error();
            listening.close();
        }(database, acceptor, why);
    });
    CHECK((why.code == errc::server_error || why.code == errc::in_doubt));
    CHECK(connections == 4);
    CHECK(why.details.attempts == 4);
}

TEST_CASE("what the service says of a signature is cut before the session token that it repeats") {
    fixture f;
    f.options.credentials->session_token = "the-session-token";
    f.serve([](std::size_t, const std::string&) {
        return refusal("InvalidSignatureException",
                       "The request signature we calculated does not match.\\n\\nThe Canonical String for this request "
                       "should have been\\n'POST\\n/\\n\\nx-amz-security-token:the-session-token\\n'");
    });
    const auto why = f.fail(a_write());
    CHECK(why.code == errc::invalid_signature);
    CHECK(why.details.message == "The request signature we calculated does not match.");
    REQUIRE_FALSE(f.log.empty());
    for (const auto& line : f.log) CHECK_THAT(line, !Catch::Contains("the-session-token"));
}

TEST_CASE("keys that no header can hold never leave: not even what follows their line end") {
    struct careless final : credentials_provider {
        asio::awaitable<result<std::shared_ptr<const credentials>>> get() override {
            credentials keys{"AKID", "hush", "token\r\nX-Injected: 1"};
            co_return std::make_shared<const credentials>(std::move(keys));
        }
    };
    fixture f;
    f.options.credentials.reset();
    f.options.provider = std::make_shared<careless>();
    f.serve([](std::size_t, const std::string&) { return reaction{answer(200, "{}")}; });
    const auto why = f.fail(a_write());
    CHECK(why.code == errc::no_credentials);
    CHECK_THAT(why.details.message, Catch::Contains("control characters") && !Catch::Contains("Injected"));
    CHECK(f.server->requests().empty());
}

TEST_CASE("no credentials anywhere: the error comes before any connection") {
    for (const auto* name : {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"}) {
        ::unsetenv(name);
    }
    ::setenv("AWS_SHARED_CREDENTIALS_FILE", "/no/such/credentials", 1);
    ::setenv("AWS_CONFIG_FILE", "/no/such/config", 1);
    ::setenv("AWS_EC2_METADATA_DISABLED", "true", 1);
    fixture f;
    f.options.credentials.reset();
    f.serve([](std::size_t, const std::string&) { return reaction{answer(200, "{}")}; });
    const auto why = f.fail(a_write());
    CHECK(why.code == errc::no_credentials);
    CHECK(why.outcome == outcome::not_applied);
    CHECK_FALSE(why.details.advice.empty());
    CHECK(f.server->connections() == 0);
}

TEST_CASE("credentials that the service does not know are fetched anew, once") {
    struct counting_provider final : credentials_provider {
        int invalidated = 0;
        asio::awaitable<result<std::shared_ptr<const credentials>>> get() override {
            credentials keys{invalidated == 0 ? "OLD" : "NEW", "secret", "token"};
            co_return std::make_shared<const credentials>(std::move(keys));
        }
        void invalidate() noexcept override { ++invalidated; }
    };
    fixture f;
    const auto provider = std::make_shared<counting_provider>();
    f.options.credentials.reset();
    f.options.provider = provider;
    f.serve([](std::size_t, const std::string& request) {
        return request.find("Credential=NEW") != std::string::npos ? reaction{answer(200, "{}")}
                                                                   : refusal("UnrecognizedClientException");
    });
    f.run([](client& database) -> asio::awaitable<void> {
        const auto got = co_await read_on(database);
        CHECK(got.has_value());
    });
    CHECK(provider->invalidated == 1);
    CHECK(f.server->requests().size() == 2);
    CHECK_THAT(f.server->requests()[1], Catch::Contains("X-Amz-Security-Token: token\r\n"));
}
