// Options are checked when the client is made.
// SPDX-License-Identifier: BSL-1.0
#include "support/certificates.hpp"
#include "unit/client/fixture.hpp"

#include <boost/asio/ssl/context.hpp>

#include <algorithm>

using namespace client_test;

namespace {

std::string refusal_of(const std::function<void(client_options&)>& change) {
    asio::io_context io;
    client_options options;
    options.region = "eu-central-1";
    options.credentials = credentials{"key", "secret"};
    change(options);
    try {
        const client made(io.get_executor(), options);
    } catch (const error& refused) {
        CHECK(refused.code() == errc::invalid_option);
        CHECK(refused.condition() == condition::misconfigured);
        return refused.diagnostics().message;
    }
    return "accepted";
}

}  // namespace

TEST_CASE("an option out of its range is refused by name") {
    const auto contains = [](const char* name) { return Catch::Contains(name); };
    CHECK(refusal_of([](client_options&) {}) == "accepted");
    CHECK_THAT(refusal_of([](client_options& o) { o.timeout = 0ms; }), contains("timeout"));
    CHECK_THAT(refusal_of([](client_options& o) { o.attempt_timeout = -1ms; }), contains("attempt_timeout"));
    CHECK_THAT(refusal_of([](client_options& o) { o.connect_timeout = 0ms; }), contains("connect_timeout"));
    CHECK_THAT(refusal_of([](client_options& o) { o.timeout = std::chrono::milliseconds::max(); }),
               contains("timeout"));
    CHECK_THAT(refusal_of([](client_options& o) { o.attempt_timeout = 25h; }), contains("attempt_timeout"));
    CHECK_THAT(refusal_of([](client_options& o) { o.connect_timeout = 25h; }), contains("connect_timeout"));
    CHECK_THAT(refusal_of([](client_options& o) { o.connections = 0; }), contains("connections"));
    CHECK_THAT(refusal_of([](client_options& o) { o.idle_limit = 0s; }), contains("idle_limit"));
    CHECK_THAT(refusal_of([](client_options& o) { o.idle_limit = std::chrono::seconds::max(); }),
               contains("idle_limit"));
    CHECK_THAT(refusal_of([](client_options& o) { o.ca_file = "/no/such.pem"; }), contains("/no/such.pem"));
    CHECK_THAT(refusal_of([](client_options& o) {
                   o.tls = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_client);
                   o.verify_tls = false;
               }),
               contains("client_options::tls"));
    CHECK_THAT(refusal_of([](client_options& o) { o.proxy = "https://proxy:1"; }), contains("`proxy`"));
    CHECK(refusal_of([](client_options& o) { o.endpoint = "not a url"; }) != "accepted");
    CHECK(refusal_of([](client_options& o) { o.endpoint = "http://host/path"; }) != "accepted");
    CHECK(refusal_of([](client_options& o) { o.region = "no such region"; }) != "accepted");
    CHECK_THAT(refusal_of([](client_options& o) { o.credentials->access_key_id = "two\nlines"; }),
               contains("access_key_id"));
    CHECK_THAT(refusal_of([](client_options& o) { o.credentials->secret_access_key = ""; }),
               contains("secret_access_key"));
    const auto secret = refusal_of([](client_options& o) { o.credentials->secret_access_key = "hush hush"; });
    CHECK_THAT(secret, contains("secret_access_key") && !contains("hush"));
}

TEST_CASE("a client is made in one statement of a coroutine, and asked without a braced request") {
    ::setenv("AWS_REGION", "eu-central-1", 1);
    asio::io_context io;
    asio::co_spawn(
        io,
        []() -> asio::awaitable<void> {
            dynalease::client made{co_await asio::this_coro::executor};
            made.close();
            const auto listed = co_await made.call<list_tables_request>();
            CHECK_FALSE(listed.has_value());
        },
        [](std::exception_ptr failure) {
            if (failure) std::rethrow_exception(failure);
        });
    io.run_for(10s);
    CHECK(io.stopped());
    ::unsetenv("AWS_REGION");
}

TEST_CASE("a client that is made and never used costs nothing") {
    asio::io_context io;
    client_options options;
    options.region = "eu-central-1";
    options.credentials = credentials{"key", "secret"};
    {
        const client made(io.get_executor(), options);
        CHECK(made.counters().connections_opened == 0);
    }
    CHECK(io.run_for(5s) <= 1);
    CHECK(io.stopped());
}

