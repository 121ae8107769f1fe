// Crowds and boors at the server of examples/payments: all are answered, its memory stays bounded, and no intent stays
// locked.
// SPDX-License-Identifier: BSL-1.0
#include "load/crowd.hpp"
#include "load/descriptors.hpp"
#include "payments/demo/company.hpp"
#include "payments/demo/office.hpp"
#include "support/run_awaitable.hpp"
#include "unit/local/http/http_peer.hpp"

#include <dynalease/dynamodb/expression.hpp>

#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>

#include <chrono>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace asio = boost::asio;
using namespace payments;
using dynalease::local::test::peer;
using load::crowd;
using namespace std::chrono_literals;

/// A request waits no longer than this, whatever the others do.
constexpr auto soon = 5s;
const std::string new_intent_body = R"({"customer":"c","amount":100,"currency":"USD"})";

std::string request(const std::string& method, const std::string& target, const std::string& body = {}) {
    return method + " " + target + " HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\n\r\n" + body;
}

/// The gateway, and one server with locks.
class busy_day {
public:
    busy_day() {
        io_.emplace(1);
        demo::office office(*io_, {company_.database(), control::pessimistic, 0, {}, "load"});
        support::run(*io_, io_->get_executor(), prepare(office));
        io_.reset();
        company_.start_servers(1);
    }

    std::uint16_t port() const { return company_.server_port(0); }
    std::string make_intent() const {
        const auto made = peer(port()).ask(request("POST", "/payment_intents", new_intent_body));
        if (made.status != 201) throw std::runtime_error(made.body);
        const auto begin = made.body.find("pi_");
        return made.body.substr(begin, made.body.find('"', begin) - begin);
    }
    /// A customer comes, and is served soon.
    void check_service() const {
        const auto begun = std::chrono::steady_clock::now();
        const auto id = make_intent();
        CHECK(peer(port()).ask(request("GET", "/payment_intents/" + id)).status == 200);
        CHECK(std::chrono::steady_clock::now() - begun < soon);
    }
    /// The most memory that the server ever had.
    std::uint64_t peak_mib() const {
        std::ifstream status("/proc/" + std::to_string(company_.id_of_server(0)) + "/status");
        for (std::string field; status >> field; status.ignore(4096, '\n')) {
            std::uint64_t kib = 0;
            if (field == "VmHWM:" && status >> kib) return kib / 1024;
        }
        throw std::runtime_error("the server has ended");
    }
    bool ends_in_order() { return company_.end_in_order(); }

private:
    static asio::awaitable<void> prepare(demo::office& office) {
        co_await create_tables(office.client);
        office.client.close();
    }

    static constexpr gateway_habits slow_but_true{0, 0, 0, 0, 0, 200ms};
    demo::company company_{control::pessimistic, slow_but_true, DYNALEASE_PAYMENTS_PROGRAM};
    std::optional<asio::io_context> io_;
};

}  // namespace

TEST_CASE("a thousand connections at once are all served") {
    load::want_descriptors(1100);
    busy_day day;
    crowd customers(day.port(), 1000);
    for (int round = 0; round < 2; ++round) {
        CHECK(customers.send(request("POST", "/payment_intents", new_intent_body), soon) == 1000);
        CHECK(customers.receive("\"USD\"}", 2 * soon) == 1000);
        day.check_service();
    }
    CHECK(day.peak_mib() < 96);
    CHECK(day.ends_in_order());
}

TEST_CASE("slow, silent, rude and greedy peers take nothing from others") {
    load::want_descriptors(1700);
    busy_day day;
    crowd silent(day.port(), 1000);
    crowd of_half_a_head(day.port(), 100);
    of_half_a_head.send("POST /payment_intents HTTP/1.1\r\nHost: " + std::string(4'000, 'x'), soon);
    crowd of_half_a_body(day.port(), 100);
    of_half_a_body.send("POST /payment_intents HTTP/1.1\r\nContent-Length: 16000\r\n\r\n" + std::string(15'000, ' '),
                        soon);
    crowd of_no_http(day.port(), 100);
    of_no_http.send("SOMETHING ELSE\r\n\r\n", soon);
    CHECK(of_no_http.receive("malformed_http", soon) == 100);
    crowd of_no_json(day.port(), 100);
    of_no_json.send(request("POST", "/payment_intents", "{\"customer\":"), soon);
    CHECK(of_no_json.receive("\"invalid\"", soon) == 100);
    crowd greedy(day.port(), 100);
    greedy.send(request("POST", "/payment_intents", std::string(100'000, ' ')), soon);
    CHECK(greedy.receive("body_too_large", soon) == 100);
    day.check_service();
    CHECK(day.peak_mib() < 96);
}

TEST_CASE("customers who go away in the middle of their charge leave no intent locked") {
    busy_day day;
    std::vector<std::string> intents;
    for (int i = 0; i < 20; ++i) {
        intents.push_back(day.make_intent());
        crowd impatient(day.port(), 3);
        impatient.send(request("POST", "/payment_intents/" + intents.back() + "/charge"), soon);
    }
    for (const auto& intent : intents) {
        // Whoever may not change it is told so for its state, and not for a lock, once the charge is over.
        const auto begun = std::chrono::steady_clock::now();
        std::string told = "busy";
        while (told.find("busy") != told.npos && std::chrono::steady_clock::now() - begun < 2 * soon) {
            told = peer(day.port()).ask(request("PATCH", "/payment_intents/" + intent, R"({"amount":5})")).body;
        }
        CHECK(told.find("wrong_state") != told.npos);
        CHECK(peer(day.port()).ask(request("GET", "/payment_intents/" + intent)).body.find("CHARGED") != told.npos);
    }
    CHECK(day.ends_in_order());
}
