// The program `dynalease-local`: the embedded DynamoDB as a process, on one thread.
// SPDX-License-Identifier: BSL-1.0
#include "local/arguments.hpp"
#include "local/file/tables_file.hpp"

#include <dynalease/error.hpp>
#include <dynalease/local/server.hpp>
#include <dynalease/version.hpp>

#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <span>
#include <utility>

namespace {

namespace local = dynalease::local;

constexpr int bad_usage = 2;

/// A connection each; the usual limit of 1024 is for programs that use select().
void allow_many_connections() {
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
}

local::server start(const boost::asio::any_io_executor& executor, const local::arguments& asked) {
    local::server_options options = asked.options;
    if (asked.has_port) return local::server(executor, std::move(options));
    try {
        options.port = local::usual_port;
        return local::server(executor, options);
    } catch (const dynalease::error& failure) {
        if (failure.code() != boost::asio::error::address_in_use) throw;
    }
    options.port = 0;
    return local::server(executor, std::move(options));
}

int serve(local::arguments asked) {
    allow_many_connections();
    if (!asked.file.empty()) {
        asked.options.store = std::make_shared<local::engine>(std::make_unique<local::tables_file>(asked.file));
    }
    boost::asio::io_context context{1};
    boost::asio::signal_set signals(context, SIGTERM, SIGINT);
    local::server server = start(context.get_executor(), asked);
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
    auto arguments =
        local::parse_arguments(words.empty() ? words : words.subspan(1), std::getenv(local::secret_key_variable));
    if (!arguments.fault.empty()) {
        std::cerr << "dynalease-local: " << arguments.fault << "; see --help\n";
        return bad_usage;
    }
    if (arguments.help) {
        std::cout << local::help_text();
        return 0;
    }
    if (arguments.version) {
        std::cout << "dynalease-local " << dynalease::version << '\n';
        return 0;
    }
    if (const auto warning = local::warning_of(arguments.options); !warning.empty()) {
        std::cerr << "dynalease-local: warning: " << warning << '\n';
    }
    try {
        return serve(std::move(arguments));
    } catch (const dynalease::error& failure) {
        std::cerr << "dynalease-local: " << failure.diagnostics().message << ": " << failure.code().message() << '\n';
    } catch (const std::exception& failure) {
        std::cerr << "dynalease-local: " << failure.what() << '\n';
    }
    return 1;
}
