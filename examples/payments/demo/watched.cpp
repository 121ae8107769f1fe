// Two servers and two relays; when a page asks for it, a relay is killed, and started again a little later.
// SPDX-License-Identifier: BSL-1.0
#include "payments/demo/watched.hpp"

#include "payments/demo/company.hpp"
#include "payments/demo/customers.hpp"
#include "payments/demo/roles.hpp"
#include "payments/demo/settings.hpp"
#include "support/run_awaitable.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include <unistd.h>

#include <csignal>
#include <exception>
#include <iostream>
#include <vector>

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace payments::demo {

namespace {

/// How long a killed relay stays away: longer than its lease, so that the other takes its turns over.
constexpr auto away = lease + 1s;

/// Slow enough for locks and turns to be seen.
gateway_habits slow() {
    gateway_habits habits;
    habits.delay = 300ms;
    return habits;
}

class stage_of_it {
public:
    stage_of_it(control how, std::chrono::seconds limit)
        : company_(how, slow(), support::own_path(), true),
          client_(io_.get_executor(), support::local_client_options(company_.database())),
          end_(io_, limit),
          signals_(io_, SIGINT, SIGTERM) {}

    int run() { return support::run(io_, io_.get_executor(), script()); }

private:
    asio::awaitable<void> script() {
        co_await create_tables(client_);
        company_.start_servers(2);
        company_.start_relays(2);
        std::vector<std::uint16_t> ports;
        for (std::size_t i = 0; i < 2; ++i) {
            ports.push_back(company_.server_port(i));
            voices_.emplace_back(io_, ::dup(company_.voice_of_server(i)));
            asio::co_spawn(io_, hear(i), [](std::exception_ptr) {});
        }
        customers guests(io_.get_executor(), ports, 1, 800ms);
        asio::co_spawn(io_, guests.come(10'000, 3), [](std::exception_ptr) {});
        std::cout << "watch it on http://127.0.0.1:" << ports.front() << "/" << std::endl;
        signals_.async_wait([this](const boost::system::error_code&, int) { end_.cancel(); });
        co_await end_.async_wait(asio::as_tuple(asio::use_awaitable));
        company_.end_in_order();
        io_.stop();
    }

    asio::awaitable<void> hear(std::size_t server) {
        std::string heard;
        for (;;) {
            const auto [code, size] = co_await asio::async_read_until(voices_[server], asio::dynamic_buffer(heard),
                                                                      '\n', asio::as_tuple(asio::use_awaitable));
            if (code) co_return;
            const auto line = heard.substr(0, size - 1);
            heard.erase(0, size);
            if (line != kill_a_relay || away_) continue;
            away_ = true;
            company_.kill_relay(0);
            asio::steady_timer timer(io_, away);
            co_await timer.async_wait(asio::use_awaitable);
            company_.restart_relay(0);
            away_ = false;
        }
    }

    asio::io_context io_{1};
    company company_;
    dynalease::client client_;
    asio::steady_timer end_;
    asio::signal_set signals_;
    std::vector<asio::posix::stream_descriptor> voices_;
    bool away_ = false;
};

}  // namespace

int run_watched(control how, std::chrono::seconds limit) {
    stage_of_it stage(how, limit);
    return stage.run();
}

}  // namespace payments::demo
