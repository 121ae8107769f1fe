// Attempts and what is known after them: retries, lost answers, wrong sums, wrong clocks.
// SPDX-License-Identifier: BSL-1.0
#include "unit/client/fixture.hpp"

#include <zlib.h>

using namespace client_test;

namespace {

/// Each request gets the next of these, and the last one again.
scripted_server::script in_turn(std::vector<reaction> reactions) {
    return [reactions](std::size_t number, const std::string&) {
        return reactions[std::min(number, reactions.size() - 1)];
    };
}

reaction fine() {
    return {answer(200, "{}")};
}
reaction cut() {
    return {"", true};
}

std::string http_date(std::chrono::system_clock::time_point when) {
    const auto time = std::chrono::system_clock::to_time_t(when);
    std::tm parts{};
    ::gmtime_r(&time, &parts);
    char text[40];
    std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts);
    return text;
}

}  // namespace

TEST_CASE("a lost answer is asked for again with the same body and a signature of its own") {
    fixture f;
    f.serve(in_turn({cut(), refusal("InternalServerError", "oops", 500), fine()}));
    f.run([](client& database) -> asio::awaitable<void> {
        const auto got = co_await write_on(database);
        CHECK(got.has_value());
        const auto counters = database.counters();
        CHECK(counters.operations.at("UpdateItem").attempts == 3);
        CHECK(counters.operations.at("UpdateItem").unknown == 2);
        CHECK(counters.operations.at("UpdateItem").applied == 1);
        CHECK(counters.operations.at("UpdateItem").latency.count() == 3);
        CHECK(counters.retries == 2);
    });
    const auto& requests = f.server->requests();
    REQUIRE(requests.size() == 3);
    const auto body = [](const std::string& request) { return request.substr(request.find("\r\n\r\n")); };
    CHECK(body(requests[0]) == body(requests[2]));
    CHECK(f.log.size() == 2);
    for (const auto& line : f.log) CHECK_THAT(line, !Catch::Contains("private"));
}

TEST_CASE("a write that was sent on a connection used before, which is then cut, is an attempt and in doubt") {
    SECTION("told, if there is no other attempt") {
        fixture f;
        f.serve(in_turn({fine(), cut()}));
        f.run([](client& database) -> asio::awaitable<void> {
            const auto before = co_await write_on(database);
            CHECK(before.has_value());
            call_options once;
            once.attempts = 1;
            const auto got = co_await write_on(database, once);
            REQUIRE_FALSE(got.has_value());
            CHECK(got.error().code == errc::in_doubt);
            CHECK(got.error().outcome == outcome::unknown);
            CHECK(got.error().details.attempts == 1);
        });
        CHECK(f.server->connections() == 1);
        CHECK(f.server->requests().size() == 2);
    }
    SECTION("counted, if there is another") {
        fixture f;
        f.serve(in_turn({fine(), cut(), refusal("ConditionalCheckFailedException")}));
        f.run([](client& database) -> asio::awaitable<void> {
            const auto before = co_await write_on(database);
            CHECK(before.has_value());
            const auto got = co_await write_on(database);
            REQUIRE_FALSE(got.has_value());
            CHECK(got.error().code == errc::condition_failed);
            CHECK(got.error().outcome == outcome::unknown);
            CHECK(got.error().details.attempts == 2);
            CHECK(database.counters().operations.at("UpdateItem").unknown == 1);
            CHECK(database.counters().retries == 1);
        });
    }
}

TEST_CASE("connections that the server closed while they were idle cost no attempt") {
    fixture f;
    f.serve(in_turn({fine()}));
    f.run([&](client& database) -> asio::awaitable<void> {
        return [](client& on, scripted_server& peer) -> asio::awaitable<void> {
            for (int i = 0; i < 3; ++i) {
                const auto got = co_await write_on(on);
                CHECK(got.has_value());
                peer.hang_up();
            }
            CHECK(on.counters().operations.at("UpdateItem").attempts == 3);
            CHECK(on.counters().retries == 0);
        }(database, *f.server);
    });
    CHECK(f.server->connections() == 3);
}

