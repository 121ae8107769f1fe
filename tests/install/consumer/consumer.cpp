// What a stranger writes first: a lock taken on the embedded database, in one process without a network. Then what is
// thrown across the boundary between library and program, which may be one of shared libraries: errors of the library's
// making, caught as what they are, and the program's own, thrown from within a call of the library.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/dynalease.hpp>
#include <dynalease/local/database.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/io_context.hpp>

#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>

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

    struct own_error : std::runtime_error {
        using runtime_error::runtime_error;
    };
    const auto work = [](dynalease::lock_guard&) -> asio::awaitable<void> {
        throw own_error("of the program");
        co_return;
    };
    try {
        co_await dynalease::with_lock(lock, work);
        throw std::logic_error("what the program threw under its lock was lost");
    } catch (const own_error&) {
    }
    co_await session.close();
    const auto [code, late] = co_await lock.acquire(asio::as_tuple(asio::deferred));
    if (code != dynalease::errc::session_closed || code != dynalease::condition::lost) {
        throw std::logic_error("a closed session is told as " + code.message());
    }
}

template <class Failure>
void demand_error(const boost::asio::any_io_executor& executor) {
    dynalease::client_options options;
    options.region = "no region";
    try {
        dynalease::client{executor, options};
    } catch (const Failure& error) {
        if (error.code() == dynalease::errc::invalid_option) return;
    }
    throw std::logic_error("a client without a region was not refused by an error that can be caught");
}

int main() {
    asio::io_context io;
    dynalease::local::database database{io.get_executor()};
    std::exception_ptr failure;
    asio::co_spawn(io, take_a_lock(database), [&](std::exception_ptr error) { failure = error; });
    io.run();
    if (failure) std::rethrow_exception(failure);
    demand_error<dynalease::error>(io.get_executor());
    demand_error<boost::system::system_error>(io.get_executor());
}
