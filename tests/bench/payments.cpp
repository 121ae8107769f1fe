// The server of examples/payments under 64 connections: requests per second of each use case under each control, how
// long they take, and how many requests to DynamoDB each costs.
//
// usage: bench_payments [REQUESTS]; exits with 1 if one costs more requests to DynamoDB than it may.
// SPDX-License-Identifier: BSL-1.0
#include "bench/goals.hpp"
#include "payments/demo/company.hpp"
#include "payments/demo/office.hpp"
#include "payments/demo/settings.hpp"
#include "payments/http/client.hpp"
#include "payments/relay/relay.hpp"
#include "support/at_once.hpp"
#include "support/json_line.hpp"
#include "support/requests_sent.hpp"
#include "support/run_awaitable.hpp"
#include "support/stopwatch.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/describe/enum_to_string.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace asio = boost::asio;
using namespace payments;
using namespace std::chrono_literals;
using web::http::verb;

namespace {

constexpr std::size_t width = 64;
const std::string new_body = R"({"customer":"bench","amount":100,"currency":"USD"})";

/// A gateway that never fails, and answers at once.
constexpr gateway_habits perfect{0, 0, 0, 0, 0, 0ms};

/// What one control costs; 0: any.
struct budget {
    double create, create_once, get, change, charge, relay;
};

class bench_of {
public:
    bench_of(control how, std::size_t requests, bench::goals& goals)
        : how_(how),
          count_(requests),
          goals_(goals),
          company_(how, perfect, DYNALEASE_PAYMENTS_PROGRAM),
          office_(io_, {company_.database(), how, company_.gateway_port(), {}, "bench"}) {}

    int run(const budget& most) { return support::run(io_, io_.get_executor(), script(most)); }

private:
    struct figures {
        double per_second = 0;
        double p50 = 0;
        double p99 = 0;
        double requests = 0;  ///< to DynamoDB, for each
    };

    asio::awaitable<void> script(budget most) {
        co_await create_tables(office_.client);
        company_.start_servers(1);
        line_.emplace(io_.get_executor(), company_.server_port(0), 10s);
        idle_per_second_ = co_await heartbeats();

        auto health = phase([](std::size_t) { return web::client::make(verb::get, "/health", {}); }, 200);
        bare_ = (co_await std::move(health)).per_second;
        co_await report(
            "create", most.create,
            [](std::size_t) { return web::client::make(verb::post, "/payment_intents", new_body); }, 201);
        co_await report(
            "create_once", most.create_once,
            [](std::size_t which) {
                auto made = web::client::make(verb::post, "/payment_intents", new_body);
                made.set("Idempotency-Key", "key-" + std::to_string(which));
                return made;
            },
            201);
        ids_.swap(made_);
        co_await report(
            "get", most.get,
            [this](std::size_t which) { return web::client::make(verb::get, "/payment_intents/" + ids_[which], {}); },
            200);
        co_await report(
            "change", most.change,
            [this](std::size_t which) {
                return web::client::make(verb::patch, "/payment_intents/" + ids_[which], R"({"amount":200})");
            },
            200);
        co_await report(
            "charge", most.charge,
            [this](std::size_t which) {
                return web::client::make(verb::post, "/payment_intents/" + ids_[which] + "/charge", {});
            },
            how_ == control::optimistic ? 202 : 200);
        if (how_ == control::optimistic) co_await relay_all(most.relay);
        co_await office_.session.close();
        company_.end_in_order();
        office_.client.close();
    }

    asio::awaitable<void> report(const char* name, double most, std::function<web::request(std::size_t)> make,
                                 int status) {
        auto running = phase(std::move(make), status);
        const auto seen = co_await std::move(running);
        const auto what = std::string("payments_") + name;
        support::json_line()
            .add("bench", what)
            .add("mode", boost::describe::enum_to_string(how_, ""))
            .add("connections", width)
            .add("value", seen.per_second, 0)
            .add("unit", "requests per second")
            .add("reference", "GET /health")
            .add("reference_value", bare_, 0)
            .add("ratio", seen.per_second / bare_)
            .add("p50_ms", seen.p50, 2)
            .add("p99_ms", seen.p99, 2)
            .add("dynamodb_requests", seen.requests, 2)
            .print();
        // Heartbeats fall in between, and now and then a request is sent again.
        goals_.at_most((what + ", requests to DynamoDB").c_str(), seen.requests, most * 1.05 + 0.05);
    }