TEST_CASE("an answer that repeats the one before is no answer: a write that met it is in doubt") {
    fixture f;
    f.options.attempts = 1;
    f.serve([](std::size_t, const std::string&) { return reaction{answer(200, "{}", "x-amzn-RequestId: same\r\n")}; });
    f.run([](client& database) -> asio::awaitable<void> {
        const auto first = co_await write_on(database);
        CHECK(first.has_value());
        const auto second = co_await write_on(database);
        REQUIRE_FALSE(second.has_value());
        CHECK(second.error().code == errc::in_doubt);
        CHECK(second.error().outcome == outcome::unknown);
        CHECK_THAT(second.error().details.message, Catch::Contains("request id of the one before"));
        const auto third = co_await write_on(database);
        CHECK(third.has_value());
    });
    CHECK(f.server->connections() == 2);
}

TEST_CASE("a transaction without a token gets one, so that a lost answer does not apply it twice") {
    fixture f;
    f.serve(in_turn({cut(), fine()}));
    f.run([](client& database) -> asio::awaitable<void> {
        for (const auto* token : {"", "", "mine"}) {
            transact_write_items_request request;
            request.actions.push_back(transact_delete{.table_name = "t", .key = {{"pk", "1"}}});
            request.client_request_token = token;
            const auto done = co_await database.call(std::move(request));
            CHECK(done.has_value());
        }
    });
    const auto token_in = [](const std::string& request) {
        constexpr std::string_view field = R"("ClientRequestToken":")";
        const auto begin = request.find(field);
        if (begin == std::string::npos) return std::string();
        const auto rest = request.substr(begin + field.size());
        return rest.substr(0, rest.find('"'));
    };
    const auto& requests = f.server->requests();
    REQUIRE(requests.size() == 4);
    CHECK_FALSE(token_in(requests[0]).empty());
    CHECK(token_in(requests[0]) == token_in(requests[1]));
    CHECK(token_in(requests[2]) != token_in(requests[1]));
    CHECK(token_in(requests[3]) == "mine");
}

TEST_CASE("after an unanswered attempt a refusal keeps its name, and the outcome stays unknown") {
    fixture f;
    f.serve(in_turn({cut(), refusal("ConditionalCheckFailedException")}));
    const auto why = f.fail(a_write());
    CHECK(why.code == errc::condition_failed);
    CHECK(why.outcome == outcome::unknown);
    CHECK(why.details.attempts == 2);
}

TEST_CASE("who is told a code alone, is told of a refusal after an unanswered attempt that it may be its own doing") {
    fixture f;
    f.serve(in_turn({cut(), refusal("ConditionalCheckFailedException")}));
    f.run([](client& database) -> asio::awaitable<void> {
        diagnostics details;
        auto request = a_write();
        const auto [code, answer] =
            co_await database.execute(std::move(request), details, asio::as_tuple(asio::deferred));
        CHECK(code == errc::in_doubt);
        CHECK(code != condition::conflict);
        CHECK_THAT(details.message, Catch::Contains("the condition was not met"));
        CHECK_THAT(details.advice, Catch::Contains("read the item"));
        CHECK(details.attempts == 2);
    });
}

TEST_CASE("after an unanswered attempt anything less than a refusal is doubt") {
    struct row {
        std::vector<reaction> what;
        errc write;
        errc read;
    };
    const row rows[] = {
        {{cut()}, errc::in_doubt, errc::server_error},
        {{refusal("InternalServerError", "oops", 500)}, errc::in_doubt, errc::server_error},
        {{cut(), refusal("ProvisionedThroughputExceededException")}, errc::in_doubt, errc::throttled},
    };
    for (const auto& one : rows) {
        call_options two;
        two.attempts = 2;
        fixture writing;
        writing.serve(in_turn(one.what));
        const auto write = writing.fail(a_write(), two);
        CHECK(write.code == one.write);
        CHECK(write.outcome == outcome::unknown);
        fixture reading;
        reading.serve(in_turn(one.what));
        const auto read = reading.fail(a_read(), two);
        CHECK(read.code == one.read);
        CHECK(read.outcome == outcome::not_applied);
        CHECK(reading.server->requests().size() == 2);
    }
}