TEST_CASE("a call may be given all the time there is") {
    fixture f;
    f.serve([](std::size_t, const std::string&) { return reaction{answer(200, "{}")}; });
    f.run([](client& database) -> asio::awaitable<void> {
        call_options endless;
        endless.timeout = endless.attempt_timeout = std::chrono::nanoseconds::max();
        const auto got = co_await read_on(database, endless);
        CHECK(got.has_value());
    });
}

TEST_CASE("a client that lets nobody wait still opens its connections") {
    fixture f;
    f.options.connections = 2;
    f.options.waiting = 0;
    int answered = 0;
    int refused = 0;
    f.serve([](std::size_t, const std::string&) { return reaction{answer(200, "{}")}; });
    f.run([&](client& database) -> asio::awaitable<void> {
        return [](client& on, int& good, int& throttled) -> asio::awaitable<void> {
            for (int i = 0; i < 3; ++i) {
                asio::co_spawn(
                    on.get_executor(),
                    [](client& shared, int& well, int& full) -> asio::awaitable<void> {
                        const auto got = co_await read_on(shared);
                        if (got) ++well;
                        if (!got && got.error().code == errc::throttled) ++full;
                    }(on, good, throttled),
                    asio::detached);
            }
            while (good + throttled < 3) co_await asio::post(on.get_executor(), asio::use_awaitable);
        }(database, answered, refused);
    });
    CHECK(answered == 2);
    CHECK(refused == 1);
}

TEST_CASE("no more requests wait for keys than may wait for a connection; heartbeats do") {
    struct slow final : credentials_provider {
        asio::any_io_executor executor;
        asio::awaitable<result<std::shared_ptr<const credentials>>> get() override {
            for (int i = 0; i < 100; ++i) co_await asio::post(executor, asio::use_awaitable);
            credentials keys{"AKID", "secret"};
            co_return std::make_shared<const credentials>(std::move(keys));
        }
    };
    fixture f;
    const auto provider = std::make_shared<slow>();
    provider->executor = f.io.get_executor();
    f.options.credentials.reset();
    f.options.provider = provider;
    f.options.waiting = 2;
    std::vector<error_code> ends;
    f.serve([](std::size_t, const std::string&) { return reaction{answer(200, "{}")}; });
    f.run([&](client& database) -> asio::awaitable<void> {
        return [](client& on, std::vector<error_code>& all) -> asio::awaitable<void> {
            for (int i = 0; i < 4; ++i) {
                asio::co_spawn(
                    on.get_executor(),
                    [](client& shared, lane which, std::vector<error_code>& into) -> asio::awaitable<void> {
                        call_options how;
                        how.lane = which;
                        const auto got = co_await read_on(shared, how);
                        into.push_back(got ? error_code{} : got.error().code);
                    }(on, i == 3 ? lane::heartbeat : lane::ordinary, all),
                    asio::detached);
            }
            while (all.size() < 4) co_await asio::post(on.get_executor(), asio::use_awaitable);
        }(database, ends);
    });
    CHECK(std::count(ends.begin(), ends.end(), error_code{}) == 3);
    CHECK(ends.front() == errc::throttled);
}

TEST_CASE("over TLS: the server must be who the endpoint says") {
    const support::authority ours;
    for (const bool trusted : {true, false}) {
        fixture f;
        f.options.ca_file = trusted ? ours.pem_file() : "";
        f.server = std::make_unique<scripted_server>(
            f.io.get_executor(), [](std::size_t, const std::string&) { return reaction{answer(200, "{}")}; },
            ours.server_for("localhost"));
        f.options.endpoint = "https://localhost:" + std::to_string(f.server->port());
        f.run([&](client& database) -> asio::awaitable<void> {
            return [](client& on, bool good) -> asio::awaitable<void> {
                const auto got = co_await write_on(on);
                CHECK(got.has_value() == good);
                if (good) co_return;
                CHECK(got.error().code == errc::tls_failed);
                CHECK(got.error().outcome == outcome::not_applied);
                CHECK_THAT(got.error().details.message, Catch::Contains("certificate"));
                CHECK_THAT(got.error().details.advice, Catch::Contains("AWS_CA_BUNDLE"));
            }(database, trusted);
        });
        CHECK(f.server->requests().size() == (trusted ? 1 : 0));
    }
}
