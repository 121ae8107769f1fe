// The script of a day.
// SPDX-License-Identifier: BSL-1.0
#include "payments/demo/day.hpp"

#include "payments/demo/company.hpp"
#include "payments/demo/settings.hpp"
#include "support/run_awaitable.hpp"
#include "support/stopwatch.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/describe/enum_to_string.hpp>

#include <exception>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace payments::demo {

namespace {

gateway_habits habits_under(control how) {
    gateway_habits habits;
    habits.delay = 40ms;
    // Without a control nobody would ever ask again; the anomaly needs no faults.
    if (how == control::none) habits = {0, 0, 0, 0, 0, 40ms};
    return habits;
}

class day {
public:
    day(control how, std::size_t customers, std::uint64_t seed)
        : how_(how),
          count_(customers),
          seed_(seed),
          company_(how, habits_under(how), support::own_path()),
          client_(io_.get_executor(), support::local_client_options(company_.database())),
          rows_(client_) {}

    day_result live() {
        result_.how = how_;
        if (support::run(io_, io_.get_executor(), script()) != 0) throw std::runtime_error("the day went wrong");
        result_.seconds = watch_.seconds();
        return result_;
    }

private:
    void say(const std::string& what) const {
        std::cout << "  " << boost::describe::enum_to_string(how_, "") << ": " << what << std::endl;
    }

    asio::awaitable<void> script() {
        co_await create_tables(client_);
        company_.start_servers(2);
        if (how_ != control::none) company_.start_relays(2);
        say("two servers" + std::string(how_ == control::none ? "" : " and two relays") + " are up, against " +
            company_.database());
        std::vector<std::uint16_t> ports{company_.server_port(0), company_.server_port(1)};
        customers_.emplace(io_.get_executor(), ports, seed_);
        auto coming = customers_->come(count_, 24);
        asio::co_spawn(io_.get_executor(), std::move(coming), [this](std::exception_ptr failure) {
            failure_ = failure;
            done_ = true;
        });
        if (how_ != control::none) {
            co_await until_gone(count_ / 4);
            company_.kill_relay(0);
            company_.kill_server(0);
            result_.kills = 2;
            say("a relay and a server killed by kill -9");
            for (int i = 0; i < 30; ++i) co_await pause();
            company_.restart_relay(0);
            company_.restart_server(0);
            say("... and started again");
        }
        co_await until_gone(count_);
        while (!done_) co_await pause();
        if (failure_) std::rethrow_exception(failure_);
        co_await close_books();
        result_.ended_in_order = company_.end_in_order();
        client_.close();
    }

    asio::awaitable<void> close_books() {
        http_gateway bank(io_.get_executor(), company_.gateway_port(), 2s, {});
        web::client gateway(io_.get_executor(), company_.gateway_port(), 2s);
        auditor books(rows_, bank, gateway);
        const support::stopwatch waited;
        for (;;) {
            auto glancing = books.glance(customers_->all());
            const auto seen = co_await std::move(glancing);
            if (seen.settled() || waited.seconds() > 15) break;
            say(std::to_string(seen.waiting) + " charges wait for the gateway's answer");
            for (int i = 0; i < 10; ++i) co_await pause();
        }
        auto closing = books.close(customers_->all());
        result_.closed = co_await std::move(closing);
        result_.demanded = customers_->counted();
        if (!result_.closed.first_lost.empty()) say(result_.closed.first_lost);
    }

    asio::awaitable<void> until_gone(std::size_t enough) {
        while (customers_->gone() < enough && !done_) co_await pause();
        say(std::to_string(customers_->gone()) + " of " + std::to_string(count_) + " customers are done");
    }
    asio::awaitable<void> pause() {
        asio::steady_timer timer(io_, 50ms);
        co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
    }

    control how_;
    std::size_t count_;
    std::uint64_t seed_;
    support::stopwatch watch_;
    company company_;
    asio::io_context io_{1};
    dynalease::client client_;
    tables rows_;
    std::optional<customers> customers_;
    bool done_ = false;
    std::exception_ptr failure_;
    day_result result_;
};

}  // namespace

day_result live_a_day(control how, std::size_t customers, std::uint64_t seed) {
    day one(how, customers, seed);
    return one.live();
}

}  // namespace payments::demo