TEST_CASE("of a write in doubt the error, and the log, say once what happened, and once what to do about it") {
    fixture f;
    f.serve(in_turn({cut()}));
    const auto why = f.fail(a_write());
    REQUIRE(why.code == errc::in_doubt);
    const std::string text = error(why.code, why.details).what();
    const auto times = [&text](const std::string& words) {
        std::size_t count = 0;
        for (auto at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++count;
        return count;
    };
    CAPTURE(text);
    CHECK(times("may have happened") == 1);
    CHECK(times("before deciding") == 1);
    CHECK(times("no answer tells") == 1);
    CHECK(times("the service failed or closed the connection") == 1);
    CHECK(times("try again") == 0);
    REQUIRE_FALSE(f.log.empty());
    CHECK(f.log.back() == text);
}

TEST_CASE("throttled writes are not applied, and tried again as the service wishes") {
    fixture f;
    f.options.attempts = 2;
    f.serve(in_turn({refusal("ThrottlingException", "slow", 400, "x-amz-retry-after: 1\r\n")}));
    const auto why = f.fail(a_write());
    CHECK(why.code == errc::throttled);
    CHECK(why.outcome == outcome::not_applied);
    CHECK(f.server->requests().size() == 2);
}

TEST_CASE("an answer that does not match its checksum is not believed") {
    const std::string body = R"({"Item":{"pk":{"S":"account/42"}}})";
    const auto sum = ::crc32_z(0, reinterpret_cast<const unsigned char*>(body.data()), body.size());
    const reaction right{answer(200, body, "x-amz-crc32: " + std::to_string(sum) + "\r\n")};
    const reaction wrong{answer(200, body, "x-amz-crc32: " + std::to_string(sum ^ 1) + "\r\n")};
    SECTION("it is asked for again") {
        fixture f;
        f.serve(in_turn({wrong, right}));
        f.run([](client& database) -> asio::awaitable<void> {
            const auto got = co_await read_on(database);
            REQUIRE(got.has_value());
            CHECK(got->found.has_value());
            CHECK(database.counters().bad_checksums == 1);
        });
    }
    SECTION("a write may have happened") {
        fixture f;
        f.serve(in_turn({wrong}));
        const auto why = f.fail(a_write());
        CHECK(why.code == errc::in_doubt);
        CHECK(why.outcome == outcome::unknown);
    }
}

TEST_CASE("a wrong clock is corrected by the server's date and the request signed again") {
    const auto server_time = std::chrono::system_clock::now() + std::chrono::hours(3);
    // A request whose date has expired is refused under either name.
    const std::string name = GENERATE("InvalidSignatureException", "AccessDeniedException");
    fixture f;
    f.serve([&](std::size_t number, const std::string&) {
        return number == 0 ? refusal(name, "Signature expired", 400, "Date: " + http_date(server_time) + "\r\n")
                           : fine();
    });
    wall_time corrected{};
    f.run([&corrected](client& database) -> asio::awaitable<void> {
        const auto got = co_await write_on(database);
        CHECK(got.has_value());
        CHECK(database.counters().skew_corrections == 1);
        corrected = database.wall();
    });
    // What rows are written with is the service's time, too.
    CHECK(std::chrono::abs(corrected - server_time) < std::chrono::minutes(1));
    const auto& requests = f.server->requests();
    REQUIRE(requests.size() == 2);
    const auto hour = [](const std::string& request) {
        const auto at = request.find("X-Amz-Date: ") + 12;
        return request.substr(at, 11);
    };
    CHECK(hour(requests[0]) != hour(requests[1]));
}
