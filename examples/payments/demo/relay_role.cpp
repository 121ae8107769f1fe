// A relay: sends and asks until it is told to end.
// SPDX-License-Identifier: BSL-1.0
#include "payments/demo/roles.hpp"
#include "payments/demo/settings.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <csignal>
#include <exception>
#include <iostream>

namespace asio = boost::asio;

namespace payments::demo {

namespace {

asio::awaitable<void> relay_until_signalled(office& in) {
    using namespace asio::experimental::awaitable_operators;
    relay sender(in.rows, in.session, *in.intents, in.bank, relay_settings());
    asio::signal_set signals(co_await asio::this_coro::executor, SIGTERM, SIGINT);
    co_await (sender.run() || signals.async_wait(asio::use_awaitable));
    co_await in.session.close();
}

}  // namespace

int run_relay(const office_options& options) {
    asio::io_context io{1};
    office in(io, options);
    int status = 1;
    asio::co_spawn(io, relay_until_signalled(in), [&](std::exception_ptr failure) {
        try {
            if (failure) std::rethrow_exception(failure);
            status = 0;
        } catch (const std::exception& why) {
            std::cerr << options.owner << ": " << why.what() << '\n';
        }
        io.stop();
    });
    std::cout << "listening on 0" << std::endl;
    io.run();
    return status;
}

}  // namespace payments::demo
