// The shortest program that takes a lock: acquire, work under it, release.
//
// As it stands it runs on a DynamoDB inside the process. With AWS_REGION or AWS_ENDPOINT_URL set, it uses the one that
// they name, with the usual credentials.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/dynalease.hpp>
#include <dynalease/local/database.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <cstdlib>
#include <iostream>
#include <stdexcept>

namespace asio = boost::asio;

asio::awaitable<void> settle(dynalease::database database) {
    co_await dynalease::create_table(database, "coordination");  // once, by whoever may
    dynalease::session_options options;
    options.table = "coordination";
    dynalease::session session{database, options};  // one per process: its liveness, however many locks it holds

    dynalease::lock lock{session, "account/42"};
    auto guard = co_await lock.acquire();  // waits while another holds it; throws when waiting makes no sense
    std::cout << "holding " << guard.name() << " with fencing token " << guard.fencing_token() << '\n';
    if (!guard.held()) throw std::runtime_error("not held");
    // ... work under the lock here; hand the fencing token to whatever is written outside DynamoDB
    co_await guard.release();  // the destructor would do so too, in the background, best effort

    co_await session.close();
}

int run(asio::io_context& io, const dynalease::database& database) {
    int status = 0;
    asio::co_spawn(io, settle(database), [&status](std::exception_ptr failure) {
        try {
            if (failure) std::rethrow_exception(failure);
        } catch (const std::exception& why) {
            std::cerr << why.what() << '\n';
            status = 1;
        }
    });
    io.run();
    return status;
}

int main() {
    try {
        asio::io_context io;
        if (std::getenv("AWS_REGION") || std::getenv("AWS_ENDPOINT_URL"))
            return run(io, dynalease::client{io.get_executor()});  // throws where no region is to be found
        return run(io, dynalease::local::database{io.get_executor()});
    } catch (const std::exception& why) {
        std::cerr << why.what() << '\n';
        return 1;
    }
}
