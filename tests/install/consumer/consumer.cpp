// What a stranger writes first: a lock taken on the embedded database, in one process without a network.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/dynalease.hpp>
#include <dynalease/local/database.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <exception>
#include <iostream>

namespace asio = boost::asio;

asio::awaitable<void> take_a_lock(dynalease::local::database& database) {
    co_await dynalease::create_table(database, "coordination");
    dynalease::session_options options;
    options.table = "coordination";
    dynalease::session session{database, options};
    dynalease::lock lock{session, "consumer"};
    auto guard = co_await lock.acquire();
    std::cout << "holding with fencing token " << guard.fencing_token() << '\n';
    co_await guard.release();
    co_await session.close();
}

int main() {
    asio::io_context io;
    dynalease::local::database database{io.get_executor()};
    std::exception_ptr failure;
    asio::co_spawn(io, take_a_lock(database), [&](std::exception_ptr error) { failure = error; });
    io.run();
    if (failure) std::rethrow_exception(failure);
}
