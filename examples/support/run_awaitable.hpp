// A main coroutine: runs it to its end, and makes what it throws the exit status.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <exception>
#include <iostream>
#include <utility>

namespace support {

/// Runs `work` on `executor`, a strand of `io`, and whatever it leaves behind, to the end.
/// @returns 0, or 1 after printing what it threw.
inline int run(boost::asio::io_context& io, const boost::asio::any_io_executor& executor,
               boost::asio::awaitable<void> work) {
    int status = 0;
    boost::asio::co_spawn(executor, std::move(work), [&io, &status](std::exception_ptr failure) {
        if (!failure) return;
        status = 1;
        try {
            std::rethrow_exception(failure);
        } catch (const std::exception& why) {
            std::cerr << why.what() << '\n';
        }
        io.stop();
    });
    io.run();
    return status;
}

}  // namespace support
