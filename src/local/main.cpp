// The program `dynalease-local`: the embedded DynamoDB as a process, on one thread.
// SPDX-License-Identifier: BSL-1.0
#include "local/arguments.hpp"

#include <dynalease/error.hpp>
#include <dynalease/local/server.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <sys/resource.h>

#include <csignal>
#include <exception>
#include <iostream>
#include <span>
#include <utility>

namespace {

constexpr int bad_usage = 2;

/// A connection each; the usual limit of 1024 is for programs that use select().
void allow_many_connections() {
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
}

int serve(dynalease::local::server_options options) {
    allow_many_connections();
    boost::asio::io_context context{1};
    boost::asio::signal_set signals(context, SIGTERM, SIGINT);
    dynalease::local::server server(context.get_executor(), std::move(options));
    signals.async_wait([&server, &context](const boost::system::error_code&, int) {
        server.stop();
        context.stop();
    });
    std::cout << "listening on " << server.endpoint() << std::endl;
    context.run();
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const std::span<const char* const> words(argv, static_cast<std::size_t>(argc));
    auto arguments = dynalease::local::parse_arguments(words.empty() ? words : words.subspan(1));
    if (!arguments.fault.empty()) {
        std::cerr << "dynalease-local: " << arguments.fault << "; see --help\n";
        return bad_usage;
    }
    if (arguments.help) {
        std::cout << dynalease::local::help_text();
        return 0;
    }
    if (const auto warning = dynalease::local::warning_of(arguments.options); !warning.empty()) {
        std::cerr << "dynalease-local: warning: " << warning << '\n';
    }
    try {
        return serve(std::move(arguments.options));
    } catch (const dynalease::error& failure) {
        std::cerr << "dynalease-local: " << failure.diagnostics().message << ": " << failure.code().message() << '\n';
    } catch (const std::exception& failure) {
        std::cerr << "dynalease-local: " << failure.what() << '\n';
    }
    return 1;
}
