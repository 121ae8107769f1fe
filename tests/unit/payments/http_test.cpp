// The front end over real sockets: what it answers, and what it makes of bad requests, slow peers and its own end.
// SPDX-License-Identifier: BSL-1.0
#include "served_payments.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <catch2/catch.hpp>

#include <random>
#include <vector>

using namespace payments;
using namespace payments::tests;

namespace {

const std::string intents_path = "/payment_intents";
const std::string good_body = R"({"customer":"c","amount":100,"currency":"USD"})";

bool still_serves(served_payments& in) {
    return in.ask("GET", "/health").status() == 200;
}

asio::awaitable<void> wait_for(std::chrono::milliseconds time) {
    asio::steady_timer timer(co_await asio::this_coro::executor, time);
    co_await timer.async_wait(asio::use_awaitable);
}

}  // namespace

TEST_CASE("an intent is made, looked at, changed and charged", "[http]") {
    served_payments in(control::pessimistic);
    const auto id = in.make_intent();
    auto seen = in.ask("GET", intents_path + "/" + id);
    CHECK(seen.status() == 200);
    CHECK(seen.has(R"("state":"CREATED","customer":"c","amount":100,"currency":"USD")"));
    CHECK(in.ask("PATCH", intents_path + "/" + id, R"({"amount":250})").has(R"("amount":250)"));
    const auto charged = in.ask("POST", intents_path + "/" + id + "/charge");
    CHECK(charged.status() == 200);
    CHECK(charged.has(R"("state":"CHARGED")"));
    CHECK(in.bank.book.money_withdrawn() == 250);
    const auto late = in.ask("PATCH", intents_path + "/" + id, R"({"amount":300})");
    CHECK(late.status() == 409);
    CHECK(late.has("wrong_state"));
    CHECK(in.ask("POST", intents_path + "/" + id + "/charge").status() == 409);
}

TEST_CASE("under the optimistic control a charge is accepted, and the gateway's answer settles it once", "[http]") {
    served_payments in(control::optimistic);
    const auto id = in.make_intent();
    CHECK(in.ask("POST", intents_path + "/" + id + "/charge").status() == 202);
    const auto answer = R"({"intent":")" + id + R"(","charge":"ch_1","amount":100})";
    CHECK(in.deliver(answer).has(R"({"settled":true})"));
    CHECK(in.deliver(answer).has(R"({"settled":false})"));
    CHECK(in.ask("GET", intents_path + "/" + id).has("CHARGED"));
}

TEST_CASE("an answer that the gateway did not sign, or not lately, is refused with 401 and settles nothing", "[http]") {
    served_payments in(control::optimistic);
    const auto id = in.make_intent();
    CHECK(in.ask("POST", intents_path + "/" + id + "/charge").status() == 202);
    const auto answer = R"({"intent":")" + id + R"(","charge":"ch_1","amount":100})";
    const auto field = std::string(answer_signature::field) + ": ";
    const auto bare = in.ask("POST", "/gateway/answers", answer);
    CHECK(bare.status() == 401);
    CHECK(bare.has("WWW-Authenticate: Gateway-Signature"));
    CHECK(in.ask("POST", "/gateway/answers", "no JSON either").status() == 401);
    CHECK(in.ask("POST", "/gateway/answers", answer, field + "t=1,v1=00\r\n").status() == 401);
    CHECK(in.deliver(answer, 301s).status() == 401);
    CHECK(in.deliver(answer, -302s).status() == 401);
    CHECK(in.ask("GET", intents_path + "/" + id).has("CHARGE_REQUESTED"));
    CHECK(in.deliver(answer, 290s).status() == 200);
    CHECK(in.ask("GET", intents_path + "/" + id).has(R"("state":"CHARGED")"));
}

