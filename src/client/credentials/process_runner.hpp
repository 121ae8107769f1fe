// The port through which programs are run that print keys.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/runtime/environment.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>

namespace dynalease::detail {

class process_runner {
public:
    process_runner() = default;
    process_runner(const process_runner&) = delete;
    process_runner& operator=(const process_runner&) = delete;
    virtual ~process_runner() = default;

    /// Runs a command line by the shell, as the AWS SDKs do, and waits for its end without blocking. It reads nothing,
    /// what it writes to its standard error goes nowhere, and it is killed with all it started after a minute or 64
    /// KiB.
    /// @returns what it printed; `errc::no_credentials` if it could not be started, was killed, or did not end with 0:
    /// neither command nor output is in the message, for both may hold secrets
    virtual boost::asio::awaitable<result<std::string>> run(std::string command) = 0;
    /// Kills what runs; later runs fail with `errc::shut_down`.
    virtual void close() noexcept = 0;
};

std::shared_ptr<process_runner> make_process_runner(const environment& world);

}  // namespace dynalease::detail
