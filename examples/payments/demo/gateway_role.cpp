// The gateway as a process.
// SPDX-License-Identifier: BSL-1.0
#include "payments/demo/roles.hpp"
#include "payments/http/server.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <csignal>
#include <exception>
#include <iostream>

namespace asio = boost::asio;

namespace payments::demo {

int run_gateway(gateway_habits habits) {
    asio::io_context io{1};
    gateway_simulator bank(io.get_executor(), habits, answer_signature::by_environment());
    web::server server(io.get_executor(), 0, [&](const web::request& asked) { return bank.handle(asked); });
    asio::co_spawn(io, server.run(), [](std::exception_ptr) {});
    asio::signal_set signals(io, SIGTERM, SIGINT);
    signals.async_wait([&](const boost::system::error_code&, int) { io.stop(); });
    std::cout << "listening on " << server.port() << std::endl;
    io.run();
    return 0;
}

}  // namespace payments::demo