TEST_CASE("an Idempotency-Key: the same again, another payload 422, no key at all 400", "[http]") {
    served_payments in(control::optimistic);
    const auto key = [](const std::string& text) { return "Idempotency-Key: " + text + "\r\n"; };
    const auto first = in.ask("POST", intents_path, good_body, key("k1"));
    CHECK(first.status() == 201);
    const auto body_of = [](const heard& one) { return one.text.substr(one.text.find("\r\n\r\n")); };
    CHECK(body_of(in.ask("POST", intents_path, good_body, key("k1"))) == body_of(first));
    const auto other = in.ask("POST", intents_path, R"({"customer":"d","amount":100,"currency":"USD"})", key("k1"));
    CHECK(other.status() == 422);
    CHECK(other.has("payload_differs"));
    CHECK(in.ask("POST", intents_path, good_body, key("")).status() == 400);
    CHECK(in.ask("POST", intents_path, good_body, key("two words")).status() == 400);
    CHECK(in.ask("POST", intents_path, good_body, key(std::string(201, 'k'))).status() == 400);
    CHECK(in.ask("POST", intents_path, good_body, key(std::string(200, 'k'))).status() == 201);
}

TEST_CASE("what is no JSON, or not the JSON that is wanted, is answered with 400 and the reason", "[http]") {
    served_payments in(control::optimistic);
    const std::vector<std::pair<std::string, std::string>> bad{
        {"{", "no JSON"},
        {"}", "no JSON"},
        {R"({"customer":"c","amount":100,"currency":"USD"}x)", "no JSON"},
        {R"({"customer":"c" "amount":100})", "no JSON"},
        {"{\"customer\":\"\xff\",\"amount\":100,\"currency\":\"USD\"}", "no JSON"},
        {std::string("{\"customer\":\"c\0\"", 16), "no JSON"},
        {"[]", "no JSON object"},
        {"17", "no JSON object"},
        {"null", "no JSON object"},
        {std::string(10'000, '['), "no JSON"},
        {R"({"amount":100,"currency":"USD"})", R"(\"customer\" is missing)"},
        {R"({"customer":7,"amount":100,"currency":"USD"})", R"(\"customer\" is no string)"},
        {R"({"customer":"c","amount":"100","currency":"USD"})", R"(\"amount\" is no whole number)"},
        {R"({"customer":"c","amount":1.5,"currency":"USD"})", R"(\"amount\" is neither)"},
        {R"({"customer":"c","amount":1e3,"currency":"USD"})", R"(\"amount\" is neither)"},
        {R"({"customer":"c","amount":99999999999999999999,"currency":"USD"})", R"(\"amount\" is neither)"},
        {R"({"customer":"c","amount":-1,"currency":"USD"})", "above 0"},
        {R"({"customer":"c","amount":0,"currency":"USD"})", "above 0"},
        {R"({"customer":"c","amount":100,"currency":"usd"})", "three capital letters"},
        {R"({"customer":"","amount":100,"currency":"USD"})", "1 to 100 bytes"},
        {R"({"customer":"c","customer":"d","amount":100,"currency":"USD"})", "twice"},
        {R"({"customer":"c","amount":100,"currency":"USD","state":"CHARGED"})", "no member that can be given"},
        {R"({"customer":{"a":1},"amount":100,"currency":"USD"})", "neither"},
    };
    for (const auto& [body, why] : bad) {
        INFO(body);
        const auto told = in.ask("POST", intents_path, body);
        CHECK(told.status() == 400);
        CHECK(told.has(R"("code":"invalid")"));
        CHECK(told.has(why));
    }
    CHECK(still_serves(in));
}

TEST_CASE("customer and currency cannot be changed, nor a state set", "[http]") {
    served_payments in(control::optimistic);
    const auto id = in.make_intent();
    for (const std::string body :
         {R"({"customer":"d"})", R"({"currency":"EUR"})", R"({"amount":5,"state":"CHARGED"})"}) {
        CHECK(in.ask("PATCH", intents_path + "/" + id, body).status() == 400);
    }
    CHECK(in.ask("POST", intents_path + "/" + id + "/charge", R"({"amount":1})").status() == 400);
    CHECK(in.ask("GET", intents_path + "/" + id).has(R"("customer":"c","amount":100,"currency":"USD")"));
}

TEST_CASE("paths and methods that are none of ours are told so", "[http]") {
    served_payments in(control::optimistic);
    for (const std::string path : {"/", "/payment_intent", "/payment_intents/", "/payment_intents/a/b",
                                   "/payment_intents/..%2f", "/payment_intents/pi_1/charge/now", "/metricsx"}) {
        INFO(path);
        CHECK(in.ask("GET", path).status() == 404);
    }
    CHECK(in.ask("GET", intents_path + "/" + std::string(65, 'a')).status() == 404);
    CHECK(in.ask("GET", intents_path + "/pi_unknown").status() == 404);
    CHECK(in.ask("POST", intents_path + "/pi_unknown/charge").status() == 404);
    const auto wrong = in.ask("DELETE", intents_path + "/pi_1");
    CHECK(wrong.status() == 405);
    CHECK(wrong.has("Allow: GET, PATCH"));
    CHECK(in.ask("GET", intents_path).status() == 405);
    CHECK(in.ask("POST", "/metrics").status() == 405);
}

TEST_CASE("what is no HTTP is answered with 400, what is too large with 413 or 431", "[http]") {
    served_payments in(control::optimistic);
    CHECK(in.exchange("GARBAGE\r\n\r\n").status() == 400);
    CHECK(in.exchange("GET / HTTP/9.9\r\n\r\n").status() == 400);
    CHECK(in.exchange("POST /payment_intents HTTP/1.1\r\nContent-Length: -5\r\n\r\n").status() == 400);
    CHECK(
        in.exchange("POST /payment_intents HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n12345").status() ==
        400);
    CHECK(in.exchange("GET / HTTP/1.1\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n").status() == 431);
    CHECK(in.exchange("GET /" + std::string(20'000, 'x') + " HTTP/1.1\r\n\r\n").status() == 431);
    const auto large = in.ask("POST", intents_path, std::string(100'000, ' '));
    CHECK(large.status() == 413);
    CHECK(large.has("body_too_large"));
    CHECK(in.exchange("POST /payment_intents HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n").status() == 413);
    std::string chunks = "POST /payment_intents HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (int i = 0; i < 10; ++i) chunks += "1000\r\n" + std::string(4096, ' ') + "\r\n";
    CHECK(in.exchange(chunks + "0\r\n\r\n").status() == 413);
    CHECK(in.server->counts().malformed == 9);
    CHECK(still_serves(in));
}

TEST_CASE("garbage of any kind never ends the server", "[http]") {
    served_payments in(control::optimistic);
    std::mt19937_64 chance(4711);
    const std::string good =
        "POST /payment_intents HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 46\r\n\r\n" + good_body;
    for (int i = 0; i < 300; ++i) {
        auto text = good;
        for (std::uint64_t edits = 1 + chance() % 5; edits > 0; --edits) {
            text[chance() % text.size()] = static_cast<char>(chance() % 256);
        }
        text.resize(text.size() - chance() % 20);
        const auto told = in.exchange(text, true);
        CHECK(told.closed);
        const bool answered_well = told.text.empty() || (told.status() >= 200 && told.status() < 500);
        CHECK(answered_well);
    }
    CHECK(still_serves(in));
}

TEST_CASE("a peer that has said all is answered, half-closed as it is, one that stops in the middle is let go",
          "[http]") {
    served_payments in(control::optimistic);
    CHECK(in.exchange("GET /health HTTP/1.1\r\nHost: x\r\n\r\n", true).status() == 200);
    const auto stopped = in.exchange("POST /payment_intents HTTP/1.1\r\nContent-Length: 50\r\n\r\n{\"cust", true);
    CHECK(stopped.closed);
    CHECK(stopped.text.empty());
    CHECK(in.exchange("", true).closed);
}

TEST_CASE("requests that come all at once on one connection are answered in their order", "[http]") {
    served_payments in(control::optimistic);
    const auto both = in.exchange(
        "GET /health HTTP/1.1\r\nHost: x\r\n\r\nGET /none HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    CHECK(both.text.find("200 OK") < both.text.find("404 Not Found"));
    CHECK(both.has("404 Not Found"));
}

TEST_CASE("a peer that is slow with its head, or with its body, is cut off", "[http]") {
    web::server_limits limits;
    limits.idle = 100ms;
    limits.receive = 100ms;
    served_payments in(control::optimistic, limits);
    CHECK(in.exchange("GET /health HT", false, 5s).closed);
    CHECK(in.exchange("POST /payment_intents HTTP/1.1\r\nContent-Length: 50\r\n\r\n{", false, 5s).closed);
    CHECK(in.exchange("", false, 5s).closed);
    CHECK(still_serves(in));
}

TEST_CASE("a request that takes too long is answered with 504, and leaves the intent unlocked", "[http]") {
    web::server_limits limits;
    limits.work = 300ms;
    served_payments in(control::pessimistic, limits);
    const auto id = in.make_intent();
    in.bank.silent = true;
    CHECK(in.ask("POST", intents_path + "/" + id + "/charge").status() == 504);
    CHECK(in.server->counts().timed_out == 1);
    in.run_for(300ms);
    // The charge was requested, and stays so until the gateway is asked; but nobody holds the lock.
    const auto later = in.ask("PATCH", intents_path + "/" + id, R"({"amount":5})");
    CHECK(later.status() == 409);
    CHECK(later.has("wrong_state"));
}

TEST_CASE("one connection more than there is room for is told to come again", "[http]") {
    web::server_limits limits;
    limits.connections = 3;
    served_payments in(control::optimistic, limits);
    for (int i = 0; i < 3; ++i) {
        const auto idle = std::make_shared<heard>();
        asio::co_spawn(in.io, converse(in.server->port(), "", false, idle), [](std::exception_ptr) {});
    }
    in.run(wait_for(50ms));
    const auto told = in.ask("GET", "/health");
    CHECK(told.status() == 503);
    CHECK(told.has("Retry-After"));
    CHECK(in.server->counts().turned_away == 1);
    in.run(in.server->drain(1s));
}

TEST_CASE("the end: idle connections are closed, what was begun is answered, and no more is taken", "[http]") {
    web::server_limits limits;
    limits.work = 400ms;
    served_payments in(control::pessimistic, limits);
    const auto id = in.make_intent();
    in.bank.silent = true;
    const auto idle = std::make_shared<heard>();
    const auto busy = std::make_shared<heard>();
    const auto refused_one = std::make_shared<heard>();
    asio::co_spawn(in.io, converse(in.server->port(), "", false, idle), [](std::exception_ptr) {});
    const auto charge = "POST " + intents_path + "/" + id + "/charge HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n";
    const auto port = in.server->port();
    asio::co_spawn(in.io, converse(port, charge, false, busy), [](std::exception_ptr) {});
    in.run(wait_for(100ms));
    CHECK_FALSE(idle->closed);
    in.run(in.server->drain(5s));
    in.run(wait_for(50ms));
    CHECK(idle->closed);
    CHECK(idle->text.empty());
    CHECK(busy->status() == 504);
    CHECK(busy->has("Connection: close"));
    CHECK(busy->closed);
    in.run(converse(port, "GET /health HTTP/1.1\r\n\r\n", false, refused_one));
    CHECK(refused_one->text.empty());
}

TEST_CASE("the end is not waited for longer than its limit", "[http]") {
    web::server_limits limits;
    limits.work = 1h;
    served_payments in(control::pessimistic, limits);
    const auto id = in.make_intent();
    in.bank.silent = true;
    const auto busy = std::make_shared<heard>();
    const auto charge = "POST " + intents_path + "/" + id + "/charge HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n";
    asio::co_spawn(in.io, converse(in.server->port(), charge, false, busy), [](std::exception_ptr) {});
    in.run(wait_for(100ms));
    const auto begun = std::chrono::steady_clock::now();
    in.run(in.server->drain(200ms));
    CHECK(std::chrono::steady_clock::now() - begun < 5s);
    in.run(wait_for(50ms));
    CHECK(busy->closed);
}

TEST_CASE("the figures tell of requests, refusals and locks", "[http]") {
    served_payments in(control::pessimistic);
    const auto id = in.make_intent();
    in.ask("PATCH", intents_path + "/" + id, R"({"amount":250})");
    in.ask("PATCH", intents_path + "/" + id, R"({"amount":-1})");
    const auto page = in.ask("GET", "/metrics");
    CHECK(page.has("text/plain; version=0.0.4"));
    CHECK(page.has(R"(payments_requests_total{route="change",status="200"} 1)"));
    CHECK(page.has(R"(payments_requests_total{route="change",status="400"} 1)"));
    CHECK(page.has(R"(payments_refusals_total{reason="invalid"} 1)"));
    CHECK(page.has("dynalease_locks_acquired_total 2"));
    CHECK(page.has("payments_outbox_backlog 0"));
}
