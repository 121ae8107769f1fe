// A server of the payment system, from its start to the drain.
// SPDX-License-Identifier: BSL-1.0
#include "payments/demo/roles.hpp"
#include "payments/demo/settings.hpp"
#include "payments/http/front.hpp"
#include "payments/http/operations.hpp"
#include "payments/http/server.hpp"
#include "payments/watch/watch.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <csignal>
#include <exception>
#include <iostream>

namespace asio = boost::asio;

namespace payments::demo {

namespace {

class server_process {
public:
    server_process(const office_options& options, std::uint16_t port)
        : office_(io_, options),
          requests_(office_.rows, given_up),
          front_({office_.intents.operator*(), requests_, office_.bank,
                  [this] { return "pi_" + office_.client.environment().new_id(); }, answer_signature::by_environment(),
                  office_.client.environment().clock}),
          operations_({office_.client, office_.session, office_.rows, front_}),
          watch_(io_.get_executor(), {web::observer(office_.rows, office_.session, options.how), front_,
                                      [watched = options.watched] { return watched && ask_to_kill(); }}),
          server_(
              io_.get_executor(), port, [this](const web::request& asked) { return handle(asked); }, server_limits()) {
        operations_.serve_with(server_);
        watch_.serve_with(server_);
    }

    int run() {
        asio::co_spawn(io_, server_.run(), [](std::exception_ptr) {});
        asio::co_spawn(io_, end_in_order(), [this](std::exception_ptr failure) {
            status_ = failure ? 1 : 0;
            io_.stop();
        });
        std::cout << "listening on " << server_.port() << std::endl;
        io_.run();
        return status_;
    }

private:
    static bool ask_to_kill() {
        std::cout << kill_a_relay << std::endl;
        return true;
    }
    asio::awaitable<web::reply> handle(const web::request& asked) {
        if (operations_.knows(asked)) return operations_.handle(asked);
        if (watch_.knows(asked)) return watch_.handle(asked);
        return front_.handle(asked);
    }

    asio::awaitable<void> end_in_order() {
        asio::signal_set signals(io_, SIGTERM, SIGINT);
        co_await signals.async_wait(asio::use_awaitable);
        co_await server_.drain(drain_time);
        co_await office_.session.close();
    }

    asio::io_context io_{1};
    office office_;
    request_store requests_;
    web::front front_;
    web::operations operations_;
    web::watch watch_;
    web::server server_;
    int status_ = 1;
};

}  // namespace

int run_server(const office_options& options, std::uint16_t port) {
    server_process self(options, port);
    return self.run();
}

}  // namespace payments::demo