    asio::awaitable<figures> phase(std::function<web::request(std::size_t)> make, int status) {
        const auto before = co_await requests_of_server();
        std::vector<double> times;
        made_.clear();
        const support::stopwatch watch;
        co_await support::at_once(width, count_, [&](std::size_t which) { return one(make(which), status, times); });
        figures seen;
        const auto seconds = watch.seconds();
        seen.per_second = static_cast<double>(count_) / seconds;
        const auto after = co_await requests_of_server();
        seen.requests = (after - before - idle_per_second_ * seconds) / static_cast<double>(count_);
        std::sort(times.begin(), times.end());
        seen.p50 = times[times.size() / 2] * 1000;
        seen.p99 = times[times.size() * 99 / 100] * 1000;
        co_return seen;
    }

    asio::awaitable<void> one(web::request wanted, int status, std::vector<double>& times) {
        const support::stopwatch watch;
        auto asking = line_->ask(std::move(wanted));
        const auto told = co_await std::move(asking);
        times.push_back(watch.seconds());
        if (!told) throw std::runtime_error("the server does not answer");
        if (told->result_int() != static_cast<unsigned>(status)) throw std::runtime_error(told->body());
        if (status == 201) {
            const auto begin = told->body().find("pi_");
            made_.push_back(told->body().substr(begin, told->body().find('"', begin) - begin));
        }
    }

    /// What its own figures say, of all kinds together.
    asio::awaitable<double> requests_of_server() {
        auto asking = line_->ask(web::client::make(verb::get, "/metrics", {}));
        const auto told = co_await std::move(asking);
        if (!told) throw std::runtime_error("no figures");
        std::istringstream lines(told->body());
        double sum = 0;
        for (std::string line; std::getline(lines, line);) {
            if (line.starts_with("dynalease_request_attempts_total{"))
                sum += std::stod(line.substr(line.find("} ") + 2));
        }
        co_return sum - static_cast<double>(++looks_);  // each look counts the outbox
    }

    /// Of a session that does nothing; its first lease comes with the first lock.
    asio::awaitable<double> heartbeats() {
        co_return how_ == control::pessimistic ? 1000.0 / demo::heartbeat.count() : 0;
    }

    asio::awaitable<void> relay_all(double most) {
        http_gateway bank(io_.get_executor(), company_.gateway_port(), 5s, std::to_string(company_.server_port(0)));
        relay sender(office_.rows, office_.session, *office_.intents, bank, demo::relay_settings());
        const auto before = support::requests_sent(office_.client);
        const support::stopwatch watch;
        std::size_t sent = 0;
        while (sent < count_) {
            auto round = sender.send_round();
            sent += co_await std::move(round);
        }
        const auto seconds = watch.seconds();
        const auto requests = static_cast<double>(support::requests_sent(office_.client) - before) / double(count_);
        support::json_line()
            .add("bench", "payments_relay")
            .add("mode", boost::describe::enum_to_string(how_, ""))
            .add("value", static_cast<double>(count_) / seconds, 0)
            .add("unit", "events per second")
            .add("dynamodb_requests", requests, 2)
            .print();
        goals_.at_most("payments_relay, requests to DynamoDB", requests, most * 1.05 + 0.1);
        asio::steady_timer settled(io_, 500ms);  // the last answers are on their way to the server
        co_await settled.async_wait(asio::use_awaitable);
    }

    control how_;
    std::size_t count_;
    bench::goals& goals_;
    asio::io_context io_{1};
    demo::company company_;
    demo::office office_;
    std::optional<web::client> line_;
    std::vector<std::string> ids_;
    std::vector<std::string> made_;
    double idle_per_second_ = 0;
    double bare_ = 0;
    std::size_t looks_ = 0;
};

}  // namespace

int main(int argument_count, char** values) {
    const std::size_t requests = argument_count > 1 ? std::stoull(values[1]) : 5'000;
    bench::goals goals;
    int status = 0;
    const auto measure = [&](control how, const budget& most) {
        bench_of one(how, requests, goals);
        status |= one.run(most);
    };
    measure(control::none, {.create = 1, .create_once = 3, .get = 1, .change = 2, .charge = 2, .relay = 0});
    measure(control::pessimistic, {.create = 1, .create_once = 2, .get = 1, .change = 3, .charge = 4, .relay = 0});
    measure(control::optimistic, {.create = 1, .create_once = 2, .get = 1, .change = 2, .charge = 2, .relay = 5});
    return status | goals.status();
}
